"""A hub's sessions: its answers in each state, and when it stops sending."""

from __future__ import annotations

import itertools
import struct
from collections.abc import Sequence

import pytest

from firmware_host.hub import wire
from firmware_host.hub.core import FORMS, IDLE, SESSION, STREAMING
from tests.firmware_host.hub.bench import MS, Bench, decoded, records

EVERY_COMMAND = list(FORMS)
STREAM_20 = (wire.STREAM, wire.STREAM_BODY, 20, 35)


def test_it_sends_nothing_unasked() -> None:
    bench = Bench()
    assert bench.run_ms(6000, 1000, silent=True) == []
    assert bench.sent == []
    assert bench.bus.transfers == 1  # only the closing of the mux at the start


def test_welcome_has_the_fields_of_the_wire() -> None:
    bench = Bench(muxes=2)
    body = bench.hello(nonce=0xC0FFEE01)
    assert struct.unpack(wire.WELCOME_BODY, body) == (
        *(0xC0FFEE01, 2, 0, 16, 1, bytes.fromhex("e6616408432b5c21")),
        *wire.FIRMWARE,
        *(0, 0xA1B2C3D4, bench.hub_us()),
    )
    assert bench.hub.state == SESSION


@pytest.mark.parametrize(("oldest", "newest", "agreed"), [(2, 2, True), (1, 9, True), (3, 9, False), (0, 1, False)])
def test_only_a_common_protocol_makes_a_session(oldest: int, newest: int, agreed: bool) -> None:
    bench = Bench()
    body = bench.hello(oldest, newest)
    assert (body[4], body[5]) == (2, 0 if agreed else 1)
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
    ((answer, _, body),) = bench.send(kind, f">{length + 3}x")
    assert answer != wire.ACK or body[2] != wire.BAD_BODY


def test_a_short_hello_is_bad() -> None:
    bench = Bench()
    assert bench.status(wire.HELLO, ">5x") == wire.BAD_BODY


@pytest.mark.parametrize(
    "asked",
    [(4, 35), (51, 35), (20, 4), (20, 1001)],
)
def test_a_stream_out_of_range(asked: tuple[int, int]) -> None:
    bench = Bench()
    bench.hello()
    assert bench.status(wire.STREAM, wire.STREAM_BODY, *asked) == wire.OUT_OF_RANGE
    assert bench.hub.state == SESSION


def test_ping_is_answered_with_its_token_and_hub_time() -> None:
    bench = Bench()
    bench.hello()
    bench.clock.advance(1234 * MS)
    ((kind, _, body),) = bench.send(wire.PING, wire.PING_BODY, 0xFEEDBEEF)
    assert kind == wire.PONG
    assert struct.unpack(wire.PONG_BODY, body) == (0xFEEDBEEF, bench.hub_us())


def test_reports_come_at_their_period() -> None:
    bench = Bench()
    bench.stream(20)
    reports = bench.run_ms(1000, 10)
    assert 49 <= len(reports) <= 52
    assert bench.hub.state == STREAMING


@pytest.mark.parametrize(("muxes", "wired", "least"), [(1, [3], 2400), (1, range(8), 420), (2, range(16), 205)])
def test_the_dials_are_sampled_back_to_back(muxes: int, wired: Sequence[int], least: int) -> None:
    """On the wire alone; wiring_docs/hub.md adds the interpreter's time."""
    bench = Bench(muxes, wired)
    bench.stream(20)
    bench.run_ms(500, 10)
    reports = bench.run_ms(1000, 10)
    for dial in wired:
        assert sum(record.reads for record in records(reports, dial)) >= least
    assert len(reports) <= 70  # an occasional full read splits a report of sixteen dials
    (counts,) = bench.send(wire.STATS)
    assert struct.unpack(wire.COUNTS_BODY, counts[2])[9] >= least


