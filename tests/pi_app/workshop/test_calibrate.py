"""Leading a person through one turn, and how much better the detents are known afterwards."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_app.dials.calibration import Calibration, CalibrationDoubtError
from pi_app.play import samples_csv as recording
from pi_app.play.build import TableBuilder
from pi_app.settings.load import example_path, load
from pi_app.settings.model import Settings
from pi_app.simulated.table import SimulatedTable
from pi_app.text.errors import UserFileError
from pi_app.workshop import calibrate as calibrating

SMALL = load(example_path("2x2"))
EVEN = tuple(round(k * 4096 / 12) for k in range(12))


def dial(centres: tuple[int, ...], *, spread: int = 0, invert: bool = False) -> Calibration:
    return Calibration(12, 4096, invert, centres, (spread,) * 12, (0,) * 12)


def turned(
    clicks: int = 12, gap_ms: float = 600.0, *, seed: int = 4, unplug_at_s: float | None = None
) -> tuple[calibrating.SampledTurn, list[tuple[int, int]], Settings]:
    """The samples of a simulated dial that is turned by so many clicks, and the progress that was shown."""
    alone = recording.only(SMALL, ["T01"])
    table = SimulatedTable(alone, seed=seed)
    if clicks:
        table.tiles["T01"].hand.turn(1_500_000_000, clicks, gap_ms)
    if unplug_at_s is not None:
        table.clock.at(round(unplug_at_s * 1e9), table.tiles["T01"].unplug)
    shown: list[tuple[int, int]] = []
    with TableBuilder(alone, table) as builder:
        feed = recording.feed_of(alone, builder.wires(), table)
        samples = calibrating.sample_one_turn(
            feed,
            table.clock,
            alone.squares["T01"],
            recording.period_ns(alone),
            lambda detents, of: shown.append((detents, of)),
        )
    return samples, shown, alone


def test_one_turn_is_sampled_to_its_end_and_learnt() -> None:
    samples, shown, alone = turned()
    assert shown == [(places, 13) for places in range(1, 14)]
    learnt = calibrating.learnt(samples, alone.squares["T01"])
    assert calibrating.worst_margin_deg(learnt, learnt) > calibrating.worst_margin_deg(None, learnt)
    assert calibrating.worst_margin_deg(learnt, learnt) > 12


@pytest.mark.parametrize("seed", range(1, 17))
def test_every_eccentric_magnet_gains_by_it(seed: int) -> None:
    samples, _, alone = turned(seed=seed)
    learnt = calibrating.learnt(samples, alone.squares["T01"])
    assert calibrating.worst_margin_deg(learnt, learnt) > calibrating.worst_margin_deg(None, learnt)


def test_the_wrong_way_round_is_sampled_and_then_refused() -> None:
    samples, shown, alone = turned(-12)
    assert shown[-1] == (13, 13)
    with pytest.raises(CalibrationDoubtError, match="turned clockwise"):
        calibrating.learnt(samples, alone.squares["T01"])


def test_a_dial_that_is_not_turned() -> None:
    with pytest.raises(calibrating.NotTurnedError) as given_up:
        turned(0)
    assert str(given_up.value) == "It was not turned for 60 seconds; nothing was changed."


def test_its_lead_is_pulled() -> None:
    with pytest.raises(calibrating.NotTurnedError) as given_up:
        turned(unplug_at_s=3.0)
    assert str(given_up.value) == (
        "dial T01 (simulated /dev/i2c-1 mux 0x70 channel 0, chip 0x36) gave no answer (errno 121). "
        "Check its plug, then its power, then SDA and SCL. Nothing was changed."
    )


# ------------------------------------------------------------------------------------------------- how much better


def test_even_detents_are_half_a_pitch_from_their_neighbours() -> None:
    assert calibrating.worst_margin_deg(None, dial(EVEN)) == pytest.approx(15, abs=0.1)
    assert calibrating.worst_margin_deg(None, dial(EVEN, spread=22)) == pytest.approx(14, abs=0.2)


@given(st.integers(-300, 300), st.booleans())
def test_a_magnet_glued_in_at_another_angle_costs_that_angle(off: int, invert: bool) -> None:
    even = tuple(-raw % 4096 for raw in EVEN) if invert else EVEN
    shifted = dial(tuple((raw + off) % 4096 for raw in even), invert=invert)
    assert calibrating.worst_margin_deg(None, shifted) == pytest.approx(15 - abs(off) * 360 / 4096, abs=0.2)
    assert calibrating.worst_margin_deg(shifted, shifted) == pytest.approx(15, abs=0.2)


# ------------------------------------------------------------------------------------------------------- the file


def test_a_written_file_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    assert calibrating.known(path) == {}
    calibrating.keep(path, {"T01": dial(EVEN), "T02": dial(EVEN, spread=3)})
    assert calibrating.known(path) == {"T01": dial(EVEN), "T02": dial(EVEN, spread=3)}
    assert list(tmp_path.iterdir()) == [path]


def test_a_disk_that_refuses_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "c.toml"
    calibrating.keep(path, {"T01": dial(EVEN)})
    before = path.read_bytes()

    def full(handle: int) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UserFileError) as refused:
        calibrating.keep(path, {"T02": dial(EVEN)})
    assert str(refused.value) == (
        f"{path}: it cannot be written (No space left on device). "
        "Check the folder and the free space on the disk, or give another name with -o."
    )
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_broken_file_is_refused_and_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text("format = 9\n")
    with pytest.raises(UserFileError):
        calibrating.known(tmp_path / "c.toml")
