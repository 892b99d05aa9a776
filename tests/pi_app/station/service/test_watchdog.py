"""A station is well only while its loop turns, each bus is scanned, the journal takes entries and the pages answer."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from pi_app.station.service.health import StationHealth
from pi_app.station.service.service import LOOKS_EVERY_S
from pi_app.station.service.units import RESTART_S
from pi_app.station.service.watchdog import (
    PATIENCE_NS,
    SLOW_DISK_NS,
    WRITING_NS,
    Observed,
    Stalled,
    fed,
    stalled,
)
from tests.pi_app.station.service.supervisor import WATCHDOG_S

NOW = 100_000_000_000
WELL = StationHealth(NOW, {"dials": NOW, "more": NOW}, NOW, False, NOW, turned_ns=NOW)
LATE = NOW - PATIENCE_NS - 1


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({}, None),
        ({"turned_ns": LATE + 1, "pages_ns": LATE + 1, "scans": {"dials": LATE + 1}}, None),
        ({"turned_ns": LATE}, Stalled.LOOP),
        ({"scans": {"dials": NOW, "more": LATE}}, Stalled.SCAN),
        ({"scans": {}}, None),
        ({"pages_ns": LATE}, Stalled.PAGES),
        ({"pages_ns": None}, None),
        ({"commit_ns": 0, "disk_full_known": True}, None),
        ({"scans": {"dials": NOW, "more": None}}, None),
        ({"turned_ns": LATE, "writing_ns": LATE}, None),
        ({"turned_ns": NOW - WRITING_NS, "writing_ns": NOW - WRITING_NS}, None),
        ({"turned_ns": NOW - WRITING_NS, "writing_ns": NOW - WRITING_NS - 1}, Stalled.JOURNAL),
        ({"turned_ns": NOW, "writing_ns": NOW, "scans": {"dials": LATE}}, Stalled.SCAN),
    ],
)
def test_what_is_silent_for_too_long_is_found(change: dict[str, Any], found: Stalled | None) -> None:
    health = dataclasses.replace(WELL, **change)
    assert stalled(health, NOW) is found
    assert fed(health, NOW) is (found is None)


def test_a_disk_that_a_restart_did_not_mend_gets_a_minute() -> None:
    began_ns = NOW - WRITING_NS - 1
    slow = dataclasses.replace(WELL, turned_ns=began_ns, writing_ns=began_ns)
    assert stalled(slow, NOW, SLOW_DISK_NS) is None
    assert stalled(slow, NOW + SLOW_DISK_NS, SLOW_DISK_NS) is Stalled.JOURNAL


def test_each_failure_is_found_soon_enough_to_be_cured_in_fifteen_seconds() -> None:
    """Half a second to look, RestartSec, and up to four for the start. A program that was stopped as a whole is found
    by the service manager, after the ten seconds of WatchdogSec."""
    latest_s = max(PATIENCE_NS / 1e9 + LOOKS_EVERY_S, WRITING_NS / 1e9 + LOOKS_EVERY_S, WATCHDOG_S)
    assert latest_s + RESTART_S + 4 <= 15


@given(some.lists(some.tuples(some.integers(0, 10**9), some.booleans()), max_size=50))
def test_an_observer_measures_how_long_a_part_has_not_changed(rounds: list[tuple[int, bool]]) -> None:
    observed, now_ns, value, changed_ns = Observed(), 0, 7, 0
    for passed_ns, changes in [(0, True), *rounds]:
        now_ns += passed_ns
        if changes:
            value, changed_ns = value + 1, now_ns
        given = StationHealth(3, {"a": value}, 3, False, value, turned_ns=value)
        seen = observed.health(given, now_ns)
        assert seen == StationHealth(now_ns, {"a": changed_ns}, 3, False, changed_ns, turned_ns=changed_ns)


def test_a_bus_that_is_never_read_is_found() -> None:
    observed = Observed()
    for now_ns in (0, PATIENCE_NS, PATIENCE_NS + 1):
        seen = observed.health(StationHealth(0, {"a": None}, 0, False, None, turned_ns=now_ns), now_ns)
    assert stalled(seen, PATIENCE_NS + 1) is Stalled.SCAN
