"""The talk with a hub: every state of the Pi's side, in simulated time."""

from __future__ import annotations

import struct

import pytest

from firmware_host.hub import wire
from firmware_host.link_events import HubReport, LinkNews, LinkState, Welcome
from firmware_host.requirements import Wanted
from firmware_host.session import Answer, Session
from firmware_host.sims.scripted_hub import ScriptedHub
from tests.firmware_host.exchange import MS, PLACE, Talk, still

UID = "e6616408432b5c21"


def kinds(talk: Talk) -> list[int]:
    return [kind for kind, _ in talk.hub.asked]


def gone_silent(talk: Talk) -> None:
    talk.run(100)
    talk.plugged = False
    talk.run(501)


def test_the_first_words_are_those_of_the_page() -> None:
    session = Session(Wanted("north"), lambda: 0xC0FFEE01)
    session.opened(PLACE, 0)
    assert session.poll(0) == b":01000202c0ffee01e1af1983\n"
    assert session.poll(0) == b""
    assert session.due_ns() == 300 * MS


def test_greeted_streaming_running() -> None:
    talk = Talk(Wanted("north", uid=UID.upper(), dials=2, period_ms=10, gap_ms=40))
    talk.run(100)
    hub = Welcome(UID, 2, True, 2, wire.FIRMWARE, 1, 0xA1B2C3D4)
    (news,) = talk.news
    assert (news.state, news.words, news.hub) == (LinkState.RUNNING, "", hub)
    assert list(talk.hub.asked)[:3] == [
        (wire.HELLO, bytes.fromhex("0202c0ffee01")),
        (wire.STREAM, bytes.fromhex("000a0028")),
        (wire.PING, bytes.fromhex("c0ffee03")),
    ]
    assert 8 <= len(talk.reports) <= 10
    assert all(len(report.samples) == 2 and report.unknown == frozenset() for report in talk.reports)
    assert [(sample.dial, sample.look) for sample in talk.reports[0].samples] == [(0, 100), (1, 200)]
    assert talk.session.state is LinkState.RUNNING


def test_it_pings_every_second() -> None:
    talk = Talk()
    talk.run(3_500)
    assert kinds(talk).count(wire.PING) == 4


# ---------------------------------------------------------------------------------------------- whom to believe


def test_what_an_earlier_talk_left_in_the_port_is_not_believed() -> None:
    before = Talk()
    before.run(95)
    old = before.hub.say(wire.REPORT, wire.message(line_of_a_report(before))[2])  # type: ignore[index]
    session = Session(Wanted("north", dials=2), lambda: 7)
    session.opened(PLACE, 0)
    session.poll(0)
    stranger = wire.line(wire.WELCOME, 0, struct.pack(">IBBBB8s4BII", 8, 1, 0, 2, 1, bytes(8), 1, 0, 0, 0, 1, 0))
    assert session.feed(old + stranger + old + wire.line(wire.PONG, 1, bytes(8)), MS) == []
    assert session.state is LinkState.GREETING
    assert session.counts.strange == 4


def line_of_a_report(talk: Talk) -> bytes:
    found: list[bytes] = []

    def keep(line: bytes) -> bool:
        found.append(line)
        return False

    talk.lose = keep
    talk.run(30)
    return next(line for line in found if line.startswith(b":84")).strip(b":\n")


def test_a_welcome_to_an_earlier_greeting_of_ours_will_do() -> None:
    session = Session(Wanted("north", period_ms=0), iter(range(100)).__next__)
    session.opened(PLACE, 0)
    session.poll(0)
    session.poll(300 * MS)
    hub = ScriptedHub(still(0), dials=1)
    hello = wire.line(wire.HELLO, 0, struct.pack(wire.HELLO_BODY, 1, 1, 0))
    assert session.feed(hub.feed(hello, 0), 310 * MS) == [LinkNews(LinkState.RUNNING, 310 * MS, "", session.hub)]


