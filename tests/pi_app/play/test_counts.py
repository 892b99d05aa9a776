"""Encoders with other counts per turn than the AS5600's 4096 give the same turns."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_app.cli.main import main
from pi_app.dials.calibration import Calibration, dump, load
from pi_app.dials.learn_detents import learn
from pi_app.dials.tracker import DialShape, Tracker, Turn
from pi_app.play.dial_shapes import shape as shape_of
from pi_app.settings.load import example_path
from pi_app.settings.load import load as load_settings
from pi_app.text.errors import UserFileError
from tests.pi_app.traces import Look, brief, fed, looked, raw_at, rest, turns_of

FINE = 16384
STEPS = 24
COUNTED = STEPS * 128


def in_units_of(factor: int, turns: list[Turn]) -> list[Turn]:
    return [replace(turn, start_raw=turn.start_raw * factor, end_raw=turn.end_raw * factor) for turn in turns]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(-8, 8), st.integers(1, 3)), min_size=1, max_size=6), st.booleans())
@pytest.mark.slow
def test_four_times_finer_counts_give_the_same_turns(moves: list[tuple[int, int]], invert: bool) -> None:
    looks: list[Look] = [*rest(0)]
    at = 0
    for clicks, looks_per_click in moves:
        step = 1 if clicks > 0 else -1
        for _ in range(abs(clicks)):
            looks += [at + step * k / looks_per_click for k in range(1, looks_per_click + 1)]
            at += step
        looks += rest(at, 70)
    coarse = DialShape(invert=invert)
    fine = replace(coarse, counts_per_turn=FINE)
    samples = looked(looks, coarse)
    finer = [(at_ns, None if raw is None else raw * 4) for at_ns, raw in samples]
    assert in_units_of(4, fed(Tracker(coarse), samples)) == fed(Tracker(fine), finer)


@pytest.mark.parametrize("invert", [False, True])
def test_a_dial_that_counts_whole_steps_is_followed_click_by_click(invert: bool) -> None:
    shape = DialShape(in_steps=True, counts_per_turn=COUNTED, invert=invert)
    looks: list[Look] = [
        *rest(0),
        *[k / 2 for k in range(1, 10)],
        *rest(5),
        *[5 - k / 2 for k in range(1, 13)],
        *rest(-1),
    ]
    assert brief(turns_of(looks, shape)) == [(0, 5, 5), (5, 11, -6)]


def test_a_dial_that_counts_whole_steps_may_rest_between_two_clicks() -> None:
    [turn] = turns_of([*rest(3), *rest(3.5)], DialShape(in_steps=True, counts_per_turn=COUNTED))
    assert (turn.from_position, turn.to_position, turn.between, turn.clicks) == (3, None, (3, 4), 0)


@pytest.mark.parametrize("turn", [FINE, COUNTED])
def test_calibration_learns_centres_in_the_sensors_own_counts(turn: int) -> None:
    shape = DialShape(counts_per_turn=turn)
    looks = [look for position in range(13) for look in rest(position, 30)]
    learnt = learn(looked(looks, shape), counts_per_turn=turn)
    assert learnt.centres == tuple(raw_at(k, shape) for k in range(12))
    assert load(dump({"T01": learnt}), "c.toml") == {"T01": learnt}


def test_decode_is_told_the_counts(tmp_path: Path) -> None:
    shape = DialShape(counts_per_turn=FINE)
    rows = [f"{at_ns},{raw}" for at_ns, raw in looked([*rest(0), 1, 2, *rest(3)], shape)]
    file = tmp_path / "fine.csv"
    file.write_text("\n".join(["t_ns,raw", *rows, ""]))
    told = CliRunner().invoke(main, ["decode", str(file), "--counts", "16384"], catch_exceptions=False)
    assert told.stdout == ("1.010 s to 1.030 s: from 0 to 3, +3 clicks (3 samples, 0 failed, longest gap 10.0 ms)\n")
    refused = CliRunner().invoke(main, ["decode", str(file)], catch_exceptions=False)
    assert refused.exit_code == 2
    assert "raw 4096 is outside 0 to 4095" in refused.stderr


def test_decode_refuses_counts_that_cannot_be(tmp_path: Path) -> None:
    too_few = CliRunner().invoke(main, ["decode", "any.csv", "--counts", "200"])
    assert too_few.exit_code == 2
    assert "200 counts are too coarse for 12 clicks; give another --counts or --clicks." in too_few.stderr
    centres = tuple(raw_at(k, DialShape(counts_per_turn=FINE)) for k in range(12))
    known = tmp_path / "c.toml"
    known.write_text(dump({"T01": Calibration(12, FINE, False, centres, (1,) * 12, (600,) * 12)}))
    other = CliRunner().invoke(main, ["decode", "any.csv", "--calibration", str(known), "--counts", "4096"])
    assert other.exit_code == 2
    assert "this dial has 16384 counts per turn, not 4096" in other.stderr


def test_a_calibration_of_another_encoder_is_refused() -> None:
    small = load_settings(example_path("2x2"))
    centres = tuple(raw_at(k, DialShape(counts_per_turn=FINE)) for k in range(12))
    with pytest.raises(UserFileError) as refusal:
        shape_of(small.squares["T01"], small.table, Calibration(12, FINE, False, centres, (1,) * 12, (600,) * 12))
    assert str(refusal.value).endswith(
        "([T01]) was learnt from a dial of 16384 counts per turn, not 4096. Calibrate this dial again with "
        "`trapdial calibrate`."
    )
