"""The soak: that it notices what it is there to notice, on plays of a few seconds."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hardware.sims.faults import FAULTS
from pi_app import events as ev
from pi_app.acts import Turn as Hand
from pi_app.bench import soak
from pi_app.bench.soak import Found, Meter, Slope, Soak, Troubles, Truth
from pi_app.demo import Demo
from pi_app.dial import Turn
from pi_app.settings import example_path, load

SMALL = load(example_path("2x2"))
S_NS = 1_000_000_000


def turn(**changes: object) -> Turn:
    same = Turn(2 * S_NS, 3 * S_NS, 0, 2, None, 2, 100, 0, 10_000_000, 0, 682)
    return replace(same, **changes)  # type: ignore[arg-type]


@pytest.fixture
def played(tmp_path: Path) -> Iterator[tuple[Demo, Truth, Found]]:
    found = Found()
    with Demo(SMALL, tmp_path / "journal.db", seed=3) as demo:
        truth = soak.watched(demo, found)
        while not demo.loop.ready:
            demo.step()
            truth.look()
        yield demo, truth, found


def go(demo: Demo, truth: Truth, seconds: float) -> None:
    until_ns = demo.table.clock.now_ns() + round(seconds * S_NS)
    while demo.table.clock.now_ns() < until_ns:
        demo.step()
        truth.look()


def first(demo: Demo) -> str:
    return next(iter(demo.table.tiles))


# ------------------------------------------------------------------------------------------------------ the truth


def test_a_turn_that_is_told_as_it_was_is_right(played: tuple[Demo, Truth, Found]) -> None:
    demo, truth, found = played
    demo.act(Hand(first(demo), 3, (200.0, 200.0)))
    go(demo, truth, 3)
    assert (found.turns, found.right, found.wrong, found.unreported) == (1, 1, 0, 0)
    assert truth.dials[first(demo)].told_at == 3


def test_clicks_that_nobody_made_and_a_false_place_are_wrong(played: tuple[Demo, Truth, Found]) -> None:
    demo, truth, found = played
    label = first(demo)
    now_ns = demo.table.clock.now_ns()
    truth.reported(label, turn(end_ns=now_ns))
    truth.reported(label, turn(end_ns=now_ns, clicks=None, to_position=2))
    truth.reported(label, turn(end_ns=now_ns, clicks=None, to_position=0))
    assert (found.wrong, found.unknown, found.right) == (2, 1, 0)
    assert found.examples[0] == (
        f"{label} at {now_ns / S_NS:.2f} s: the hand turned +0 to 0, reported: 0 to 2, clicks 2"
    )


def test_a_turn_that_is_never_told_is_noticed_once(played: tuple[Demo, Truth, Found]) -> None:
    demo, truth, found = played
    truth.dials[first(demo)].told_at = 1
    go(demo, truth, 6)
    go(demo, truth, 6)
    assert found.unreported == 1


def test_what_the_journal_takes_is_what_was_told(played: tuple[Demo, Truth, Found]) -> None:
    demo, truth, found = played
    label = first(demo)
    truth.dials[label].since += [turn(clicks=2), turn(clicks=-1)]
    motion = ev.Motion(from_position=0, to_position=1, clicks=1)
    recorded = ev.Turned(square=label, motion=motion, seat=None, purpose=None, grade=None)
    truth.recorded(recorded)
    assert found.misrecorded == 0
    truth.recorded(recorded)
    assert found.misrecorded == 1
    assert found.examples == [f"{label}: 0 clicks were reported, 1 written down"]


# --------------------------------------------------------------------------------------------------------- faults


def test_every_fault_that_strikes_is_mended_and_timed(played: tuple[Demo, Truth, Found]) -> None:
    demo, truth, found = played
    troubles = Troubles(demo, truth, found, random.Random("soak test"))
    until_ns = demo.table.clock.now_ns() + 60 * S_NS
    while demo.table.clock.now_ns() < until_ns or not troubles.calm:
        if demo.table.clock.now_ns() > until_ns:
            troubles.end()
        demo.step()
        truth.look()
        troubles.look()
    assert sum(found.struck.values()) == found.recovered > 3
    assert set(found.struck) <= set(FAULTS) - set(soak.NOT_TO_BE_SEEN)
    assert found.wrong == found.unreported == 0


def test_a_fault_that_this_table_cannot_have_is_named_and_left_alone(
    played: tuple[Demo, Truth, Found], monkeypatch: pytest.MonkeyPatch
) -> None:
    demo, truth, found = played

    def refuse(*_: object) -> None:
        raise ValueError("needs a mux")

    odd = replace(FAULTS["spike"], name="odd", strike=refuse)
    monkeypatch.setattr(soak, "FAULTS", {"odd": odd})
    monkeypatch.setitem(FAULTS, "odd", odd)
    troubles = Troubles(demo, truth, found, random.Random(1))
    troubles._strike(demo.table.clock.now_ns())
    assert (found.unfit, found.struck, troubles.calm) == ({"odd"}, {}, True)


# --------------------------------------------------------------------------------------------------------- memory


def test_the_slope_is_that_of_the_line() -> None:
    slope = Slope()
    assert slope.per_unit == 0
    for x in range(100, 110):
        slope.take(x, 7.0 + 2.5 * x)
    assert slope.per_unit == pytest.approx(2.5)


def test_memory_counts_when_it_is_warm_and_files_that_stay_open_are_counted(tmp_path: Path) -> None:
    found = Found()
    meter = Meter(found)
    meter.take(S_NS, 0.1)
    assert meter._mb.n == 0
    meter.take(S_NS, 0.5)
    assert meter._mb.n == 1
    with (tmp_path / "left").open("w"):
        meter.judge()
    assert found.more_files == 1


def test_a_lamp_that_flashes_for_days_takes_no_more_memory(tmp_path: Path) -> None:
    """Found by the soak: the simulated pins kept every state they ever had."""
    with Demo(SMALL, tmp_path / "journal.db") as demo:
        pin = demo.table.sim_pins.factory.pin(5)
        pin.function = "output"
        for n in range(5_000):
            pin.state = n % 2
        assert len(pin.states) <= 100


# ------------------------------------------------------------------------------------------------------- together


def test_a_short_soak_of_the_whole_program(tmp_path: Path) -> None:
    told: list[str] = []
    found = Soak(SMALL, tmp_path / "journal.db", 5, told.append).play(12_000)
    assert found.samples >= 12_000
    assert found.wrong == found.unreported == found.misrecorded == 0
    assert found.recovered == sum(found.struck.values())
    assert found.games >= 1
    assert told[-1].startswith("100 %") or told[-1].startswith("1")
    names = {figure.name: figure for figure in soak.figures(found)}
    assert names["turns told wrong"].verdict == "pass"
    assert names["samples followed"].note.endswith("hours of the table's life")


def test_figures_have_the_targets_of_the_promise() -> None:
    found = Found(wrong=1, slowest_s={"stuck-low": 1.5, "spike": 0.1}, mb_per_day=0.5, virtual_s=3_600)
    verdicts = {figure.name: figure.verdict for figure in soak.figures(found)}
    assert verdicts["turns told wrong"] == "fail"
    assert verdicts["longest recovery from a single fault"] == "fail"
    assert verdicts["growth of memory per virtual day"] == "pass"
    notes = {figure.name: figure.note for figure in soak.figures(found)}
    assert notes["longest recovery from a single fault"] == "stuck-low 1.50 s, spike 0.10 s"