def hello(nonce: int) -> bytes:
    return wire.line(wire.HELLO, 0, struct.pack(wire.HELLO_BODY, 1, 1, nonce))


def test_a_second_welcome_changes_nothing() -> None:
    talk = Talk()
    talk.plugged = False
    talk.run(350)
    talk.plugged = True
    first, second = (talk.hub.feed(hello(nonce), talk.now_ns // 1000) for nonce in (0xC0FFEE01, 0xC0FFEE02))
    talk.events += talk.session.feed(first, talk.now_ns)
    talk.run(3)
    talk.events += talk.session.feed(second, talk.now_ns)
    talk.run(200)
    assert talk.states == [LinkState.RUNNING]
    assert kinds(talk).count(wire.STREAM) == 1


def test_a_second_welcome_of_a_board_that_will_not_do_is_not_told_again() -> None:
    talk = Talk(Wanted("north", dials=9))
    talk.plugged = False
    talk.run(350)
    for nonce in (0xC0FFEE01, 0xC0FFEE02):
        talk.events += talk.session.feed(talk.hub.feed(hello(nonce), talk.now_ns // 1000), talk.now_ns)
    assert talk.states == [LinkState.WRONG_BOARD]


def test_a_pong_to_one_of_two_pings_says_nothing_of_time() -> None:
    talk = Talk()
    talk.hub.deaf.add(wire.PING)
    talk.run(100)
    talk.hub.deaf.clear()
    talk.run(300)
    assert kinds(talk).count(wire.PING) == 2
    assert len(talk.session._time._answers) == 1  # the welcome


def test_a_report_with_another_number_of_dials_is_none() -> None:
    talk = Talk()
    talk.run(100)
    body = struct.pack(">IBB B HH H", 0, 1, 1, 0, 0, 100, 77)
    assert talk.session.feed(talk.hub.say(wire.REPORT, body), talk.now_ns) == []
    assert talk.session.counts.strange == 1


def test_a_report_of_earlier_than_the_last_is_none() -> None:
    talk = Talk()
    talk.run(100)
    again = wire.message(line_of_a_report(talk))
    assert again is not None
    talk.lose = lambda line: False
    talk.run(100)
    assert talk.session.feed(talk.hub.say(wire.REPORT, again[2]), talk.now_ns) == []


def test_messages_that_are_too_short_or_unknown_are_counted_and_no_more() -> None:
    talk = Talk()
    talk.run(100)
    for kind in range(256):
        for body in (b"", b"\0", bytes(5)):
            assert talk.session.feed(talk.hub.say(kind, body), talk.now_ns) == []
    assert talk.session.state is LinkState.RUNNING
    talk.run(2_000)
    assert talk.states == [LinkState.RUNNING]


def test_longer_messages_of_a_later_protocol_are_read_as_far_as_they_are_known() -> None:
    talk = Talk()
    say = talk.hub.say
    talk.hub.say = lambda kind, body: say(kind, body + b"later")  # type: ignore[method-assign]
    talk.run(1_500)
    assert talk.states == [LinkState.RUNNING]
    assert talk.session.counts.strange == 0
    talk.session.ask(wire.STATS, b"")
    talk.run(10)
    assert isinstance(talk.events[-1], Answer)


# --------------------------------------------------------------------------------------------------- who will not do


def test_not_a_hub_shows_what_its_console_says() -> None:
    talk = Talk()
    talk.plugged = False
    talk.session.feed(b"Traceback (most recent call last):\r\n", talk.now_ns)
    talk.session.feed(b"ImportError: no module named \x1b'hub'\r\n>>> :8402000004e600080000\r\n", talk.now_ns)
    talk.run(2_999)
    assert talk.news == []
    talk.run(10)
    (news,) = talk.news
    assert news.state is LinkState.NOT_A_HUB
    assert news.words == (
        "hub north (/dev/ttyACM0) does not answer as a hub: 10 greetings, no answer. Put the firmware on it with "
        'trapdial hub install. Its console says: "Traceback (most recent call last): / ImportError: no module named '
        "'hub' / >>> ...\"."
    )
    assert talk.session.poll(talk.now_ns) == b""


def test_not_a_hub_that_says_nothing() -> None:
    talk = Talk()
    talk.plugged = False
    talk.run(3_010)
    assert talk.news[0].words == (
        "hub north (/dev/ttyACM0) does not answer as a hub: 10 greetings, no answer. Put the firmware on it with "
        "trapdial hub install."
    )


def refused(talk: Talk) -> tuple[LinkState, str]:
    talk.run(100)
    (news,) = talk.news
    talk.run(5_000)
    assert len(talk.news) == 1
    assert talk.reports == []
    return news.state, news.words


def test_another_board() -> None:
    assert refused(Talk(Wanted("north", uid="e661640843000000", dials=2))) == (
        LinkState.WRONG_BOARD,
        "hub north (/dev/ttyACM0) is the board e6616408432b5c21, and the settings name e661640843000000. Plug in the "
        'board that the settings name, or write id = "e6616408432b5c21" in [hub.north].',
    )


def test_too_few_dials() -> None:
    assert refused(Talk(Wanted("north", dials=3))) == (
        LinkState.WRONG_BOARD,
        "hub north (/dev/ttyACM0) has 2 dials, and the settings use 3. Change the channels of [hub.north]'s squares, "
        "or board.py on the hub.",
    )


@pytest.mark.parametrize(("protocol", "result"), [(3, 1), (3, 0), (2, 1)])
def test_a_hub_that_is_newer_than_this_program(protocol: int, result: int) -> None:
    talk = Talk()
    talk.hub.protocol, talk.hub.result = protocol, result
    assert refused(talk) == (
        LinkState.INCOMPATIBLE,
        f"hub north (/dev/ttyACM0) has firmware of protocol {protocol}, and this program speaks 2. Update this "
        "program, or put its firmware on the hub with trapdial hub install.",
    )


@pytest.mark.parametrize(("protocol", "result"), [(1, 1), (1, 0), (0, 0)])
def test_a_hub_with_the_firmware_of_an_older_protocol(protocol: int, result: int) -> None:
    """Firmware 1.0.0 has protocol 1: it answers HELLO with result 1."""
    talk = Talk()
    talk.hub.protocol, talk.hub.result = protocol, result
    assert refused(talk) == (
        LinkState.INCOMPATIBLE,
        f"hub north (/dev/ttyACM0) has firmware of protocol {protocol}, and this program speaks 2. Update the hub: "
        "trapdial hub install puts firmware 2.0.0 on it.",
    )


def test_firmware_that_is_too_old() -> None:
    talk = Talk()
    talk.hub.firmware = (0, 9, 12)
    assert refused(talk) == (
        LinkState.INCOMPATIBLE,
        "hub north (/dev/ttyACM0) has firmware 0.9.12, and 2.0.0 is the oldest that can be used. Bring it up to "
        "date: trapdial hub install puts 2.0.0 on it.",
    )


def test_a_hub_that_refuses_to_stream() -> None:
    talk = Talk(Wanted("north", dials=2, period_ms=1))
    talk.hub.refuses[wire.STREAM] = wire.OUT_OF_RANGE
    assert refused(talk) == (
        LinkState.INCOMPATIBLE,
        "hub north (/dev/ttyACM0) refuses to report every 1 ms (status 4). Put this program's firmware on it with "
        "trapdial hub install.",
    )


# ------------------------------------------------------------------------------------------------------- silence


def test_half_a_second_without_looks_is_stale_at_once() -> None:
    talk = Talk()
    talk.run(101)
    last_ns = talk.now_ns - 1 * MS
    talk.plugged = False
    talk.run(600)
    running, stale = talk.news
    assert running.state is LinkState.RUNNING
    assert stale.state is LinkState.STALE
    assert 480 * MS <= stale.at_ns - last_ns <= 501 * MS
    assert stale.words == (
        "hub north (/dev/ttyACM0) has sent no samples for 500 ms. It is asked again by itself; if this stays, pull its "
        "plug and put it in again."
    )


def test_what_it_said_before_it_fell_silent_is_told() -> None:
    talk = Talk()
    talk.run(12_000)
    talk.session.feed(b"MPY: soft reboot\r\n", talk.now_ns)
    talk.run(11_000)
    talk.session.feed(b"MemoryError: memory allocation failed\r\n", talk.now_ns)
    talk.plugged = False
    talk.run(600)
    assert talk.news[-1].words.endswith('again. Its console says: "MemoryError: memory allocation failed".')


def test_it_is_greeted_on_the_open_port_and_comes_back() -> None:
    talk = Talk()
    gone_silent(talk)
    assert talk.states == [LinkState.RUNNING, LinkState.STALE]
    talk.plugged = True
    assert not talk.session.reopen
    talk.run(400)
    assert talk.states == [LinkState.RUNNING, LinkState.STALE, LinkState.RUNNING]
    assert kinds(talk).count(wire.HELLO) == 2


def test_two_greetings_in_vain_and_the_port_is_opened_anew() -> None:
    talk = Talk()
    gone_silent(talk)
    talk.run(590)
    assert not talk.session.reopen
    talk.run(20)
    assert talk.session.reopen
    talk.session.opened(PLACE, talk.now_ns)
    assert talk.session.state is LinkState.STALE
    talk.run(1_700)
    assert not talk.session.reopen
    talk.run(500)
    assert talk.session.reopen
    assert talk.states == [LinkState.RUNNING, LinkState.STALE]


def test_a_hub_that_greets_and_never_looks_is_stale_once() -> None:
    talk = Talk()
    talk.hub.deaf.add(wire.STREAM)
    talk.run(5_000)
    assert talk.states == [LinkState.STALE]
    talk.hub.deaf.clear()
    talk.run(1_000)
    assert talk.states == [LinkState.STALE, LinkState.RUNNING]


def test_looks_that_come_outweigh_pongs_that_do_not() -> None:
    talk = Talk()
    talk.hub.deaf.add(wire.PING)
    talk.run(2_950)
    assert talk.states == [LinkState.RUNNING]
    assert kinds(talk).count(wire.PING) == 9


def test_without_looks_three_pongs_that_do_not_come_are_silence() -> None:
    talk = Talk(Wanted("north", dials=2, period_ms=0))
    talk.run(50)
    talk.plugged = False
    talk.run(1_840)
    assert talk.states == [LinkState.RUNNING]
    talk.run(20)
    assert talk.states == [LinkState.RUNNING, LinkState.STALE]


def test_an_ack_that_is_lost_costs_nothing() -> None:
    talk = Talk(lose=lambda line: line.startswith(b":82"))
    talk.run(3_000)
    assert talk.states == [LinkState.RUNNING]
    assert kinds(talk).count(wire.STREAM) == 1


def test_a_hub_that_started_anew_is_greeted_anew() -> None:
    talk = Talk()
    talk.run(100)
    talk.hub.restart(0x1234)
    talk.run(1_000)
    assert talk.states == [LinkState.RUNNING, LinkState.STALE, LinkState.RUNNING]
    assert talk.session.hub is not None
    assert talk.session.hub.boot == 0x1234


def test_a_hub_without_a_session_is_greeted_at_once() -> None:
    talk = Talk()
    talk.run(900)
    talk.hub.restart(0x1234)
    talk.run(150)
    assert kinds(talk) == [wire.PING, wire.HELLO, wire.STREAM, wire.PING]
    assert talk.states == [LinkState.RUNNING]


def test_a_late_welcome_of_another_boot_begins_anew() -> None:
    talk = Talk()
    talk.plugged = False
    talk.run(350)
    talk.plugged = True
    first, second = (wire.line(wire.HELLO, 0, struct.pack(wire.HELLO_BODY, 1, 1, 0xC0FFEE01 + n)) for n in (0, 1))
    talk.events += talk.session.feed(talk.hub.feed(first, 0), talk.now_ns)
    talk.hub.restart(0x1234)
    talk.events += talk.session.feed(talk.hub.feed(second, 0), talk.now_ns)
    talk.run(100)
    assert talk.session.hub is not None
    assert talk.session.hub.boot == 0x1234
    assert talk.states == [LinkState.RUNNING]


def test_lost_messages_are_counted() -> None:
    talk = Talk()
    talk.run(100)
    talk.lose = lambda line: line.startswith(b":84")
    talk.run(60)
    talk.lose = lambda line: False
    talk.run(60)
    assert talk.session.counts.lost == 3


# -------------------------------------------------------------------------------------------------------- asking


def test_asking() -> None:
    talk = Talk(Wanted("north", dials=2, period_ms=0))
    talk.run(50)
    assert talk.states == [LinkState.RUNNING]
    talk.session.ask(wire.DIAG, b"\1")
    talk.run(5)
    (answer,) = (event for event in talk.events if isinstance(event, Answer))
    assert answer.kind == wire.DIAGNOSIS
    assert answer.body is not None
    assert struct.unpack(wire.DIAGNOSIS_BODY, answer.body)[0] == 1
    talk.session.ask(wire.MAINT, struct.pack(wire.MAINT_BODY, wire.MAINT_KEY, wire.RESET))
    talk.run(5)
    assert talk.events[-1] == Answer(wire.ACK, bytes((wire.MAINT, 3, wire.OK)))
    talk.run(10_000)
    assert talk.states == [LinkState.RUNNING]


def test_asking_in_vain_does_not_end_the_talk() -> None:
    talk = Talk()
    talk.hub.deaf.add(wire.DIAG)
    talk.run(50)
    talk.session.ask(wire.DIAG, b"\1")
    talk.run(890)
    assert Answer(wire.DIAG, None) not in talk.events
    talk.run(20)
    assert Answer(wire.DIAG, None) in talk.events
    assert kinds(talk).count(wire.DIAG) == 3
    assert talk.states == [LinkState.RUNNING]


def test_a_question_ends_with_its_cable() -> None:
    talk = Talk()
    talk.run(50)
    talk.plugged = False
    talk.session.ask(wire.DIAG, b"\1")
    events = talk.session.no_port(LinkState.NO_PORT, "it is gone", talk.now_ns)
    assert events == [
        Answer(wire.DIAG, None),
        LinkNews(LinkState.NO_PORT, talk.now_ns, "it is gone", talk.session.hub),
    ]
    assert talk.session.no_port(LinkState.NO_PORT, "it is gone", talk.now_ns) == []
    assert not talk.session.greeted


def test_goodbye() -> None:
    talk = Talk()
    assert talk.session.bye() == b""
    talk.run(50)
    told = wire.message(talk.session.bye().strip(b":\n"))
    assert told is not None
    assert told[0] == wire.BYE


# ------------------------------------------------------------------------------------------------------- secrets


def test_no_message_holds_an_angle() -> None:
    angle = 2989
    talk = Talk(hub=ScriptedHub(still(angle, angle), dials=2))
    talk.run(100)
    half = line_of_a_report(talk)
    for piece in (half, half[:-7], half[20:], b"x" + half[8:], b":" + half, b">>> :" + half[:-2]):
        talk.session.feed(piece + b"\n", talk.now_ns)
    talk.plugged = False
    talk.run(5_000)
    told = " ".join(news.words for news in talk.news).lower()
    assert LinkState.STALE in talk.states
    assert f"{angle:x}" not in told
    assert str(angle) not in told


def test_reports_are_values_that_equal_nothing_else() -> None:
    talk = Talk()
    talk.run(200)
    assert len({report.samples[0].at_ns for report in talk.reports}) == len(talk.reports)
    assert all(isinstance(report, HubReport) for report in talk.reports)
