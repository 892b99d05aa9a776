"""The stored tapes equal today's hands, so that their physics does not drift unnoticed."""

from __future__ import annotations

import pytest

from hardware.sims.hand import HANDS
from tests.hardware.sims.make_hand_tapes import CLICKS, FOLDER, WAYS, Tape, made, name, read, written

STEP = 4096 / CLICKS
NEARLY = 2
"""Counts: other machines' arithmetic may round a sample the other way."""


def kept(kind: str, way: str) -> Tape:
    return read((FOLDER / name(kind, way)).read_text(encoding="utf-8"))


def apart(one: int, other: int) -> int:
    """On the circle."""
    return min((one - other) % 4096, (other - one) % 4096)


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", HANDS)
def test_the_tapes_equal_todays_hands(kind: str, way: str) -> None:
    mine, theirs = made(kind, way), kept(kind, way)
    assert (mine.kind, mine.way, mine.start, mine.clicks) == (theirs.kind, theirs.way, theirs.start, theirs.clicks)
    assert mine.last_click_us == pytest.approx(theirs.last_click_us, abs=30)
    assert mine.at_rest_us == pytest.approx(theirs.at_rest_us, abs=500)
    assert [t_us for t_us, _ in mine.samples[: len(theirs.samples) - 1]] == [t_us for t_us, _ in theirs.samples[:-1]]
    differ = [apart(a, b) for (_, a), (_, b) in zip(mine.samples, theirs.samples, strict=False)]
    assert max(differ) <= NEARLY, "if this was meant, run python -m tests.hardware.sims.make_hand_tapes"


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", HANDS)
def test_the_truth_on_a_tape_matches_its_samples(kind: str, way: str) -> None:
    tape = kept(kind, way)
    first, last = tape.samples[0][1], tape.samples[-1][1]
    assert apart(first, round(tape.start * STEP)) < STEP / 6
    assert apart(last, round((tape.start + tape.clicks) * STEP)) < STEP / 6
    goal = round((tape.start + tape.clicks) * STEP)
    after = [counts for t_us, counts in tape.samples if t_us > tape.last_click_us + 20]
    before = [counts for t_us, counts in tape.samples if t_us < tape.last_click_us - 20]
    assert all(apart(counts, goal) <= STEP / 2 + 5 for counts in after)
    assert apart(before[-1], goal) >= STEP / 2 - 5
    assert {b - a for (a, _), (b, _) in zip(tape.samples, tape.samples[1:], strict=False)} <= set(range(2000, 10_001))


def test_every_tape_has_an_existing_kind_of_hand() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(name(kind, way) for kind in HANDS for way in WAYS)


def test_a_tape_is_read_as_it_was_written() -> None:
    tape = made("coin", "six")
    assert read(written(tape)) == tape
