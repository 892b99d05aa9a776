"""Every fault at random under random play: each turn is reported right or as unknown."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.sims.faults import FAULTS
from pi_app.dials.jumps import Jumps
from pi_app.dials.tracker import DialShape, Tracker, Turn
from pi_app.workshop.bench import faulty
from pi_app.workshop.bench.faulty import CLICKS, FaultsReport, play_table, run


@pytest.mark.slow
@settings(max_examples=4, deadline=None)
@given(seed=st.integers(0, 1 << 30))
def test_no_fault_makes_a_click(seed: int) -> None:
    report = play_table(str(seed), rounds=4)
    assert report.passed, report.examples
    assert report.right + report.unknown + report.unseen == report.turns


@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.slow
def test_no_fault_makes_a_click_by_itself(name: str) -> None:
    report = play_table(name, rounds=3, names=(name,))
    assert report.passed, report.examples


def test_many_samples_with_every_fault() -> None:
    report = run(15_000, 7)
    assert report.passed, report.examples
    assert report.faults > 20
    assert report.right > report.turns / 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "rounds"),
    [("hA/10", 9), ("hA/13", 2), ("hA/62", 11), ("hA/118", 10), ("hA/201", 4), ("x1/0", 3), ("x1/19", 2)],
)
def test_jumps_that_once_passed_for_a_turn(table: str, rounds: int) -> None:
    report = play_table(table, rounds, names=("jumps",))
    assert report.passed, report.examples


def test_a_small_jump_once_took_a_claim_while_another_tile_held_the_bus() -> None:
    report = play_table("1/3400000/2", rounds=1)
    assert report.passed, report.examples


class NoJumps(Jumps):
    def see(self, at_ns: int, raw: int, rest: int, rested_ns: tuple[int, int], origin: int | None = None) -> None:
        self.seen = True


class Credulous(Tracker):
    """Broken on purpose: it accepts every angle."""

    def __init__(self, shape: DialShape) -> None:
        super().__init__(shape)
        self._jumps = NoJumps(4096, CLICKS, 1.0, 1.0)


@pytest.mark.slow
def test_a_tracker_that_accepts_jumps_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faulty, "Tracker", Credulous)
    report = play_table("hA/62", rounds=11, names=("jumps",))
    assert report.invented > 0
    assert report.claims_taken > 0
    assert report.wrong_faces > 0
    assert any("claim taken at" in example for example in report.examples)


def reported(clicks: int | None, start: int = 3, end: int = 5) -> Turn:
    return Turn(0, 1, start, end, None, clicks, 1, 0, 0, 0, 0)


@pytest.mark.parametrize(
    ("turns", "turned", "count"),
    [
        ([], 0, ""),
        ([], 2, "unreported"),
        ([], 12, "unseen"),
        ([reported(2)], 2, "right"),
        ([reported(None)], 2, "unknown"),
        ([reported(None, 3, 3), reported(2)], 2, "unknown"),
        ([reported(None, 3, 4), reported(1, 4, 5)], 2, "unknown"),
        ([reported(None, 3, 4), reported(13, 4, 5)], 2, "wrong"),
        ([reported(None, 3, 6), reported(-1, 6, 5)], 2, "wrong"),
        ([reported(1, 3, 4), reported(1, 4, 5)], 2, "wrong"),
        ([reported(14)], 2, "wrong"),
        ([reported(2), reported(0, 5, 5)], 2, "wrong"),
        ([reported(None, 3, 4)], 2, "wrong"),
        ([reported(0, 3, 3)], 0, "invented"),
        ([reported(None, 3, 3)], 0, "startled"),
        ([reported(None, 3, 4)], 0, "wrong"),
    ],
)
def test_each_count_can_be_reached(turns: list[Turn], turned: int, count: str) -> None:
    assert faulty.count_of(turns, 3, turned) == count


def test_reports_add_up_and_fail_for_each_reason() -> None:
    one = FaultsReport(samples=1, slowest_ms=5, examples=("a",))
    both = one.plus(FaultsReport(samples=2, slowest_ms=3, examples=("b",)))
    assert (both.samples, both.slowest_ms, both.examples) == (3, 5, ("a", "b"))
    assert both.passed
    for reason in ("wrong", "unreported", "invented", "wrong_faces", "claims_taken", "never_back"):
        assert not replace(both, **{reason: 1}).passed  # type: ignore[arg-type]  # names of fields
