"""Learning where the detents are, refusing doubtful turns, and the file of calibrations."""

from __future__ import annotations

import math
import random

import pytest

from pi_app.dials.calibration import Calibration, CalibrationDoubtError, dump, load
from pi_app.dials.learn_detents import learn
from pi_app.dials.tracker import Tracker
from pi_app.text.errors import UserFileError
from tests.pi_app.traces import MS, brief

Samples = list[tuple[int, int | None]]


def slow_turn(angles: list[float], *, noise: float = 0.8, stand_ms: int = 400, seed: int = 1) -> Samples:
    """Stand at each angle (counts), 30 ms on the way to the next; one spike and one failed read at every stop."""
    draw, samples = random.Random(seed), Samples()
    now_ns = 0
    for angle in angles:
        for look in range(stand_ms // 10):
            now_ns += 10 * MS
            raw = round(angle + draw.gauss(0, noise)) % 4096
            samples.append((now_ns, None if look == 5 else draw.randrange(4096) if look == 9 else raw))
        now_ns += 30 * MS
    return samples


def even(clicks: int = 12, start: float = 0, sign: int = 1) -> list[float]:
    return [start + sign * k * 4096 / clicks for k in range(clicks + 1)]


def eccentric(angle: float) -> float:
    return angle + 45 * math.sin(angle * math.tau / 4096 + 1)


@pytest.mark.parametrize(("start", "stand_ms"), [(0, 400), (100, 200), (4000, 2000)])
def test_a_slow_turn_is_learnt(start: int, stand_ms: int) -> None:
    true = [eccentric(angle) for angle in even(start=start)]
    dial = learn(slow_turn(true, stand_ms=stand_ms))
    for learnt, angle in zip(dial.centres, true, strict=False):
        assert abs((learnt - angle + 2048) % 4096 - 2048) <= 1
    assert all(spread <= 6 for spread in dial.spread)
    assert all(140 <= margin <= 185 for margin in dial.margin)


def test_an_inverted_dial_is_learnt_and_then_followed() -> None:
    true = [eccentric(angle) for angle in even(start=50, sign=-1)]
    dial = learn(slow_turn(true), invert=True)
    tracker = Tracker(dial.shape())
    samples = [(number * 10 * MS, dial.centres[0 if number < 100 else 3]) for number in range(200)]
    samples[100] = (samples[100][0], samples[100][1] + 20)
    turns = [turn for at_ns, raw in samples if (turn := tracker.feed(at_ns, raw)) is not None]
    assert brief(turns) == [(0, 3, 3)]


def test_a_dial_that_settles_while_it_stands_is_one_detent() -> None:
    angles = [angle + shift for angle in even() for shift in (0, 12)]
    with pytest.raises(CalibrationDoubtError) as doubt:
        learn(slow_turn([angle + shift for angle in even() for shift in (0, 60)], noise=0))
    assert str(doubt.value).splitlines()[0] == (
        "In 12 detents the dial stood in two places for about as long, 5.2 degrees apart. Let go of it in every "
        "detent; if you did, its detents do not hold it: check the lobes and the nose."
    )
    assert len(doubt.value.reasons) == 1
    assert len(learn(slow_turn(angles)).centres) == 12


@pytest.mark.parametrize(
    ("angles", "words"),
    [
        (
            even(sign=-1),
            "The angle fell where it should grow: the dial was turned clockwise, or its sensor counts the "
            "other way. Turn it counter-clockwise; if you did, set `invert = true`.",
        ),
        (
            even()[:9],
            "The dial stopped half way, after 8 of 12 clicks. Turn it exactly once round, back to the start mark; if "
            "you did, `clicks` of its trap table is wrong.",
        ),
        (
            [*even(), 4096 + 341],
            "The dial was turned by 13 clicks, past its start mark. Turn it exactly once round, 12 clicks; if you did, "
            "`clicks` of its trap table is wrong.",
        ),
        (
            even()[:5] + even()[6:],
            "The dial went past position 5 without standing in it. Wait half a second in every detent; if the dial "
            "does not stay there, that detent is missing or worn flat: check its lobe.",
        ),
        (
            [*even()[:5], *reversed(even()[:4])],
            "The dial was turned and came back the same way. Turn it counter-clockwise, once round.",
        ),
        (
            [*even(24), 4096],
            "The dial stood in 24 places on its way round, more than the 12 detents of its trap table. Let go of it "
            "in every detent and hold it nowhere else; if you did, `clicks` of its trap table is wrong.",
        ),
        (
            [0],
            "The dial was not turned. Turn it click by click, once round, and wait half a second each time.",
        ),
        ([], "No angle was read while the dial was turned. Run `trapdial doctor` to find out why."),
        (
            even(15)[:13],
            "After 12 clicks the dial was 72 degrees from where it began: it does not have 12 detents, or `clicks` of "
            "its trap table is wrong.",
        ),
        (
            [*even()[:3], 3 * 4096 / 12 + 120, *even()[4:]],
            "At position 3 the dial stands 10.5 degrees beside where its other detents put it; 6 is the most. That "
            "detent is worn or broken: look at its lobe, and at the nose that falls into it.",
        ),
        (
            [angle + (-1) ** k * 60 for k, angle in enumerate(even())],
            "From position 0 to 1 the dial turned 19 degrees instead of 30; more than 8 off is too much. Check that "
            "the magnet sits in the middle, and that no detent was missed.",
        ),
    ],
)
def test_a_doubtful_turn_is_refused_with_the_reason(angles: list[float], words: str) -> None:
    with pytest.raises(CalibrationDoubtError) as doubt:
        learn(slow_turn(angles))
    assert str(doubt.value).splitlines()[0] == words


def test_turned_the_wrong_way_on_an_inverted_dial() -> None:
    with pytest.raises(CalibrationDoubtError, match="leave `invert` out"):
        learn(slow_turn(even()), invert=True)


# ------------------------------------------------------------------------------------------ the file

GOLDEN = """\
# Written by `trapdial calibrate`. Angles are the sensor's own counts.
format = 1

[squares.T01]
clicks = 4
counts_per_turn = 4096
invert = false
centres = [10, 1030, 2060, 3080]
spread = [2, 3, 4, 5]
margin = [500, 501, 502, 503]

[squares."by the door"]
clicks = 2
counts_per_turn = 4096
invert = true
centres = [2000, 0]
spread = [1, 1]
margin = [900, 900]
"""
DIALS = {
    "T01": Calibration(4, 4096, False, (10, 1030, 2060, 3080), (2, 3, 4, 5), (500, 501, 502, 503)),
    "by the door": Calibration(2, 4096, True, (2000, 0), (1, 1), (900, 900)),
}


def test_the_file_and_back() -> None:
    assert dump(DIALS) == GOLDEN
    assert load(GOLDEN, "cal.toml") == DIALS


CALIBRATE = "Calibrate this dial again with `trapdial calibrate`."


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("[2, 3, 4, 5]", "[2, 3", f"cal.toml line 10: this is not TOML, or it was cut off. {CALIBRATE}"),
        ("format = 1", "format = 2", f"cal.toml line 2: `format` must be 1. {CALIBRATE}"),
        ("format = 1", "format = 1\ncolour = 3", "cal.toml line 3: unknown key 'colour'. Remove it."),
        (
            "clicks = 4",
            "clicks = true",
            f"cal.toml line 5 [squares.T01]: `clicks` must be a number from 2 to 100. {CALIBRATE}",
        ),
        ("invert = false", "", f"cal.toml line 4 [squares.T01]: 'invert' is missing. {CALIBRATE}"),
        ("invert = false", "invert = 0", f"cal.toml line 7 [squares.T01]: `invert` must be true or false. {CALIBRATE}"),
        (
            "spread = [2,",
            "sprawl = 3\nspread = [2,",
            "cal.toml line 9 [squares.T01]: unknown key 'sprawl'. The keys are "
            "clicks, counts_per_turn, invert, centres, spread, margin, tile, revision.",
        ),
        (
            "[10, 1030, 2060, 3080]",
            "[10, 1030, 2060]",
            f"cal.toml line 8 [squares.T01]: `centres` has 3 numbers for 4 clicks. {CALIBRATE}",
        ),
        (
            "[10, 1030, 2060, 3080]",
            "[10, 1030, 2060, 4096]",
            f"cal.toml line 8 [squares.T01]: `centres` must be a list of numbers from 0 to 4095. {CALIBRATE}",
        ),
        (
            "[10, 1030, 2060, 3080]",
            "[3080, 2060, 1030, 10]",
            "cal.toml line 8 [squares.T01]: the centres do not go once round counter-clockwise (is `invert` "
            f"right?). {CALIBRATE}",
        ),
        (
            "[10, 1030, 2060, 3080]",
            "[10, 1030, 2300, 3080]",
            "cal.toml line 8 [squares.T01]: From position 1 to 2 the dial turned 112 degrees instead of 90; "
            "more than 8 "
            f"off is too much. {CALIBRATE}",
        ),
    ],
)
def test_a_damaged_file_is_named_by_its_line(old: str, new: str, words: str) -> None:
    with pytest.raises(UserFileError) as error:
        load(GOLDEN.replace(old, new), "cal.toml")
    assert str(error.value) == words


def test_all_problems_come_at_once() -> None:
    with pytest.raises(UserFileError) as error:
        load(GOLDEN.replace("counts_per_turn = 4096", "counts_per_turn = 1").replace("format = 1", ""), "cal.toml")
    assert error.value.problems == (
        f"cal.toml: `format` must be 1. {CALIBRATE}",
        f"cal.toml line 6 [squares.T01]: `counts_per_turn` must be a number from 64 to 1048576. {CALIBRATE}",
        f'cal.toml line 14 [squares."by the door"]: `counts_per_turn` must be a number from 64 to 1048576. {CALIBRATE}',
    )


@pytest.mark.parametrize("text", ["", "format = 1\nsquares = 3\n", "format = 1\n[squares]\n"])
def test_a_file_without_a_square_is_refused(text: str) -> None:
    with pytest.raises(UserFileError, match=r"it has no section \[squares\.LABEL\]"):
        load(text, "cal.toml")
