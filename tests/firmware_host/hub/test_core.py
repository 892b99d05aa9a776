"""A hub's sessions: what it answers in each state, and when it falls silent."""

from __future__ import annotations

import itertools
import struct

import pytest

from firmware_host.hub import wire
from firmware_host.hub.core import FORMS, IDLE, SESSION, STREAMING
from tests.firmware_host.hub.bench import MS, Bench, told

EVERY_COMMAND = list(FORMS)
STREAM_20 = (wire.STREAM, wire.STREAM_BODY, 20, 2, 0, 35)


def test_it_says_nothing_unasked() -> None:
    bench = Bench()
    assert bench.run_ms(6000, 1000, silent=True) == []
    assert bench.sent == []
    assert bench.bus.transfers == 1  # only the closing of the mux at the start


def test_welcome_is_what_the_wire_says() -> None:
    bench = Bench(muxes=2)
    body = bench.hello(nonce=0xC0FFEE01)
    assert struct.unpack(wire.WELCOME_BODY, body) == (
        *(0xC0FFEE01, 1, 0, 16, 1, bytes.fromhex("e6616408432b5c21")),
        *wire.FIRMWARE,
        *(0, 0xA1B2C3D4, bench.hub_us()),
    )
    assert bench.hub.state == SESSION


@pytest.mark.parametrize(("oldest", "newest", "agreed"), [(1, 1, True), (1, 9, True), (2, 9, False), (0, 0, False)])
def test_only_a_common_protocol_makes_a_session(oldest: int, newest: int, agreed: bool) -> None:
    bench = Bench()
    body = bench.hello(oldest, newest)
    assert (body[4], body[5]) == (1, 0 if agreed else 1)
    assert bench.hub.state == (SESSION if agreed else IDLE)


@pytest.mark.parametrize("kind", [*EVERY_COMMAND, 0x55])
def test_without_a_session_every_command_is_answered_with_no_session(kind: int) -> None:
    bench = Bench()
    assert bench.status(kind, ">16s", b"") == wire.NO_SESSION  # type: ignore[arg-type]
    assert bench.hub.state == IDLE


def test_an_unknown_kind() -> None:
    bench = Bench()
    bench.hello()
    assert bench.status(0x55) == wire.UNKNOWN
    assert bench.status(wire.WELCOME) == wire.UNKNOWN


@pytest.mark.parametrize("kind", [kind for kind, form in FORMS.items() if struct.calcsize(form)])
def test_a_body_that_is_too_short_is_bad_and_one_that_is_longer_is_read(kind: int) -> None:
    bench = Bench()
    bench.hello()
    length = struct.calcsize(FORMS[kind])
    assert bench.status(kind, f">{length - 1}x") == wire.BAD_BODY
    ((answer, _, body),) = bench.say(kind, f">{length + 3}x")
    assert answer != wire.ACK or body[2] != wire.BAD_BODY


def test_a_short_hello_is_bad() -> None:
    bench = Bench()
    assert bench.status(wire.HELLO, ">5x") == wire.BAD_BODY


@pytest.mark.parametrize(
    "asked",
    [(4, 2, 35), (5001, 2, 35), (20, 0, 35), (20, 5, 35), (20, 2, 4), (20, 2, 1001)],
)
def test_a_stream_out_of_range(asked: tuple[int, int, int]) -> None:
    bench = Bench()
    bench.hello()
    period_ms, sweeps, gap_ms = asked
    assert bench.status(wire.STREAM, wire.STREAM_BODY, period_ms, sweeps, 0, gap_ms) == wire.OUT_OF_RANGE
    assert bench.hub.state == SESSION


def test_ping_is_answered_with_its_token_and_hub_time() -> None:
    bench = Bench()
    bench.hello()
    bench.clock.advance(1234 * MS)
    ((kind, _, body),) = bench.say(wire.PING, wire.PING_BODY, 0xFEEDBEEF)
    assert kind == wire.PONG
    assert struct.unpack(wire.PONG_BODY, body) == (0xFEEDBEEF, bench.hub_us())


