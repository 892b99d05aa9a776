"""The protocol with a hub: every state of the Pi's side, in simulated time."""

from __future__ import annotations

import struct

import pytest

from firmware_host.commands import HubReply
from firmware_host.hub import wire
from firmware_host.hub_time import HubTime
from firmware_host.link_events import HubReport, LinkNotice, LinkState, Welcome
from firmware_host.requirements import HubRequirements
from firmware_host.session import HubSession
from firmware_host.sims.scripted_hub import ScriptedHub
from tests.firmware_host.exchange import MS, PLACE, Exchange, still

UID = "e6616408432b5c21"


def kinds(exchange: Exchange) -> list[int]:
    return [kind for kind, _ in exchange.hub.received]


def gone_silent(exchange: Exchange) -> None:
    exchange.run(100)
    exchange.plugged = False
    exchange.run(501)


def test_the_first_line_is_that_of_the_page() -> None:
    session = HubSession(HubRequirements("north"), lambda: 0xC0FFEE01)
    session.opened(PLACE, 0)
    assert session.poll(0) == b":01000202c0ffee01e1af1983\n"
    assert session.poll(0) == b""
    assert session.due_ns() == 300 * MS


def test_greeted_streaming_running() -> None:
    exchange = Exchange(HubRequirements("north", uid=UID.upper(), dials=2, period_ms=10, gap_ms=40))
    exchange.run(100)
    hub = Welcome(UID, 2, True, 2, wire.FIRMWARE, 1, 0xA1B2C3D4)
    (notice,) = exchange.notices
    assert (notice.state, notice.words, notice.hub) == (LinkState.RUNNING, "", hub)
    assert list(exchange.hub.received)[:3] == [
        (wire.HELLO, bytes.fromhex("0202c0ffee01")),
        (wire.STREAM, bytes.fromhex("000a0028")),
        (wire.PING, bytes.fromhex("c0ffee03")),
    ]
    assert 8 <= len(exchange.reports) <= 10
    assert all(len(report.samples) == 2 and report.unknown == frozenset() for report in exchange.reports)
    assert [(sample.dial, sample.value) for sample in exchange.reports[0].samples] == [(0, 100), (1, 200)]
    assert exchange.session.state is LinkState.RUNNING


def test_it_pings_every_second() -> None:
    exchange = Exchange()
    exchange.run(3_500)
    assert kinds(exchange).count(wire.PING) == 4


# ---------------------------------------------------------------------------------------------- accepted messages


def test_leftovers_of_an_earlier_session_are_not_accepted() -> None:
    before = Exchange()
    before.run(95)
    old = before.hub.next_line(wire.REPORT, wire.message(line_of_a_report(before))[2])  # type: ignore[index]
    session = HubSession(HubRequirements("north", dials=2), lambda: 7)
    session.opened(PLACE, 0)
    session.poll(0)
    stranger = wire.line(wire.WELCOME, 0, struct.pack(">IBBBB8s4BII", 8, 1, 0, 2, 1, bytes(8), 1, 0, 0, 0, 1, 0))
    assert session.feed(old + stranger + old + wire.line(wire.PONG, 1, bytes(8)), MS) == []
    assert session.state is LinkState.GREETING
    assert session.counts.strange == 4


def line_of_a_report(exchange: Exchange) -> bytes:
    found: list[bytes] = []

    def keep(line: bytes) -> bool:
        found.append(line)
        return False

    exchange.lose = keep
    exchange.run(30)
    return next(line for line in found if line.startswith(b":84")).strip(b":\n")


def test_a_welcome_to_an_earlier_greeting_is_accepted() -> None:
    session = HubSession(HubRequirements("north", period_ms=0), iter(range(100)).__next__)
    session.opened(PLACE, 0)
    session.poll(0)
    session.poll(300 * MS)
    hub = ScriptedHub(still(0), dials=1)
    hello = wire.line(wire.HELLO, 0, struct.pack(wire.HELLO_BODY, 1, 1, 0))
    assert session.feed(hub.feed(hello, 0), 310 * MS) == [LinkNotice(LinkState.RUNNING, 310 * MS, "", session.hub)]


