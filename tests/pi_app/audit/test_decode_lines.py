"""The output of `trapdial decode` for a turn: ambiguous and merged turns are marked."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_app.audit.decode import Summary, decode
from pi_app.audit.decode_lines import MOST_PAUSES, Pause, Pauses, as_json, as_text, why
from pi_app.dials.tracker import DialShape, Tracker, Turn
from tests.pi_app.traces import Look, failed, looked, rest

TURN = Turn(1_000_000_000, 1_500_000_000, 2, 5, None, 3, 40, 1, 12_500_000, 683, 1707)
BETWEEN = Turn(1, 2, None, None, (11, 0), None, 1, 0, 0, 0, 0, cut=True)
RANGED = replace(TURN, from_position=None, clicks=None, passed=7, clicks_range=(6, 7))
UNKNOWN = replace(TURN, clicks=None)


def lines(looks: Sequence[Look], shape: DialShape | None = None) -> list[str]:
    """What the command prints of a dial that was sampled every 10 ms."""
    tracker = Tracker(shape)
    rows = [f"{at_ns},{'' if raw is None else raw}\n" for at_ns, raw in looked(looks, tracker.shape)]
    pauses = Pauses(tracker.shape)
    trace = io.BytesIO("".join(["t_ns,raw\n", *rows]).encode())
    return [
        as_text(turn, pauses.within(turn), tracker.shape.gap_limit_ms)
        for turn in decode(trace, "a.csv", tracker, Summary(), pauses)
    ]


def test_json_has_the_promised_keys() -> None:
    assert json.loads(as_json(TURN)) == {
        "start_ns": 1_000_000_000,
        "end_ns": 1_500_000_000,
        "from": 2,
        "to": 5,
        "clicks": 3,
        "path": "followed",
    }
    assert json.loads(as_json(BETWEEN)) == {
        "start_ns": 1,
        "end_ns": 2,
        "from": None,
        "to": None,
        "clicks": None,
        "path": "unknown",
        "why": "half a turn or more may have passed between two samples",
        "between": [11, 0],
        "cut": True,
    }


def test_json_says_what_is_ambiguous() -> None:
    told = json.loads(as_json(replace(RANGED, unseen=True), [Pause(1_100_000_000, 300_000_000, None)]))
    assert (told["clicks"], told["path"], told["clicks_range"], told["passed"]) == (None, "followed", [6, 7], 7)
    assert told["unseen"] is True
    assert told["pauses"] == [{"start_ns": 1_100_000_000, "for_ns": 300_000_000, "position": None}]
    assert "why" not in told


def test_a_line_for_a_person() -> None:
    assert as_text(TURN) == "1.000 s to 1.500 s: from 2 to 5, +3 clicks (40 samples, 1 failed, longest gap 12.5 ms)"
    assert as_text(BETWEEN) == (
        "0.000 s to 0.000 s: from an unknown place to between 11 and 0, path unknown: half a turn or more may have "
        "passed between two samples (1 sample, 0 failed, longest gap 0.0 ms, cut off by the end of the trace)"
    )


@pytest.mark.parametrize(
    ("clicks", "words"),
    [((6, 7), "+6 or +7"), ((-1, 0), "-1 or 0"), ((0, 1), "0 or +1"), ((-2, -1), "-2 or -1"), ((4, 7), "+4 to +7")],
)
def test_a_range_of_clicks_in_words(clicks: tuple[int, int], words: str) -> None:
    assert as_text(replace(RANGED, clicks_range=clicks)) == (
        f"1.000 s to 1.500 s: from between two detents to 5, {words} clicks, since it began between two detents "
        "(40 samples, 1 failed, longest gap 12.5 ms)"
    )


def test_clicks_with_too_few_samples_are_marked() -> None:
    assert ", +3 clicks, but too few samples show a hand at work (" in as_text(replace(TURN, unseen=True))


def test_pauses_have_their_place() -> None:
    one = Pause(1_100_000_000, 412_345_678, 3)
    assert as_text(TURN, [one]).endswith(" ms); it stood still for 412 ms at 3 on the way: perhaps more than one turn")
    other = Pause(1_400_000_000, 250_000_000, None)
    assert as_text(TURN, [one, other]).endswith(
        "; it stood still for 412 ms at 3 and 250 ms between two detents on the way: perhaps more than one turn"
    )


@pytest.mark.parametrize(
    ("turn", "words"),
    [
        (TURN, None),
        (RANGED, None),
        (replace(UNKNOWN, left_ns=TURN.start_ns), "the dial was moving when the trace began"),
        (replace(UNKNOWN, longest_gap_ns=35_000_001), "no good sample for 35.0 ms while it may have moved"),
        (replace(UNKNOWN, unseen=True), "the angle jumped, and nothing proved that a hand turned the dial"),
        (UNKNOWN, "half a turn or more may have passed between two samples"),
    ],
)
def test_why_a_path_is_unknown(turn: Turn, words: str | None) -> None:
    assert why(turn) == words


# ---------------------------------------------------------------------------- traces, as the command reads them


def test_two_turns_too_close_together_are_one_line_that_says_so() -> None:
    (line,) = lines([*rest(0), 0.5, *rest(1, 30), 1.5, *rest(2)])
    assert "from 0 to 2, +2 clicks" in line
    assert line.endswith("; it stood still for 290 ms at 1 on the way: perhaps more than one turn")


def test_a_short_pause_between_two_clicks_is_no_second_turn() -> None:
    (line,) = lines([*rest(0), 0.5, *rest(1, 15), 1.5, *rest(2)])
    assert line.endswith("longest gap 10.0 ms)")


def test_the_rests_around_a_turn_are_no_pauses() -> None:
    first, second = lines([*rest(0, 500), 0.5, *rest(1, 500), 1.5, *rest(2, 500)])
    assert "perhaps" not in first + second


def test_an_inverted_dial_pauses_at_its_own_positions() -> None:
    (line,) = lines([*rest(0), 0.5, *rest(1, 30), 1.5, *rest(2)], DialShape(invert=True))
    assert line.endswith("; it stood still for 290 ms at 1 on the way: perhaps more than one turn")


def test_of_many_pauses_the_last_are_kept() -> None:
    looks: list[Look] = [*rest(0)]
    for click in range(1, 12):
        looks += [click - 0.5, *rest(click, 30)]
    (line,) = lines([*looks, *rest(11)])
    assert line.count(" ms at ") == MOST_PAUSES
    assert " at 10 on the way" in line


def test_a_turn_from_between_two_detents_has_a_range() -> None:
    (line,) = lines([*rest(0.5), 0.7, 0.9, *rest(1)])
    assert "from between two detents to 1, 0 or +1 clicks, since it began between two detents (" in line


def test_a_gap_has_its_length() -> None:
    (line,) = lines([*rest(0), *failed(10), *rest(2)])
    assert "from 0 to 2, path unknown: no good sample for 110.0 ms while it may have moved (" in line


def test_an_implausible_jump_is_reported() -> None:
    (line,) = lines([*rest(0, 200), *rest(5, 400)])
    assert "path unknown: the angle jumped, and nothing proved that a hand turned the dial (" in line


def test_a_dial_that_was_moving_at_first_is_reported() -> None:
    first, *_ = lines([1.0, 1.7, 2.4, 3.1, 3.8, *rest(4)])
    assert "from an unknown place to 4, path unknown: the dial was moving when the trace began (" in first


Spell = tuple[float, int]


@given(spells=st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.5]), st.integers(1, 70)), max_size=12))
def test_every_pause_lies_within_its_turn_and_is_shorter_than_a_rest(spells: list[Spell]) -> None:
    tracker = Tracker()
    samples = looked([*rest(0), *(position for position, many in spells for _ in range(many)), *rest(0)], tracker.shape)
    rows = [f"{at_ns},{raw}\n" for at_ns, raw in samples]
    pauses = Pauses(tracker.shape)
    trace = io.BytesIO("".join(["t_ns,raw\n", *rows]).encode())
    for turn in decode(trace, "a.csv", tracker, Summary(), pauses):
        for pause in pauses.within(turn):
            assert turn.start_ns <= pause.start_ns
            assert pause.start_ns + pause.for_ns < turn.end_ns
            assert pause.for_ns >= 200_000_000
            held = {raw for at_ns, raw in samples if pause.start_ns <= at_ns <= pause.start_ns + pause.for_ns}
            assert len(held) == 1