def test_a_dial_that_moves_is_sampled_more_often_and_sent_sample_by_sample() -> None:
    bench = Bench(2)
    bench.stream(20)
    bench.run_ms(500, 10)
    began_ns = bench.clock.now_ns()
    bench.tiles[5].encoder.angle_at = lambda at_ns: 700 + (at_ns - began_ns) / 1e6 * 12
    reports = bench.run_ms(100, 10)
    moved = records(reports, 5)
    assert all(record.reads == 1 for record in moved)
    assert len(moved) >= 40
    times = [report.at_us + record.last_us for report in reports for record in report.records if record.dial == 5]
    assert max(b - a for a, b in itertools.pairwise(times)) <= 3500
    assert sum(record.reads for record in records(reports, 6)) >= 16


def test_a_snap_of_3_ms_is_sampled_on_its_way() -> None:
    bench = Bench()
    bench.stream(20)
    bench.run_ms(501.3, 10)
    began_ns = bench.clock.now_ns() + 2 * MS
    bench.tiles[5].encoder.angle_at = lambda at_ns: 700 + 341 * min(max((at_ns - began_ns) / 3e6, 0), 1)
    seen = [record.value for record in records(bench.run_ms(60, 10), 5)]
    assert seen[0] == 700
    assert seen[-1] == 1041
    assert sum(705 < value < 1036 for value in seen) >= 1


@pytest.mark.slow
def test_a_dial_that_came_to_rest_has_four_full_reads_and_each_dial_one_in_a_second() -> None:
    bench = Bench()
    bench.stream(20)
    bench.run_ms(3000, 10)
    for dial in range(8):
        full = [record for record in records(bench.run_ms(2000, 10), dial) if record.agc >= 0]
        assert 1 <= len(full) <= 3
        assert {(record.agc, record.magnitude) for record in full} == {(64, 2150)}
    bench.raws[2] += 341
    reports = bench.run_ms(200, 10)
    times = [r.at_us + record.last_us for r in reports for record in r.records if record.dial == 2 and record.agc >= 0]
    assert len(times) >= 4
    assert all(19_000 < b - a < 30_000 for a, b in itertools.pairwise(times[:4]))
    assert {record.value for record in records(reports, 2) if record.agc >= 0} == {741}


def test_a_board_without_dials_reports_that_it_is_there() -> None:
    bench = Bench(wired=())
    bench.stream()
    reports = bench.run_ms(1000, 500)
    assert 45 <= len(reports) <= 51
    assert {(report.wired, report.records) for report in reports} == {(0, ())}


def test_a_repeated_stream_disturbs_nothing() -> None:
    bench = Bench()
    bench.stream()
    bench.run_ms(200)
    for _ in range(3):
        assert bench.status(*STREAM_20) == wire.OK
        assert bench.statuses(25) == [wire.GOOD] * 8


def test_a_period_of_nothing_ends_the_reports_and_not_the_session() -> None:
    bench = Bench()
    bench.stream()
    assert bench.status(wire.STREAM, wire.STREAM_BODY, 0, 0) == wire.OK
    assert bench.hub.state == SESSION
    assert bench.run_ms(300) == []
    assert bench.status(*STREAM_20) == wire.OK
    assert bench.run_ms(300) != []


def test_a_hello_starts_over_at_any_time() -> None:
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


@pytest.mark.slow
def test_five_seconds_without_a_good_message_end_the_session() -> None:
    bench = Bench()
    bench.stream(50)
    bench.run_ms(4900, silent=True)
    assert bench.hub.state == STREAMING
    bench.send(wire.PING, wire.PING_BODY, 1)
    bench.run_ms(4900, silent=True)
    assert bench.hub.state == STREAMING
    bench.feed(b":garbage\n" * 10)
    bench.run_ms(200, silent=True)
    assert bench.hub.state == IDLE
    before = len(bench.sent)
    bench.run_ms(1000, silent=True)
    assert len(bench.sent) == before


