"""Three recorded turns of each kind of hand, replayed at their own sampling: every one is followed exactly."""

from __future__ import annotations

import pytest

from hardware.sims.hand import HANDS
from pi_app.dials.tracker import DialShape, Tracker, Turn
from tests.hardware.sims.make_hand_tapes import CLICKS, FOLDER, WAYS, Tape, name, read

HOLD_AFTER_US = 700_000
PAUSE_MS = 350
"""The dial is held between two detents for 400 ms: with this `rest_ms` it rests there."""


def tape(kind: str, way: str) -> Tape:
    return read((FOLDER / name(kind, way)).read_text(encoding="utf-8"))


def replayed(played: Tape, shape: DialShape | None = None, since_us: int = 0) -> list[Turn]:
    """The unclaimed turns."""
    tracker = Tracker(shape)
    turns = [
        turn
        for t_us, counts in played.samples
        if t_us >= since_us and (turn := tracker.feed(t_us * 1000, counts)) is not None
    ]
    last = tracker.finish()
    return turns if last is None else [*turns, last]


def check(turn: Turn, played: Tape) -> None:
    assert (turn.from_position, turn.to_position) == (played.start, (played.start + played.clicks) % CLICKS)
    assert (turn.clicks, turn.passed, turn.clicks_range) == (played.clicks, played.clicks, None)
    assert (turn.path, turn.unseen, turn.between) == ("followed", False, None)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", HANDS)
def test_an_unclaimed_turn_is_one_turn_that_ends_within_a_second(kind: str, way: str) -> None:
    played = tape(kind, way)
    (turn,) = replayed(played)
    check(turn, played)
    assert not turn.cut
    assert turn.end_ns // 1000 - played.last_click_us + 600_000 <= 1_000_000


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", HANDS)
def test_a_claimed_turn_is_accepted_at_the_first_hold(kind: str, way: str) -> None:
    played = tape(kind, way)
    hold_us = played.last_click_us + HOLD_AFTER_US
    tracker = Tracker(ends_at_rest=False)
    for t_us, counts in played.samples:
        if t_us <= hold_us:
            assert tracker.feed(t_us * 1000, counts) is None
    turn = tracker.end_turn(hold_us * 1000)
    assert turn is not None
    check(turn, played)


@pytest.mark.parametrize("kind", HANDS)
def test_a_dial_that_rests_between_two_detents_gives_ranges_that_hold_the_truth(kind: str) -> None:
    played = tape(kind, "between")
    turns = replayed(played, DialShape(rest_ms=PAUSE_MS))
    first, second, *_ = turns
    assert (first.from_position, first.to_position, first.between, first.clicks) == (5, None, (5, 6), 0)
    assert (second.from_position, second.clicks) == (None, None)
    assert second.clicks_range is not None
    assert second.passed in second.clicks_range
    assert sum(turn.passed or 0 for turn in turns) == played.clicks
    assert all(turn.path == "followed" for turn in turns)
    assert not any(turn.unseen for turn in turns if turn.to_position is not None)


@pytest.mark.parametrize("kind", HANDS)
def test_a_dial_that_was_first_seen_between_two_detents_has_one_click_more_or_less(kind: str) -> None:
    """From between 5 and 6 to 4 there is one whole click, and a part of another."""
    played = tape(kind, "between")
    held_us = replayed(played, DialShape(rest_ms=PAUSE_MS))[0].end_ns // 1000 + 50_000
    (turn,) = replayed(played, since_us=held_us)
    assert (turn.from_position, turn.to_position) == (None, 4)
    assert (turn.clicks, turn.clicks_range, turn.path) == (None, (-2, -1), "followed")
