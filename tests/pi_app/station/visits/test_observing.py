"""What counts as a hand at a dial, through a whole simulated station."""

from __future__ import annotations

from pathlib import Path

from pi_app.station.visits.visit import State
from tests.pi_app.station.at_station import AtStation, station


def pushed(at: AtStation, part: float) -> bool:
    """Push a dial by part of a click, wait, and return whether that counted."""
    began_ns = at.table.clock.now_ns()
    at.table.tiles["T01"].hand.stop_between(began_ns, part)
    at.run(0.4)
    return at.station.visit.input_ns > began_ns


def test_each_push_between_two_clicks_counts_though_a_claim_keeps_the_turn(tmp_path: Path) -> None:
    with station(tmp_path) as at:
        at.tap("ANN")
        at.press("ANN")
        at.let_go("ANN")
        at.until(State.GUIDED)
        at.run(0.5)
        at.tap("ANN")
        at.turn("T01", 1)
        assert [pushed(at, part) for part in (0.35, -0.35, -0.4, 0.4, 0.45, -0.45)] == [True] * 6


def test_a_dial_that_rests_is_no_hand(tmp_path: Path) -> None:
    with station(tmp_path) as at:
        at.tap("ANN")
        at.press("ANN")
        at.let_go("ANN")
        at.turn("T01", 1)
        before_ns = at.station.visit.input_ns
        at.run(2)
        assert at.station.visit.input_ns == before_ns