def test_the_wrap_of_hub_time_changes_nothing() -> None:
    bench = Bench()
    bench.clock.advance(wire.TICKS * 1000 - bench.clock.now_ns() - 500 * MS)
    bench.stream()
    reports = bench.run_ms(1000, 50)
    assert len(reports) >= 49
    assert reports[0].at_us > reports[-1].at_us
    assert reports[-1].jumps == bytes(8)
    steps = [wire.since(b.at_us, a.at_us) for a, b in itertools.pairwise(reports)]
    assert all(0 <= step < 25_000 for step in steps)
    assert sum(steps) > 900_000


def test_a_late_loop_skips_and_never_catches_up() -> None:
    bench = Bench()
    bench.stream()
    bench.run_ms(200)
    bench.clock.advance(400 * MS)
    reports = bench.run_ms(100)
    assert 4 <= len(reports) <= 7
    (counts,) = bench.send(wire.STATS)
    assert 395 <= struct.unpack(wire.COUNTS_BODY, counts[2])[7] <= 410


def test_samples_too_far_apart_are_not_in_one_report() -> None:
    bench = Bench()
    bench.stream()
    bench.run_ms(205, 10)
    bench.clock.advance(300 * MS)
    reports = bench.run_ms(50)
    assert all(record.last_us <= 60_000 for report in reports for record in report.records)
    assert reports[-1].jumps == bytes([1] * 8)


def test_lines_that_went_out_short_are_counted() -> None:
    bench = Bench()
    bench.hello()
    bench.taken = 3
    bench.send(wire.PING, wire.PING_BODY, 1)
    bench.taken = None
    bench.feed(b":00\n:\n" + b":" + b"0" * 200 + b"\n")
    (counts,) = bench.send(wire.STATS)
    assert struct.unpack(wire.COUNTS_BODY, counts[2])[1:] == (3, 3, 1, 0, 0, 0, 0, 123_456, 0)


def test_diag_reports_the_field_of_a_dial() -> None:
    bench = Bench()
    bench.stream()
    bench.run_ms(200)
    ((kind, _, body),) = bench.send(wire.DIAG, wire.DIAG_BODY, 3)
    assert kind == wire.DIAGNOSIS
    assert struct.unpack(wire.DIAGNOSIS_BODY, body) == (3, wire.GOOD, 0x20, 64, 2150, 500, 0x0204, 0)
    bench.tiles[3].unplug()
    ((_, _, body),) = bench.send(wire.DIAG, wire.DIAG_BODY, 3)
    assert struct.unpack(wire.DIAGNOSIS_BODY, body) == (3, wire.SILENT, 0, 0, 0, 0, 0, 1)
    assert bench.status(wire.DIAG, wire.DIAG_BODY, 8) == wire.OUT_OF_RANGE


@pytest.mark.parametrize("action", [wire.RESET, wire.BOOTLOADER, wire.REPL])
def test_maintenance_needs_its_key(action: int) -> None:
    bench = Bench()
    bench.hello()
    assert bench.status(wire.MAINT, wire.MAINT_BODY, wire.MAINT_KEY ^ 1, action) == wire.OUT_OF_RANGE
    assert bench.status(wire.MAINT, wire.MAINT_BODY, wire.MAINT_KEY, 4) == wire.OUT_OF_RANGE
    assert bench.hub.requested_action == 0
    assert bench.status(wire.MAINT, wire.MAINT_BODY, wire.MAINT_KEY, action) == wire.OK
    assert bench.hub.requested_action == action


def test_every_line_has_the_next_number() -> None:
    bench = Bench()
    bench.stream(5)
    bench.run_ms(1500)
    seqs = [decoded(line)[1] for line in bench.sent]
    assert len(seqs) > 256
    assert seqs == [n % 256 for n in range(len(seqs))]


def test_the_loop_may_rest_as_long_as_nothing_is_due() -> None:
    bench = Bench()
    assert bench.hub.left_us() == 100_000
    bench.stream()
    assert bench.hub.left_us() == 0
    bench.hub.step()
    assert bench.hub.left_us() == 0  # it samples back to back
