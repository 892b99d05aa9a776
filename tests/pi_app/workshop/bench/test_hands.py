"""Every kind of hand, on twins and at their pace: the report is what the hand did."""

from __future__ import annotations

import pytest

from hardware.encoders import ENCODERS
from hardware.sims.clock import VirtualClock
from hardware.sims.hand import HANDS
from pi_app.dials.tracker import DialShape, Tracker, Turn
from pi_app.workshop.bench import hands
from pi_app.workshop.bench.hand_bus import HUB, Rig, TurnedDial, calm_scan_ns, source
from pi_app.workshop.bench.hands import HandsReport, HandTable, rigs
from tests.everyday import first


def played(rig: Rig, turns: int, *, wired: bool) -> HandsReport:
    report, table = HandsReport(), HandTable(rig, "test", wired=wired)
    while report.turns < turns:
        report = report.plus(table.round())
    return report


def faultless(report: HandsReport) -> bool:
    faults = (report.held_on, report.late, report.unknown, report.wrong_clicks, report.wrong_position, report.invented)
    return not any(faults) and report.turns == report.at_first_hold + report.in_time


EVERY_DAY = ("crisp",)


@pytest.mark.parametrize(
    "hand", [hand if hand in EVERY_DAY else pytest.param(hand, marks=pytest.mark.slow) for hand in HANDS]
)
def test_every_hand_turns_a_dial_at_the_pace_of_a_busy_bus(hand: str) -> None:
    report = played(Rig(hand, "as5600", 100_000, 8, screens=True), 16, wired=False)
    assert faultless(report), report.examples


@pytest.mark.parametrize("chip", first(2, ENCODERS))
def test_every_encoder_and_the_real_scan_above_twins(chip: str) -> None:
    report = played(Rig("crisp", chip, 100_000, 2, screens=False), 8, wired=True)
    assert faultless(report), report.examples


@pytest.mark.parametrize("hand", ["crisp", "ringing"])
def test_a_dial_on_a_hub_is_followed_like_any_other(hand: str) -> None:
    report = played(Rig(hand, HUB, 400_000, 1, screens=False), 4, wired=False)
    assert faultless(report), report.examples


def test_every_rig_is_played_by_as_many_turns_as_are_asked_for() -> None:
    each = list(rigs())
    assert len(each) == len(set(each)) == len(HANDS) * (len(ENCODERS) * 2 * 3 * 2 + 3)
    report = played(each[0], 5, wired=False)
    assert report.turns == report.claimed + report.unclaimed >= 5


@pytest.mark.parametrize(("chip", "speed_hz"), [("as5600", 100_000), ("as5600", 400_000), ("mt6701", 100_000)])
def test_the_pace_of_a_bus_is_that_of_the_real_scan(chip: str, speed_hz: int) -> None:
    rig = Rig("formula", chip, speed_hz, 8, screens=False)
    took = []
    for wired in (True, False):
        clock = VirtualClock()
        scan = source(
            rig, clock, [TurnedDial(f"T{n:02}", lambda _: 100.0, lambda _: 100.0) for n in range(8)], wired=wired
        )
        for _ in range(200):
            scan.scan()
        began_ns = clock.now_ns()
        for _ in range(100):
            scan.scan()
        took.append((clock.now_ns() - began_ns) / 100)
    assert took[1] == calm_scan_ns(chip, speed_hz, 8)
    assert took[1] == pytest.approx(took[0], rel=0.02)


class LosesClicks(Tracker):
    """Broken on purpose: it loses a click of every turn."""

    def end_turn(self, at_ns: int) -> Turn | None:
        turn = super().end_turn(at_ns)
        return None if turn is None or turn.clicks is None else _one_less(turn)


def _one_less(turn: Turn) -> Turn:
    return Turn(0, 1, turn.from_position, turn.to_position, None, (turn.clicks or 0) - 1, 1, 0, 0, 0, 0)


class Slow(Tracker):
    """Broken on purpose: no turn ends in time."""

    def __init__(self, shape: DialShape) -> None:
        super().__init__(DialShape(clicks=shape.clicks, counts_per_turn=shape.counts_per_turn, rest_ms=3_000))


@pytest.mark.parametrize(("broken", "field"), [(LosesClicks, "wrong_clicks"), (Slow, "late")])
def test_a_tracker_that_is_wrong_or_late_is_caught(
    monkeypatch: pytest.MonkeyPatch, broken: type[Tracker], field: str
) -> None:
    monkeypatch.setattr(hands, "Tracker", broken)
    report = played(Rig("formula", "as5600", 100_000, 1, screens=False), 8, wired=False)
    assert getattr(report, field) > 0
    assert any(field.replace("_", " ") in example for example in report.examples)
