"""What systemd prints about a unit, as values."""

from __future__ import annotations

import pytest

from tests.station.guest.unit import describe, parsed, shown, span_s, stamp_s

PRINTED = """ActiveState=active
SubState=running
Result=success
MainPID=214
NRestarts=2
ExecMainStatus=0
StatusText=The station is ready. x=1
InactiveExitTimestampMonotonic=4100000
ActiveEnterTimestampMonotonic=5250000
"""


def test_a_ready_service_has_its_times_in_seconds() -> None:
    now = shown(PRINTED)
    assert (now.is_ready, now.main_pid, now.restarts, now.begun_s, now.ready_s) == (True, 214, 2, 4.1, 5.25)
    assert now.status == "The station is ready. x=1"


def test_a_service_that_starts_is_not_ready() -> None:
    now = shown(PRINTED.replace("=active", "=activating").replace("=running", "=start"))
    assert not now.is_ready
    assert describe(now) == "activating/start, result success, 2 restarts, status 'The station is ready. x=1'"


def test_a_unit_that_is_not_there_has_neither_process_nor_times() -> None:
    now = shown("ActiveState=inactive\nSubState=dead\nMainPID=0\nNRestarts=\n\n")
    assert (now.is_ready, now.main_pid, now.restarts, now.ready_s) == (False, 0, 0, 0.0)


def test_lines_that_are_no_properties_are_left_out() -> None:
    assert parsed("a=b=c\nnothing\n") == {"a": "b=c"}


def test_a_process_has_a_start_of_its_own_and_a_log_has_times() -> None:
    assert shown("ExecMainStartTimestampMonotonic=2500000\n").started_s == 2.5
    rows = "[    3.5] station systemd[1]: Watchdog timeout\n[   33.382674] station systemd[1]: Watchdog timeout [x]\n"
    assert stamp_s(rows) == 33.382674


@pytest.mark.parametrize(
    ("text", "seconds"), [("2s\n", 2.0), ("100ms\n", 0.1), ("1min 30s\n", 90.0), ("0", 0.0), ("500us", 0.0005)]
)
def test_a_span_of_time_is_read_in_seconds(text: str, seconds: float) -> None:
    assert span_s(text) == pytest.approx(seconds)
