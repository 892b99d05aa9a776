"""A station is well only while its loop turns, each bus is scanned, the journal takes entries and the pages answer."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from pi_app.station.watchdog import (
    PATIENCE_NS,
    SLOW_DISK_NS,
    WRITING_NS,
    Health,
    Observed,
    Stalled,
    fed,
    stalled,
)

NOW = 100_000_000_000
WELL = Health(turned_ns=NOW, scans={"dials": NOW, "more": NOW}, writing_ns=None, committed_ns=NOW, answered_ns=NOW)
LATE = NOW - PATIENCE_NS - 1


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({}, None),
        ({"turned_ns": LATE + 1, "answered_ns": LATE + 1, "scans": {"dials": LATE + 1}}, None),
        ({"turned_ns": LATE}, Stalled.LOOP),
        ({"scans": {"dials": NOW, "more": LATE}}, Stalled.SCAN),
        ({"scans": {}}, None),
        ({"answered_ns": LATE}, Stalled.PAGES),
        ({"answered_ns": None}, None),
        ({"committed_ns": None}, None),
        ({"committed_ns": 0}, None),
        ({"committed_ns": 0, "disk_known": True}, None),
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
    """Half a second to look, two for RestartSec, and up to four for the start."""
    assert max(PATIENCE_NS, WRITING_NS) + 6_500_000_000 <= 15_000_000_000


@given(some.lists(some.tuples(some.integers(0, 10**9), some.booleans()), max_size=50))
def test_an_observer_measures_how_long_a_part_has_not_changed(rounds: list[tuple[int, bool]]) -> None:
    observed, now_ns, value, changed_ns = Observed(), 0, 7, 0
    for passed_ns, changes in [(0, True), *rounds]:
        now_ns += passed_ns
        if changes:
            value, changed_ns = value + 1, now_ns
        seen = observed.health(Health(turned_ns=value, scans={"a": value}, writing_ns=None, answered_ns=value), now_ns)
        assert seen == Health(turned_ns=changed_ns, scans={"a": changed_ns}, answered_ns=changed_ns)
