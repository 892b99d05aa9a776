"""The bench of hubs notices a wrong angle, and its damage damages."""

from __future__ import annotations

import os
import random

import pytest

from firmware_host.hub import wire
from firmware_host.link_events import HubReport, HubSample
from firmware_host.session import HubSession
from pi_app.workshop.bench import hub as bench

REPORTS = int(os.environ.get("TRAPDIAL_FUZZ_LINES", "10000"))


@pytest.mark.slow
def test_damaged_reports_give_no_false_angle() -> None:
    found = bench.false_angles(REPORTS)
    assert found.damaged >= REPORTS
    assert found.false == 0
    assert 0 < found.accepted < found.damaged / 10


def test_a_false_angle_would_be_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    feed = HubSession.feed

    def wrong(session: HubSession, data: bytes, now_ns: int) -> list[object]:
        return [
            HubReport(now_ns, (HubSample(0, now_ns, wire.TOO_STRONG << 12),)) if isinstance(event, HubReport) else event
            for event in feed(session, data, now_ns)
        ]

    monkeypatch.setattr(HubSession, "feed", wrong)
    monkeypatch.setattr(bench, "damaged", lambda line, draw: line)
    assert bench.false_angles(50).false >= 50


def test_damage_damages() -> None:
    draw = random.Random(7)
    line = wire.line(wire.PONG, 1, bytes(8))
    spoilt = [bench.damaged(line, draw) for _ in range(200)]
    assert sum(each != line for each in spoilt) > 150


def test_no_two_sweeps_are_equal() -> None:
    seen = {bench.angles_at(number * 10_000) for number in range(50_000)}
    assert len(seen) == 50_000
