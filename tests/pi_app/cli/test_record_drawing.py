"""The live picture of `trapdial record`: the angle, once round per turn, the magnet in words, and what fits."""

from __future__ import annotations

import pytest

from hardware.readings import Magnet, Proof, Reading, Trouble, TroubleKind
from pi_app.cli.record_drawing import WatchedDial, draw_dials, draw_line

SECOND = 1_000_000_000


def dial(*samples: Reading | Trouble, label: str = "T01", way: int = 1) -> WatchedDial:
    watched = WatchedDial(label, "AS5600", 4096, way)
    for sample in samples:
        watched.take(sample)
    return watched


def at(raw: int, at_ns: int = SECOND, magnet: Magnet = Magnet.GOOD) -> Reading:
    return Reading(raw, at_ns, magnet)


def turned_round(step: int) -> list[Reading]:
    return [at(raw % 4096, SECOND + n * 10_000_000) for n, raw in enumerate(range(0, step * 65, step))]


def test_the_picture_fills_a_window_of_80_by_24_and_no_more() -> None:
    lines = draw_dials([dial(at(1024))], 80, 24, "SIMULATED.")
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    text = "\n".join(lines)
    for words in (
        "SIMULATED.  Ctrl-C ends",
        "T01  AS5600",
        "90.0 degrees  (raw 1024 of 4096)",
        "turned 0 degrees counter-clockwise, 0.00 times",
        "magnet good",
        "1 samples, 0 of them failed reads",
        "degrees, the last 10 s",
    ):
        assert words in text


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (150, 46), (60, 21)])
def test_it_fits_every_window(size: tuple[int, int]) -> None:
    columns, rows = size
    many = [dial(at(raw), label=f"T{raw:02}") for raw in range(40)]
    lines = draw_dials(many, columns, rows)
    assert len(lines) <= rows
    assert max(map(len, lines)) <= columns


def test_a_small_window_has_one_line() -> None:
    assert draw_dials([dial(at(2048))], 59, 24) == ["T01 180.0 degrees; magnet good"]
    assert draw_dials([dial(at(2048))], 80, 19) == ["T01 180.0 degrees; magnet good"]


@pytest.mark.parametrize(("step", "words"), [(64, "counter-clockwise"), (-64, "clockwise")])
def test_a_turn_of_the_pencil_is_once_round(step: int, words: str) -> None:
    watched = dial(*turned_round(step))
    assert watched.turned_words() == f"360 degrees {words}, 1.00 times round"
    assert watched.degrees == 0


def test_with_invert_the_other_way_is_counter_clockwise() -> None:
    watched = dial(*turned_round(-64), way=-1)
    assert watched.turned_words() == "360 degrees counter-clockwise, 1.00 times round"
    assert dial(at(1024), way=-1).degrees == 270


@pytest.mark.parametrize(("raw", "place"), [(0, "top"), (1024, "left"), (2048, "bottom"), (3072, "right")])
def test_the_needle_points_up_at_0_and_goes_counter_clockwise(raw: int, place: str) -> None:
    ring, needle = (
        [row[1:29].ljust(28) for row in draw_dials([each], 80, 24)[:14]] for each in (dial(), dial(at(raw)))
    )
    lit = [
        (x - 13.5, 2 * y - 13)
        for y, (empty, row) in enumerate(zip(ring, needle, strict=True))
        for x, (before, after) in enumerate(zip(empty, row, strict=True))
        if before != after
    ]
    x, y = (sum(each) / len(lit) for each in zip(*lit, strict=True))
    assert {"top": y < -4, "bottom": y > 4, "left": x < -4, "right": x > 4}[place], (x, y)


@pytest.mark.parametrize(
    ("magnet", "words"),
    [
        (Magnet.GOOD, "magnet good"),
        (Magnet.TOO_WEAK, "magnet too far: bring it nearer to the chip; is it magnetised across its diameter?"),
        (Magnet.TOO_STRONG, "magnet too near: move it a little away from the chip"),
        (Magnet.MISSING, "magnet none: hold it over the middle of the chip, 0.5 to 3 mm above"),
        (Magnet.UNKNOWN, "magnet not reported"),
    ],
)
def test_the_magnet_is_told_in_words(magnet: Magnet, words: str) -> None:
    assert dial(at(5, magnet=magnet)).state() == words


def test_a_read_that_does_not_check_the_magnet_keeps_its_state_and_gain() -> None:
    full = Reading(5, SECOND, Magnet.TOO_WEAK, proof=Proof(128, 300))
    assert dial(full, at(6, magnet=Magnet.UNKNOWN)).state().startswith("magnet (gain 128) too far")


def test_a_failed_read_says_what_to_try_and_leaves_a_gap() -> None:
    silent = Trouble(TroubleKind.SILENT, 2 * SECOND, "encoder of T01: does not answer. Check its plug.")
    watched = dial(at(0), silent)
    text = "\n".join(draw_dials([watched], 80, 24))
    assert "encoder of T01: does not answer. Check its" in text
    assert "2 samples, 1 of them failed reads" in text
    assert [degrees for _, degrees in watched.recent] == [0, None]
    assert draw_line(watched) == "T01   0.0 degrees; silent"
    watched.take(at(0, 3 * SECOND))
    assert watched.state() == "magnet good"


def test_a_dial_that_was_never_read_has_no_angle() -> None:
    text = "\n".join(draw_dials([dial()], 80, 24))
    assert "no angle yet" in text


def test_the_dial_that_turned_last_is_drawn_and_the_others_have_a_line() -> None:
    first = dial(at(0), at(500, 2 * SECOND))
    second = dial(at(0), at(1000, 3 * SECOND), label="T02")
    text = "\n".join(draw_dials([first, second], 80, 24))
    assert "T02  AS5600" in text
    assert draw_line(first) in text


def test_the_strip_keeps_ten_seconds() -> None:
    watched = dial(*(at(0, n * SECOND) for n in range(30)))
    assert [at_ns // SECOND for at_ns, _ in watched.recent] == list(range(19, 30))
