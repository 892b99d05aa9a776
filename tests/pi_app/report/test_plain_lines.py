"""Each sentence is printed once, with everybody who reads it; many dials of one cause are one line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from pi_app.report.plain_lines import TOGETHER_NS, PlainLines, names
from pi_app.settings.load import example_path, load
from pi_app.simulated import actions
from tests.pi_app.playing import table

SQUARES = [f"T{n:02}" for n in range(1, 17)]
PAIR = ("public", "referee")
MS = 1_000_000


class Printed:
    def __init__(self, viewers: Sequence[str] = PAIR) -> None:
        self.lines: list[tuple[str, str]] = []
        self.plain = PlainLines(self.write, viewers, SQUARES)

    def write(self, viewers: Sequence[str], line: str, at_ns: int) -> None:
        self.lines.append((", ".join(viewers), line))


def test_a_sentence_for_two_is_one_line_and_others_keep_their_own() -> None:
    at = Printed()
    for viewer, line in (
        ("seat ANN", "for Ann"),
        ("public", "for all"),
        ("public", "for the public"),
        ("referee", "for all"),
        ("referee", "for the referee"),
    ):
        at.plain.told(viewer, line, 0)
    at.plain.pause(1)
    assert at.lines == [
        ("public, referee", "for all"),
        ("public", "for the public"),
        ("referee", "for the referee"),
    ]


def test_sixteen_dials_that_come_back_are_one_line() -> None:
    at = Printed()
    for n, label in enumerate(SQUARES):
        at.plain.told("referee", f"{label}: concealed.", n * 10 * MS)
        at.plain.pause(n * 10 * MS)
    assert at.lines == []
    at.plain.pause(TOGETHER_NS)
    assert at.lines == [("referee", f"{', '.join(SQUARES)}: concealed.")]


def test_a_verb_for_one_square_stands_apart_from_several() -> None:
    at = Printed()
    for label in ("T02", "T03", "T05"):
        at.plain.told("referee", f"Finding T-AUD-1: {label} is not at its start mark.", 0)
    at.plain.close()
    assert at.lines == [("referee", "Finding T-AUD-1: T02, T03, T05 \N{EN DASH} is not at its start mark.")]


def test_squares_that_say_something_else_or_to_others_stay_apart() -> None:
    at = Printed()
    at.plain.told("public", "T01: concealed.", 0)
    at.plain.told("referee", "T01: concealed.", 0)
    at.plain.told("referee", "T02: concealed.", 0)
    at.plain.told("referee", "T03: exposed by Ann.", 0)
    at.plain.told("referee", "T04 : découverte.", 0)
    at.plain.told("referee", "T05 : découverte.", 0)
    at.plain.close()
    assert at.lines == [
        ("public, referee", "T01: concealed."),
        ("referee", "T02: concealed."),
        ("referee", "T03: exposed by Ann."),
        ("referee", "T04, T05 : découverte."),
    ]


def test_dials_that_fail_alike_are_one_line_with_what_their_places_share() -> None:
    at = Printed()
    for n in (1, 2, 3):
        place = f"simulated /dev/i2c-1 mux 0x70 channel {n}, chip 0x36"
        at.plain.told("referee", f"dial T0{n} ({place}) gave no answer (errno 121). Check its plug.", 0)
    at.plain.close()
    assert at.lines == [
        (
            "referee",
            "dials T01, T02, T03 (simulated /dev/i2c-1 mux 0x70 channel): each gave no answer (errno 121). Check its "
            "plug.",
        )
    ]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["public", "referee", "seat A"]), st.sampled_from(["x", "T01: a.", "T02: a.", "T02: b."])
        )
    )
)
def test_nobody_is_named_for_a_line_that_was_not_theirs_and_nothing_is_lost(told: list[tuple[str, str]]) -> None:
    viewers = ("public", "referee", "seat A")
    at = Printed(viewers)
    for n, (viewer, line) in enumerate(told):
        at.plain.told(viewer, line, n)
    at.plain.close()
    printed = {(viewer, part) for who, line in at.lines for viewer in who.split(", ") for part in _parts(line)}
    assert printed == set(told)


def _parts(line: str) -> list[str]:
    labels, colon, said = line.partition(": ")
    return [f"{label}: {said}" for label in labels.split(", ")] if colon else [line]


def test_everyone_is_called_all() -> None:
    assert names(("a", "b", "c"), ("a", "b", "c")) == "all"
    assert names(("public", "referee"), ("public", "referee")) == "public, referee"


def test_a_bus_without_power_and_back_is_a_few_lines(tmp_path: Path) -> None:
    at = Printed()
    with table(tmp_path, load(example_path("16x4"))) as played:
        played.demo.loop.session.gatherers = [at.plain]
        played.demo.loop.session.listeners = (at.plain,)
        for label in played.demo.table.tiles:
            played.demo.act(actions.InjectFault(label, "unplugged"))
        played.run(3.0)
        lost, at.lines = at.lines, []
        for label in played.demo.table.tiles:
            played.demo.act(actions.ClearFault(label, "unplugged"))
        played.run(3.0)
    assert len(lost) <= 4, lost
    assert lost[0] == ("referee", f"{', '.join(SQUARES)}: concealed; its dial cannot be read.")
    assert at.lines[0] == ("referee", f"{', '.join(SQUARES)}: concealed.")
    assert len(at.lines) <= 3, at.lines