def test_reports_come_at_their_period_and_hold_the_sweeps_asked_for() -> None:
    bench = Bench()
    bench.stream(20, 2)
    reports = bench.run_ms(1000, 10)
    assert 49 <= len(reports) <= 51
    assert {len(report.sweeps) for report in reports} == {2}
    assert {report.sweeps[1][0] // 1000 for report in reports} <= {9, 10}
    assert bench.hub.state == STREAMING


def test_the_dials_are_looked_at_a_hundred_times_a_second_however_rarely_is_reported() -> None:
    bench = Bench()
    bench.stream(500, 4)
    reports = bench.run_ms(2100, 10)
    assert len(reports) == 4
    for report in reports:
        assert [round(after / 10_000) for after, _, _ in report.sweeps] == [0, 1, 2, 3]


@pytest.mark.parametrize("muxes", [1, 2])
@pytest.mark.parametrize("sweeps", [1, 2, 3, 4])
def test_a_report_has_exactly_its_length(muxes: int, sweeps: int) -> None:
    bench = Bench(muxes)
    bench.stream(40, sweeps)
    bench.run_ms(200)
    bodies = [told(line)[2] for line in bench.sent if told(line)[0] == wire.REPORT]
    assert {len(body) for body in bodies} == {wire.report_length(8 * muxes, sweeps)}
    assert max(len(line) for line in bench.sent) <= wire.MOST_LINE


def test_asking_for_the_same_again_disturbs_nothing() -> None:
    bench = Bench()
    bench.stream()
    bench.run_ms(200)
    for _ in range(3):
        assert bench.status(*STREAM_20) == wire.OK
        assert bench.statuses(25) == [wire.GOOD] * 8


def test_a_period_of_nothing_ends_the_reports_and_not_the_session() -> None:
    bench = Bench()
    bench.stream()
    assert bench.status(wire.STREAM, wire.STREAM_BODY, 0, 0, 0, 0) == wire.OK
    assert bench.hub.state == SESSION
    assert bench.run_ms(300) == []
    assert bench.status(*STREAM_20) == wire.OK
    assert bench.run_ms(300) != []


def test_a_hello_begins_anew_at_any_time() -> None:
    bench = Bench()
    bench.stream()
    bench.run_ms(100)
    bench.hello(nonce=99)
    assert bench.hub.state == SESSION
    assert bench.run_ms(100) == []


def test_bye_ends_the_session() -> None:
    bench = Bench()
    bench.stream()
    assert bench.status(wire.BYE) == wire.OK
    assert bench.hub.state == IDLE
    assert bench.status(wire.BYE) == wire.NO_SESSION


def test_five_seconds_without_a_good_message_end_the_session() -> None:
    bench = Bench()
    bench.stream(100, 1)
    bench.run_ms(4900, silent=True)
    assert bench.hub.state == STREAMING
    bench.say(wire.PING, wire.PING_BODY, 1)
    bench.run_ms(4900, silent=True)
    assert bench.hub.state == STREAMING
    bench.hear(b":rubbish\n" * 10)
    bench.run_ms(200, silent=True)
    assert bench.hub.state == IDLE
    before = len(bench.sent)
    bench.run_ms(1000, silent=True)
    assert len(bench.sent) == before


def test_hub_time_begins_again_and_nobody_notices() -> None:
    bench = Bench()
    bench.clock.advance(wire.TICKS * 1000 - bench.clock.now_ns() - 500 * MS)
    bench.stream()
    reports = bench.run_ms(1000, 50)
    assert len(reports) >= 49
    assert reports[0].at_us > reports[-1].at_us
    assert reports[-1].leaps == bytes(8)
    steps = [wire.since(b.at_us, a.at_us) for a, b in itertools.pairwise(reports)]
    assert all(19_000 < step < 21_000 for step in steps)


def test_who_comes_late_skips_and_never_catches_up() -> None:
    bench = Bench()
    bench.stream()
    bench.run_ms(200)
    bench.clock.advance(400 * MS)
    reports = bench.run_ms(100)
    assert 4 <= len(reports) <= 6
    (counts,) = bench.say(wire.STATS)
    assert 395 <= struct.unpack(wire.COUNTS_BODY, counts[2])[7] <= 400


def test_sweeps_that_lie_too_far_apart_for_one_report_are_not_told_together() -> None:
    bench = Bench()
    bench.stream()
    bench.run_ms(205, 10)
    while bench.hub.left_us() == 0 or not bench.hub._sweeps._kept:
        bench.run_ms(0.2, 200)
    bench.clock.advance(300 * MS)
    report = bench.run_ms(5)[0]
    assert [after for after, _, _ in report.sweeps] == [0]
    assert report.leaps == bytes([1] * 8)


def test_lines_that_went_out_short_are_counted() -> None:
    bench = Bench()
    bench.hello()
    bench.taken = 3
    bench.say(wire.PING, wire.PING_BODY, 1)
    bench.taken = None
    bench.hear(b":00\n:\n" + b":" + b"0" * 200 + b"\n")
    (counts,) = bench.say(wire.STATS)
    assert struct.unpack(wire.COUNTS_BODY, counts[2])[1:] == (3, 3, 1, 0, 0, 0, 0, 123_456)


def test_diag_tells_the_field_of_a_dial() -> None:
    bench = Bench()
    bench.stream()
    bench.run_ms(200)
    ((kind, _, body),) = bench.say(wire.DIAG, wire.DIAG_BODY, 3)
    assert kind == wire.DIAGNOSIS
    assert struct.unpack(wire.DIAGNOSIS_BODY, body) == (3, wire.GOOD, 0x20, 64, 2150, 500, 0x0204, 0)
    bench.tiles[3].unplug()
    ((_, _, body),) = bench.say(wire.DIAG, wire.DIAG_BODY, 3)
    assert struct.unpack(wire.DIAGNOSIS_BODY, body) == (3, wire.SILENT, 0, 0, 0, 0, 0, 1)
    assert bench.status(wire.DIAG, wire.DIAG_BODY, 8) == wire.OUT_OF_RANGE


@pytest.mark.parametrize("action", [wire.RESET, wire.BOOTLOADER, wire.REPL])
def test_maintenance_needs_its_key(action: int) -> None:
    bench = Bench()
    bench.hello()
    assert bench.status(wire.MAINT, wire.MAINT_BODY, wire.MAINT_KEY ^ 1, action) == wire.OUT_OF_RANGE
    assert bench.status(wire.MAINT, wire.MAINT_BODY, wire.MAINT_KEY, 4) == wire.OUT_OF_RANGE
    assert bench.hub.wanted == 0
    assert bench.status(wire.MAINT, wire.MAINT_BODY, wire.MAINT_KEY, action) == wire.OK
    assert bench.hub.wanted == action


def test_every_line_has_the_next_number() -> None:
    bench = Bench()
    bench.stream(5, 1)
    bench.run_ms(1500)
    seqs = [told(line)[1] for line in bench.sent]
    assert len(seqs) > 256
    assert seqs == [n % 256 for n in range(len(seqs))]


def test_the_loop_may_rest_as_long_as_nothing_is_due() -> None:
    bench = Bench()
    assert bench.hub.left_us() == 100_000
    bench.stream()
    assert bench.hub.left_us() == 0
    bench.hub.step()
    assert 0 < bench.hub.left_us() <= 10_000