def hello(nonce: int) -> bytes:
    return wire.line(wire.HELLO, 0, struct.pack(wire.HELLO_BODY, 1, 1, nonce))


def test_a_second_welcome_changes_nothing() -> None:
    exchange = Exchange()
    exchange.plugged = False
    exchange.run(350)
    exchange.plugged = True
    first, second = (exchange.hub.feed(hello(nonce), exchange.now_ns // 1000) for nonce in (0xC0FFEE01, 0xC0FFEE02))
    exchange.events += exchange.session.feed(first, exchange.now_ns)
    exchange.run(3)
    exchange.events += exchange.session.feed(second, exchange.now_ns)
    exchange.run(200)
    assert exchange.states == [LinkState.RUNNING]
    assert kinds(exchange).count(wire.STREAM) == 1


def test_a_second_welcome_of_a_refused_board_is_not_reported_again() -> None:
    exchange = Exchange(HubRequirements("north", dials=9))
    exchange.plugged = False
    exchange.run(350)
    for nonce in (0xC0FFEE01, 0xC0FFEE02):
        exchange.events += exchange.session.feed(
            exchange.hub.feed(hello(nonce), exchange.now_ns // 1000), exchange.now_ns
        )
    assert exchange.states == [LinkState.WRONG_BOARD]


def test_a_pong_to_one_of_two_pings_does_not_set_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[int] = []

    class CountingTime(HubTime):
        def answered(self, hub_us: int, sent_ns: int, came_ns: int) -> None:
            answers.append(hub_us)
            super().answered(hub_us, sent_ns, came_ns)

    monkeypatch.setattr("firmware_host.session.HubTime", CountingTime)
    exchange = Exchange()
    exchange.hub.ignores.add(wire.PING)
    exchange.run(100)
    exchange.hub.ignores.clear()
    exchange.run(300)
    assert kinds(exchange).count(wire.PING) == 2
    assert len(answers) == 1  # the welcome


def test_a_report_with_another_number_of_dials_is_rejected() -> None:
    exchange = Exchange()
    exchange.run(100)
    body = struct.pack(">IBB B HH H", 0, 1, 1, 0, 0, 100, 77)
    assert exchange.session.feed(exchange.hub.next_line(wire.REPORT, body), exchange.now_ns) == []
    assert exchange.session.counts.strange == 1


def test_a_report_earlier_than_the_last_is_rejected() -> None:
    exchange = Exchange()
    exchange.run(100)
    again = wire.message(line_of_a_report(exchange))
    assert again is not None
    exchange.lose = lambda line: False
    exchange.run(100)
    assert exchange.session.feed(exchange.hub.next_line(wire.REPORT, again[2]), exchange.now_ns) == []


def test_short_or_unknown_messages_are_only_counted() -> None:
    exchange = Exchange()
    exchange.run(100)
    for kind in range(256):
        for body in (b"", b"\0", bytes(5)):
            assert exchange.session.feed(exchange.hub.next_line(kind, body), exchange.now_ns) == []
    assert exchange.session.state is LinkState.RUNNING
    exchange.run(2_000)
    assert exchange.states == [LinkState.RUNNING]


def test_extra_bytes_of_a_later_protocol_are_ignored() -> None:
    exchange = Exchange()
    say = exchange.hub.next_line
    exchange.hub.next_line = lambda kind, body: say(kind, body + b"later")  # type: ignore[method-assign]
    exchange.run(1_500)
    assert exchange.states == [LinkState.RUNNING]
    assert exchange.session.counts.strange == 0
    exchange.session.ask(wire.STATS, b"")
    exchange.run(10)
    assert isinstance(exchange.events[-1], HubReply)


# --------------------------------------------------------------------------------------------------- refused hubs


def test_not_a_hub_shows_its_console() -> None:
    exchange = Exchange()
    exchange.plugged = False
    exchange.session.feed(b"Traceback (most recent call last):\r\n", exchange.now_ns)
    exchange.session.feed(b"ImportError: no module named \x1b'hub'\r\n>>> :8402000004e600080000\r\n", exchange.now_ns)
    exchange.run(2_999)
    assert exchange.notices == []
    exchange.run(10)
    (notice,) = exchange.notices
    assert notice.state is LinkState.NOT_A_HUB
    assert notice.words == (
        "hub north (/dev/ttyACM0) does not answer as a hub: no answer to 10 greetings. Install the firmware with "
        'trapdial hub install. Its console shows: "Traceback (most recent call last): / ImportError: no module named '
        "'hub' / >>> ...\"."
    )
    assert exchange.session.poll(exchange.now_ns) == b""


def test_not_a_hub_without_a_console() -> None:
    exchange = Exchange()
    exchange.plugged = False
    exchange.run(3_010)
    assert exchange.notices[0].words == (
        "hub north (/dev/ttyACM0) does not answer as a hub: no answer to 10 greetings. Install the firmware with "
        "trapdial hub install."
    )


def refused(exchange: Exchange) -> tuple[LinkState, str]:
    exchange.run(100)
    (notice,) = exchange.notices
    exchange.run(5_000)
    assert len(exchange.notices) == 1
    assert exchange.reports == []
    return notice.state, notice.words


def test_another_board() -> None:
    assert refused(Exchange(HubRequirements("north", uid="e661640843000000", dials=2))) == (
        LinkState.WRONG_BOARD,
        "hub north (/dev/ttyACM0) is board e6616408432b5c21, but the settings name e661640843000000. Plug in the "
        'board that the settings name, or write id = "e6616408432b5c21" in [hub.north].',
    )


def test_too_few_dials() -> None:
    assert refused(Exchange(HubRequirements("north", dials=3))) == (
        LinkState.WRONG_BOARD,
        "hub north (/dev/ttyACM0) has 2 dials, but the settings use 3. Change the channels of [hub.north]'s squares, "
        "or board.py on the hub.",
    )


@pytest.mark.parametrize(("protocol", "result"), [(3, 1), (3, 0), (2, 1)])
def test_a_hub_that_is_newer_than_this_program(protocol: int, result: int) -> None:
    exchange = Exchange()
    exchange.hub.protocol, exchange.hub.result = protocol, result
    assert refused(exchange) == (
        LinkState.INCOMPATIBLE,
        f"hub north (/dev/ttyACM0) has firmware with protocol {protocol}, but this program uses protocol 2. Update "
        "this program, or install its firmware on the hub with trapdial hub install.",
    )


@pytest.mark.parametrize(("protocol", "result"), [(1, 1), (1, 0), (0, 0)])
def test_a_hub_with_the_firmware_of_an_older_protocol(protocol: int, result: int) -> None:
    """Firmware 1.0.0 has protocol 1: it answers HELLO with result 1."""
    exchange = Exchange()
    exchange.hub.protocol, exchange.hub.result = protocol, result
    assert refused(exchange) == (
        LinkState.INCOMPATIBLE,
        f"hub north (/dev/ttyACM0) has firmware with protocol {protocol}, but this program uses protocol 2. Update the "
        "hub: trapdial hub install installs firmware 2.1.0.",
    )


def test_firmware_that_is_too_old() -> None:
    exchange = Exchange()
    exchange.hub.firmware = (0, 9, 12)
    assert refused(exchange) == (
        LinkState.INCOMPATIBLE,
        "hub north (/dev/ttyACM0) has firmware 0.9.12, but this program needs 2.0.0 or later. Update the hub: trapdial "
        "hub install installs firmware 2.1.0.",
    )


def test_a_hub_that_refuses_to_stream() -> None:
    exchange = Exchange(HubRequirements("north", dials=2, period_ms=1))
    exchange.hub.refuses[wire.STREAM] = wire.OUT_OF_RANGE
    assert refused(exchange) == (
        LinkState.INCOMPATIBLE,
        "hub north (/dev/ttyACM0) refuses to report every 1 ms (status 4). Install this program's firmware with "
        "trapdial hub install.",
    )


# ------------------------------------------------------------------------------------------------------- silence


def test_half_a_second_without_samples_is_stale_at_once() -> None:
    exchange = Exchange()
    exchange.run(101)
    last_ns = exchange.now_ns - 1 * MS
    exchange.plugged = False
    exchange.run(600)
    running, stale = exchange.notices
    assert running.state is LinkState.RUNNING
    assert stale.state is LinkState.STALE
    assert 480 * MS <= stale.at_ns - last_ns <= 501 * MS
    assert stale.words == (
        "hub north (/dev/ttyACM0) has sent no samples for 500 ms. The program retries; if this persists, unplug it and "
        "plug it in again."
    )


def test_the_console_before_the_silence_is_shown() -> None:
    exchange = Exchange()
    exchange.run(12_000)
    exchange.session.feed(b"MPY: soft reboot\r\n", exchange.now_ns)
    exchange.run(11_000)
    exchange.session.feed(b"MemoryError: memory allocation failed\r\n", exchange.now_ns)
    exchange.plugged = False
    exchange.run(600)
    assert exchange.notices[-1].words.endswith('again. Its console shows: "MemoryError: memory allocation failed".')


def test_it_is_greeted_on_the_open_port_and_comes_back() -> None:
    exchange = Exchange()
    gone_silent(exchange)
    assert exchange.states == [LinkState.RUNNING, LinkState.STALE]
    exchange.plugged = True
    assert not exchange.session.reopen
    exchange.run(400)
    assert exchange.states == [LinkState.RUNNING, LinkState.STALE, LinkState.RUNNING]
    assert kinds(exchange).count(wire.HELLO) == 2


def test_after_two_unanswered_greetings_the_port_is_reopened() -> None:
    exchange = Exchange()
    gone_silent(exchange)
    exchange.run(590)
    assert not exchange.session.reopen
    exchange.run(20)
    assert exchange.session.reopen
    exchange.session.opened(PLACE, exchange.now_ns)
    assert exchange.session.state is LinkState.STALE
    exchange.run(1_700)
    assert not exchange.session.reopen
    exchange.run(500)
    assert exchange.session.reopen
    assert exchange.states == [LinkState.RUNNING, LinkState.STALE]


def test_a_hub_that_greets_and_never_samples_is_stale_once() -> None:
    exchange = Exchange()
    exchange.hub.ignores.add(wire.STREAM)
    exchange.run(5_000)
    assert exchange.states == [LinkState.STALE]
    exchange.hub.ignores.clear()
    exchange.run(1_000)
    assert exchange.states == [LinkState.STALE, LinkState.RUNNING]


def test_samples_outweigh_missing_pongs() -> None:
    exchange = Exchange()
    exchange.hub.ignores.add(wire.PING)
    exchange.run(2_950)
    assert exchange.states == [LinkState.RUNNING]
    assert kinds(exchange).count(wire.PING) == 9


def test_without_samples_three_missing_pongs_are_silence() -> None:
    exchange = Exchange(HubRequirements("north", dials=2, period_ms=0))
    exchange.run(50)
    exchange.plugged = False
    exchange.run(1_840)
    assert exchange.states == [LinkState.RUNNING]
    exchange.run(20)
    assert exchange.states == [LinkState.RUNNING, LinkState.STALE]


def test_a_lost_ack_costs_nothing() -> None:
    exchange = Exchange(lose=lambda line: line.startswith(b":82"))
    exchange.run(3_000)
    assert exchange.states == [LinkState.RUNNING]
    assert kinds(exchange).count(wire.STREAM) == 1


def test_a_restarted_hub_is_greeted_again() -> None:
    exchange = Exchange()
    exchange.run(100)
    exchange.hub.restart(0x1234)
    exchange.run(1_000)
    assert exchange.states == [LinkState.RUNNING, LinkState.STALE, LinkState.RUNNING]
    assert exchange.session.hub is not None
    assert exchange.session.hub.boot == 0x1234


def test_a_hub_without_a_session_is_greeted_at_once() -> None:
    exchange = Exchange()
    exchange.run(900)
    exchange.hub.restart(0x1234)
    exchange.run(150)
    assert kinds(exchange) == [wire.PING, wire.HELLO, wire.STREAM, wire.PING]
    assert exchange.states == [LinkState.RUNNING]


def test_a_late_welcome_of_another_boot_starts_over() -> None:
    exchange = Exchange()
    exchange.plugged = False
    exchange.run(350)
    exchange.plugged = True
    first, second = (wire.line(wire.HELLO, 0, struct.pack(wire.HELLO_BODY, 1, 1, 0xC0FFEE01 + n)) for n in (0, 1))
    exchange.events += exchange.session.feed(exchange.hub.feed(first, 0), exchange.now_ns)
    exchange.hub.restart(0x1234)
    exchange.events += exchange.session.feed(exchange.hub.feed(second, 0), exchange.now_ns)
    exchange.run(100)
    assert exchange.session.hub is not None
    assert exchange.session.hub.boot == 0x1234
    assert exchange.states == [LinkState.RUNNING]


def test_lost_messages_are_counted() -> None:
    exchange = Exchange()
    exchange.run(100)
    exchange.lose = lambda line: line.startswith(b":84")
    exchange.run(60)
    exchange.lose = lambda line: False
    exchange.run(60)
    assert exchange.session.counts.lost == 3


# -------------------------------------------------------------------------------------------------------- queries


def test_queries() -> None:
    exchange = Exchange(HubRequirements("north", dials=2, period_ms=0))
    exchange.run(50)
    assert exchange.states == [LinkState.RUNNING]
    exchange.session.ask(wire.DIAG, b"\1")
    exchange.run(5)
    (answer,) = (event for event in exchange.events if isinstance(event, HubReply))
    assert answer.kind == wire.DIAGNOSIS
    assert answer.body is not None
    assert struct.unpack(wire.DIAGNOSIS_BODY, answer.body)[0] == 1
    exchange.session.ask(wire.MAINT, struct.pack(wire.MAINT_BODY, wire.MAINT_KEY, wire.RESET))
    exchange.run(5)
    assert exchange.events[-1] == HubReply(wire.ACK, bytes((wire.MAINT, 3, wire.OK)))
    exchange.run(10_000)
    assert exchange.states == [LinkState.RUNNING]


def test_an_unanswered_query_does_not_end_the_session() -> None:
    exchange = Exchange()
    exchange.hub.ignores.add(wire.DIAG)
    exchange.run(50)
    exchange.session.ask(wire.DIAG, b"\1")
    exchange.run(890)
    assert HubReply(wire.DIAG, None) not in exchange.events
    exchange.run(20)
    assert HubReply(wire.DIAG, None) in exchange.events
    assert kinds(exchange).count(wire.DIAG) == 3
    assert exchange.states == [LinkState.RUNNING]


def test_a_query_ends_with_its_cable() -> None:
    exchange = Exchange()
    exchange.run(50)
    exchange.plugged = False
    exchange.session.ask(wire.DIAG, b"\1")
    events = exchange.session.no_port(LinkState.NO_PORT, "it is gone", exchange.now_ns)
    assert events == [
        HubReply(wire.DIAG, None),
        LinkNotice(LinkState.NO_PORT, exchange.now_ns, "it is gone", exchange.session.hub),
    ]
    assert exchange.session.no_port(LinkState.NO_PORT, "it is gone", exchange.now_ns) == []
    assert not exchange.session.greeted


def test_goodbye() -> None:
    exchange = Exchange()
    assert exchange.session.bye() == b""
    exchange.run(50)
    message = wire.message(exchange.session.bye().strip(b":\n"))
    assert message is not None
    assert message[0] == wire.BYE


# ------------------------------------------------------------------------------------------------------- secrets


def test_no_message_contains_an_angle() -> None:
    angle = 2989
    exchange = Exchange(hub=ScriptedHub(still(angle, angle), dials=2))
    exchange.run(100)
    half = line_of_a_report(exchange)
    for piece in (half, half[:-7], half[20:], b"x" + half[8:], b":" + half, b">>> :" + half[:-2]):
        exchange.session.feed(piece + b"\n", exchange.now_ns)
    exchange.plugged = False
    exchange.run(5_000)
    text = " ".join(notice.words for notice in exchange.notices).lower()
    assert LinkState.STALE in exchange.states
    assert f"{angle:x}" not in text
    assert str(angle) not in text


def test_reports_are_values_that_equal_nothing_else() -> None:
    exchange = Exchange()
    exchange.run(200)
    assert len({report.samples[0].at_ns for report in exchange.reports}) == len(exchange.reports)
    assert all(isinstance(report, HubReport) for report in exchange.reports)
