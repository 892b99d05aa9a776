"""What the page process answers, as bytes on a connection."""

from __future__ import annotations

import asyncio
import base64
import gzip
import json
from dataclasses import replace

import pytest

from pi_app.pages.messages import (
    Counts,
    DemoShown,
    Dropped,
    Frames,
    Hand,
    Knock,
    Left,
    NamedGame,
    Posted,
    SentStatus,
    Setup,
    StaffAnswer,
    StaffAsk,
)
from pi_app.pages.page import built, demo, of_game, staff
from pi_app.pages.process.answers import PROBES, SAFE
from pi_app.pages.process.limits import Allowance, Limits
from pi_app.pages.station_status import StationStatus, status_line
from tests.pi_app.pages.served import GREETING, Phone, Served, in_a_server, refuses

BODY = bytes(range(128))
WIDE = Limits(joins=Allowance(100, 1), requests=Allowance(1_000, 1))


def split(answer: bytes) -> tuple[int, dict[str, str], bytes]:
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    return int(first.split()[1]), {k.lower(): v for k, _, v in (line.partition(": ") for line in lines)}, body


async def asked(
    here: Served, method: str, path: str, body: bytes = b"", **named: str
) -> tuple[int, dict[str, str], bytes]:
    phone = await here.open()
    phone.request(method, path, body, connection="close", **named)
    return split(await phone.rest())


def test_the_page_comes_packed_or_plain_with_its_policy() -> None:
    async def scenario(here: Served) -> None:
        status, head, body = await asked(here, "GET", "/", accept_encoding="gzip, deflate")
        page = of_game(built(), bytes(16))
        assert (status, body) == (200, page.gzipped)
        assert gzip.decompress(body) == page.html
        assert head["content-type"] == "text/html; charset=utf-8"
        assert head["content-security-policy"].endswith("frame-ancestors 'none'")
        assert head["content-security-policy"].startswith(built().csp.split(";")[0])
        assert {name: head[name.lower()] for name in SAFE} == dict(SAFE)
        assert not {"set-cookie", "server", "date"} & set(head)
        assert (await asked(here, "GET", "/"))[2] == page.html
        status, head, body = await asked(here, "HEAD", "/")
        assert (status, body) == (200, b"")

    in_a_server(scenario)


@pytest.mark.slow
def test_pages_that_are_asked_for_are_counted() -> None:
    async def scenario(here: Served) -> None:
        for _ in range(3):
            assert (await asked(here, "GET", "/"))[0] == 200
        await here.until(lambda: here.got[-1] == Counts(3, 0, 0, 0))

    in_a_server(scenario)


def test_a_demo_has_its_page_its_table_and_its_hands() -> None:
    async def scenario(here: Served) -> None:
        assert (await asked(here, "GET", "/demo"))[2] == demo().html
        assert (await asked(here, "GET", "/"))[1]["content-security-policy"].endswith("frame-ancestors 'self'")
        here.send(DemoShown('{"squares":[]}'))
        await here.until(lambda: here.table.shown != "{}")
        assert (await asked(here, "GET", "/demo/table"))[2] == b'{"squares":[]}'
        turn = b'{"square":"T01","clicks":-3}'
        assert (await asked(here, "POST", "/demo/hand", turn, content_type="application/json"))[0] == 204
        await here.until(lambda: here.of(Hand) == [Hand("T01", -3)])
        for bad in (b"{}", b'{"square":"T01","clicks":99}', b"[" * 150, b'{"square":1,"clicks":1}', b"\xff\xfe"):
            assert (await asked(here, "POST", "/demo/hand", bad, content_type="application/json"))[0] == 400, bad
        assert (await asked(here, "POST", "/demo/hand", turn, content_type="text/plain"))[0] == 400
        assert (await asked(here, "POST", "/demo/hand", bytes(300), content_type="application/json"))[0] == 413
        assert len(here.of(Hand)) == 1

    in_a_server(scenario, demo=True)


def test_what_is_of_the_demo_alone_is_not_there_at_a_table() -> None:
    async def scenario(here: Served) -> None:
        assert (await asked(here, "GET", "/demo"))[0] == 404
        assert (await asked(here, "GET", "/demo/table"))[0] == 404
        assert (await asked(here, "POST", "/demo/hand", b'{"square":"T01","clicks":1}'))[0] == 404

    in_a_server(scenario)


def test_a_stream_is_the_greeting_and_then_each_frame_as_one_event() -> None:
    async def scenario(here: Served) -> None:
        phone = await here.open()
        phone.request("POST", "/join", BODY)
        status, head, _ = split(await phone.head())
        assert (status, head["transfer-encoding"]) == (200, "chunked")
        assert head["content-type"].startswith("text/event-stream")
        assert "content-encoding" not in head
        assert await phone.event() == b"data: " + base64.b64encode(GREETING) + b"\n\n"
        assert here.of(Knock) == [Knock(1, "join", BODY)]
        for frame in (b"a" * 4096, b"b" * 4096):
            here.send(Frames(((1, frame), (99, frame))))
            assert await phone.event() == b"data: " + base64.b64encode(frame) + b"\n\n"
        here.send(Frames(((1, b"last"),)), Dropped(1, "over"))
        assert await phone.event() == b"data: bGFzdA==\n\n"
        assert await phone.event() == b"event: no\ndata: over\n\n"
        assert await phone.event() == b""
        await here.until(lambda: here.of(Left) == [Left(1)])

    in_a_server(scenario)


def test_a_resumed_stream_and_a_refused_one() -> None:
    async def scenario(here: Served) -> None:
        await here.join(path="/stream")
        assert [each.kind for each in here.of(Knock) if isinstance(each, Knock)] == ["stream"]
        here.answer = refuses("code")
        status, _, body = await asked(here, "POST", "/join", BODY)
        assert (status, body) == (200, b"16\r\nevent: no\ndata: code\n\n\r\n0\r\n\r\n")
        assert here.table.streams == 1

    in_a_server(scenario)


def test_the_page_and_every_stream_name_the_game_that_is_on() -> None:
    async def scenario(here: Served) -> None:
        name = bytes(range(16))
        here.send(NamedGame(name))
        await here.until(lambda: here.table.setup.game == name)
        _, _, page = await asked(here, "GET", "/")
        assert page == of_game(built(), name).html
        assert b'data-game="AAECAwQFBgcICQoLDA0ODw=="' in page
        here.answer = refuses("code")
        _, head, _ = await asked(here, "POST", "/join", BODY)
        assert head["trapdial-game"] == "AAECAwQFBgcICQoLDA0ODw==", "an older page knocks again with this name"

    in_a_server(scenario)


def test_a_stream_that_ended_makes_room_although_its_phone_no_longer_reads() -> None:
    """A phone that went out of reach comes back again and again before the kernel gives up its older connections."""

    async def scenario(here: Served) -> None:
        asleep = await here.open()
        asleep.request("POST", "/stream", BODY)
        await here.until(lambda: here.of(Knock))
        await asleep.head()
        for number in range(2):
            here.send(Frames(((1, bytes([number]) * 1_500_000),)))
        here.send(Dropped(1, "twice"))
        await here.until(lambda: here.of(Left) == [Left(1)])
        await here.join()

    in_a_server(scenario, Limits(connections_a_seat=1, ending_seconds=0.05))


def test_a_table_that_does_not_answer_is_said() -> None:
    async def scenario(here: Served) -> None:
        here.answer = lambda knock: None
        status, _, body = await asked(here, "POST", "/join", BODY)
        assert (status, body) == (
            503,
            b"The table does not answer now. Wait a moment, then load the page again.\n",
        )
        await here.until(lambda: here.of(Left))

    in_a_server(scenario, Limits(answer_seconds=0.05))


def test_a_phone_that_does_not_read_gets_the_newest_frame_and_no_heap_of_old_ones() -> None:
    async def scenario(here: Served) -> None:
        phone, other = await here.join(), await here.join("127.0.0.2")
        phone.writer.transport.pause_reading()  # type: ignore[attr-defined]
        size = 60_000
        for number in range(400):
            here.send(Frames(((1, number.to_bytes(4, "big") + bytes(size)), (2, b"x"))))
            await other.event()
        phone.writer.transport.resume_reading()  # type: ignore[attr-defined]
        seen = list[int]()
        while not seen or seen[-1] != 399:
            data = base64.b64decode((await phone.event())[6:])
            seen.append(int.from_bytes(data[:4], "big"))
        assert seen == sorted(set(seen))
        assert len(seen) < 300

    in_a_server(scenario)


@pytest.mark.slow
def test_a_phone_that_reads_no_more_is_given_up() -> None:
    async def scenario(here: Served) -> None:
        phone = await here.join()
        phone.writer.transport.pause_reading()  # type: ignore[attr-defined]

        def left() -> bool:
            here.send(Frames(((1, bytes(10_000)),)))
            return here.of(Left) == [Left(1)]

        await here.until(left)

    in_a_server(scenario, Limits(unread_seconds=1))


def test_a_phone_that_leaves_is_reported_and_forgotten() -> None:
    async def scenario(here: Served) -> None:
        phone = await here.join()
        assert "127.0.0.1" in here.table.known
        assert "127.0.0.3" not in here.table.known
        phone.close()
        await here.until(lambda: here.of(Left) == [Left(1)])
        assert here.table.streams == 0
        assert "127.0.0.1" in here.table.known, "it may come back"
        here.send(Frames(((1, b"late"),)), Dropped(1, "over"))
        await here.join("127.0.0.3")

    in_a_server(scenario)


def test_a_post_is_answered_at_once_whatever_it_holds() -> None:
    async def scenario(here: Served) -> None:
        phone = await here.open()
        for number in range(3):
            phone.request("POST", "/up", bytes([number]) * 128)
            assert split(await phone.head())[0] == 204
        await here.until(lambda: [each.body[0] for each in here.of(Posted) if isinstance(each, Posted)] == [0, 1, 2])

    in_a_server(scenario)


def test_counts_hold_no_seat_and_no_address() -> None:
    async def scenario(here: Served) -> None:
        await here.join()
        await asked(here, "GET", "/")
        counts = json.loads((await asked(here, "GET", "/status.json"))[2])
        assert counts == {"pages": 1, "joins": 1, "joined": 1, "streams": 1, "refused": 0}

    in_a_server(scenario)


def test_a_stations_status_is_served_in_two_forms() -> None:
    async def scenario(here: Served) -> None:
        assert b"trapdial_open" not in (await asked(here, "GET", "/metrics"))[2]
        here.send(SentStatus(status_line(StationStatus(program="1.0", state="free"))))
        await here.until(lambda: here.table.station is not None)
        status = json.loads((await asked(here, "GET", "/status.json"))[2])
        assert (status["station"]["state"], status["station"]["program"], status["pages"]) == ("free", "1.0", 0)
        code, head, body = await asked(here, "GET", "/metrics")
        assert (code, head["content-type"]) == (200, "text/plain; version=0.0.4; charset=utf-8")
        assert b"trapdial_open 1\n" in body
        assert (await asked(here, "POST", "/metrics"))[0] == 405

    in_a_server(scenario)


def test_a_staff_page_asks_the_table_and_gets_its_answer() -> None:
    async def scenario(here: Served) -> None:
        status, head, body = await asked(here, "GET", "/staff")
        assert (status, body) == (200, staff().html)
        assert "frame-ancestors 'none'" in head["content-security-policy"]

        async def table() -> None:
            await here.until(lambda: here.of(StaffAsk))
            (found,) = here.of(StaffAsk)
            assert isinstance(found, StaffAsk)
            assert found.body == bytes(512)
            here.send(StaffAnswer(found.conn, b"a" * 8_192))

        answering = asyncio.create_task(table())
        status, head, body = await asked(here, "POST", "/staff/ask", bytes(512))
        await answering
        assert (status, body, head["content-type"]) == (200, b"a" * 8_192, "application/octet-stream")
        assert (await asked(here, "POST", "/staff/ask", bytes(511)))[0] == 400
        assert (await asked(here, "POST", "/staff/ask", bytes(513)))[0] == 413

    in_a_server(scenario)


def test_a_table_that_does_not_answer_the_staff_is_said() -> None:
    async def scenario(here: Served) -> None:
        assert (await asked(here, "POST", "/staff/ask", bytes(512)))[0] == 503

    in_a_server(scenario, replace(Limits(), answer_seconds=0.01))


def test_captive_portal_probes_succeed_on_any_host() -> None:
    async def scenario(here: Served) -> None:
        for path, (status, words, _) in PROBES.items():
            seen, head, body = await asked(here, "GET", path, host="connectivitycheck.gstatic.com")
            assert (seen, body.decode(), head["cache-control"]) == (status, words, "no-store"), path

    in_a_server(scenario)


def test_apples_first_page_is_a_probe_on_apples_host_alone() -> None:
    async def scenario(here: Served) -> None:
        assert b"<TITLE>Success</TITLE>" in (await asked(here, "GET", "/", host="captive.apple.com"))[2]
        assert (await asked(here, "GET", "/", host="apple.com"))[0] == 421

    in_a_server(scenario)


# ------------------------------------------------------------------------------------------------ refusals

LINE = "This is not a request that this page sends. Load the page again.\n"
REFUSED = {
    "another host": (b"GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n", 421,
                     "This table's page has another address. Open http://10.77.0.1/ or scan the code of your seat.\n"),
    "no host": (b"GET / HTTP/1.1\r\n\r\n", 400, LINE),
    "two hosts": (b"GET / HTTP/1.1\r\nHost: HOST\r\nHost: evil.example\r\n\r\n", 400, LINE),
    "HTTP/1.0 without a host": (b"GET / HTTP/1.0\r\n\r\n", 421, None),
    "another path": (b"GET /admin HTTP/1.1\r\nHost: HOST\r\n\r\n", 404,
                     "There is no page here. Scan the code of your seat.\n"),
    "a path with dots": (b"GET /../../etc/passwd HTTP/1.1\r\nHost: HOST\r\n\r\n", 404, None),
    "a slash at the end": (b"POST /join/ HTTP/1.1\r\nHost: HOST\r\nContent-Length: 0\r\n\r\n", 404, None),
    "another method": (b"DELETE / HTTP/1.1\r\nHost: HOST\r\n\r\n", 405,
                       "This address takes no such request. Scan the code of your seat.\n"),
    "a stream by GET": (b"GET /stream HTTP/1.1\r\nHost: HOST\r\n\r\n", 405, None),
    "a page with a body": (b"GET / HTTP/1.1\r\nHost: HOST\r\nContent-Length: 5\r\n\r\nhello", 400, LINE),
    "no length": (b"POST /up HTTP/1.1\r\nHost: HOST\r\n\r\n", 400, LINE),
    "chunks": (b"POST /up HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n80\r\n", 400, LINE),
    "a length and chunks": (b"POST /up HTTP/1.1\r\nHost: HOST\r\nContent-Length: 128\r\nTransfer-Encoding: chunked"
                            b"\r\n\r\n0\r\n\r\nGET /status.json HTTP/1.1\r\nHost: HOST\r\n\r\n", 400, LINE),
    "two lengths": (b"POST /up HTTP/1.1\r\nHost: HOST\r\nContent-Length: 128\r\nContent-Length: 5\r\n\r\n", 400, LINE),
    "a short body": (b"POST /up HTTP/1.1\r\nHost: HOST\r\nContent-Length: 127\r\n\r\n" + bytes(127), 400, LINE),
    "a long body": (b"POST /join HTTP/1.1\r\nHost: HOST\r\nContent-Length: 129\r\n\r\n", 413,
                    "This request is too long. Load the page again.\n"),
    "a huge length": (b"POST /up HTTP/1.1\r\nHost: HOST\r\nContent-Length: 9999999999999999999\r\n\r\n", 413, None),
    "a length that is none": (b"POST /up HTTP/1.1\r\nHost: HOST\r\nContent-Length: -1\r\n\r\n", 400, LINE),
    "long headers": (b"GET / HTTP/1.1\r\nHost: HOST\r\nX: " + b"a" * 20_000 + b"\r\n\r\n", 431,
                     "The headers of this request are too long. Load the page again.\n"),
    "headers without an end": (b"GET / HTTP/1.1\r\nHost: HOST\r\nX: " + b"a" * 20_000, 400, LINE),
    "no HTTP": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400, LINE),
    "a proxy's request": (b"GET http://evil.example/ HTTP/1.1\r\nHost: HOST\r\n\r\n", 404, None),
    "a tunnel": (b"CONNECT evil.example:443 HTTP/1.1\r\nHost: HOST\r\n\r\n", 404, None),
}  # fmt: skip


def test_what_is_refused_gets_one_line_and_a_closed_connection() -> None:
    async def scenario(here: Served) -> None:
        for case, (data, wanted, words) in REFUSED.items():
            answer = await here.ask(data.replace(b"HOST", b"localhost:%d" % here.port))
            status, head, body = split(answer)
            assert (status, body.decode().count("\n"), answer.count(b"HTTP/1.1")) == (wanted, 1, 1), case
            assert words in (None, body.decode()), case
            assert (head["connection"], head["cache-control"]) == ("close", "no-store"), case
            assert head["content-security-policy"].startswith("default-src 'none'"), case
        assert not here.of(Posted)
        assert not here.of(Knock)

    in_a_server(scenario)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sent", "words"),
    [
        (b"", b"This request took too long. Load the page again.\n"),
        (b"GET / HTTP/1.1\r\nHost: loc", b"This request took too long. Load the page again.\n"),
        (
            b"POST /up HTTP/1.1\r\nHost: HOST\r\nContent-Length: 128\r\n\r\nslow",
            b"took too long. Load the page again.\n",
        ),
    ],
)
def test_a_slow_request_is_ended(sent: bytes, words: bytes) -> None:
    async def scenario(here: Served) -> None:
        answer = await here.ask(sent.replace(b"HOST", b"localhost:%d" % here.port))
        assert answer.startswith(b"HTTP/1.1 408 Request Timeout\r\n")
        assert answer.endswith(words)
        assert len(here.table.doors) == 0

    in_a_server(scenario, Limits(request_seconds=0.05))


def test_a_slow_second_request_on_a_kept_connection_is_ended() -> None:
    async def scenario(here: Served) -> None:
        phone = await here.open()
        phone.request("POST", "/up", BODY)
        assert split(await phone.head())[0] == 204
        phone.send(b"GET / HT")
        assert (await phone.rest()).startswith(b"HTTP/1.1 408 ")

    in_a_server(scenario, Limits(request_seconds=0.1))


def test_a_stream_is_not_ended_as_a_slow_request() -> None:
    async def scenario(here: Served) -> None:
        phone = await here.join()
        slow = await here.open("127.0.0.2")
        assert (await slow.rest()).startswith(b"HTTP/1.1 408 ")
        here.send(Frames(((1, b"frame"),)))
        assert await phone.event() == b"data: ZnJhbWU=\n\n"

    in_a_server(scenario, Limits(request_seconds=0.1))


def test_rubbish_after_a_streams_request_harms_that_stream_alone() -> None:
    async def scenario(here: Served) -> None:
        bad, good = await here.join(), await here.join("127.0.0.2")
        bad.send(b"\x00\x01 rubbish \r\n\r\n" * 100)
        here.send(Frames(((1, b"frame"), (2, b"frame"))))
        assert await good.event() == b"data: ZnJhbWU=\n\n"
        assert await bad.event() == b"data: ZnJhbWU=\n\n"

    in_a_server(scenario)


# --------------------------------------------------------------------------------------------------- rates

MANY = b"Too many requests from here. Wait a minute, then load the page again.\n"


def test_an_address_that_joins_too_often_is_told_to_wait() -> None:
    async def scenario(here: Served) -> None:
        here.answer = refuses("code")
        statuses = [(await asked(here, "POST", "/join", BODY))[0] for _ in range(30)]
        status, head, body = await asked(here, "POST", "/join", BODY)
        assert (statuses, status, body) == ([200] * 30, 429, MANY)
        assert (head["retry-after"], head["connection"]) == ("60", "close")
        assert await here.status("POST", "/join", BODY, "127.0.0.2") == 200
        assert len(here.of(Knock)) == 31

    in_a_server(scenario)


def test_strangers_who_try_on_and_on_do_not_keep_a_new_player_out() -> None:
    async def scenario(here: Served) -> None:
        here.answer = refuses("code")
        statuses = [
            await here.status("POST", "/join", BODY, f"127.0.1.{stranger}")
            for stranger in range(1, 25)
            for _ in range(10)
        ]
        assert (statuses.count(200), statuses.count(429)) == (24 * 4 + 60, 240 - 156)
        assert await here.status("POST", "/join", BODY, "127.0.0.9") == 200

    in_a_server(
        scenario,
        replace(WIDE, joins=Allowance(10, 0), joins_in_all=Allowance(60, 0), requests_in_all=Allowance(1_000, 1)),
    )


def test_a_stranger_who_hammers_is_refused_and_a_known_phone_is_not() -> None:
    async def scenario(here: Served) -> None:
        phone = await here.join("127.0.0.7")
        strangers = [await here.status("GET", "/", address="127.0.0.8") for _ in range(30)]
        assert strangers == [200] * 20 + [429] * 10
        posts = [await here.status("POST", "/up", BODY, "127.0.0.7") for _ in range(40)]
        assert posts == [204] * 40
        here.send(Frames(((1, b"frame"),)))
        assert await phone.event() == b"data: ZnJhbWU=\n\n"

    in_a_server(scenario, Limits(requests=Allowance(20, 0), posts=Allowance(40, 0)))


def test_strangers_who_hammer_do_not_keep_a_newcomer_from_the_page() -> None:
    async def scenario(here: Served) -> None:
        strangers = [
            await here.status("GET", "/", address=f"127.0.1.{number}") for number in range(1, 9) for _ in range(5)
        ]
        assert (strangers.count(200), strangers.count(429)) == (8 * 2 + 6, 40 - 22)
        assert [await here.status("GET", "/", address="127.0.0.9") for _ in range(3)] == [200, 200, 429]

    in_a_server(scenario, Limits(requests_in_all=Allowance(6, 0), first_requests=Allowance(2, 0)))


def test_strangers_make_room_and_a_player_stays() -> None:
    async def scenario(here: Served) -> None:
        player = await here.join("127.0.0.7")
        crowd = [await here.open("127.0.0.8") for _ in range(4)]
        others = [await here.open("127.0.0.9") for _ in range(3)]
        await here.until(lambda: len(here.table.doors) == 8)
        newcomer = await here.open("127.0.0.10")  # the crowd's oldest connection makes room
        assert await crowd[0].rest() == b""
        newcomer.request("GET", "/status.json", connection="close")
        assert (await newcomer.rest()).startswith(b"HTTP/1.1 200 ")
        here.send(Frames(((1, b"frame"),)))
        assert await player.event() == b"data: ZnJhbWU=\n\n"
        for each in (*crowd, *others):
            each.close()
        await here.until(lambda: len(here.table.doors) == 1)

    in_a_server(scenario, Limits(arriving=7))


def test_an_address_that_comes_on_and_on_is_refused_at_the_door() -> None:
    async def scenario(here: Served) -> None:
        for _ in range(3):
            await here.open("127.0.0.8")
        await here.until(lambda: len(here.table.doors) == 3)
        assert (await (await here.open("127.0.0.8")).rest()).endswith(MANY)
        assert len(here.table.doors) == 3
        assert await here.status("GET", "/status.json", address="127.0.0.9") == 200
        assert [await here.status("GET", "/status.json") for _ in range(5)] == [200] * 5, "the house"

    in_a_server(scenario, Limits(arrivals=Allowance(3, 0)))


def test_new_hosts_come_with_a_new_setup() -> None:
    async def scenario(here: Served) -> None:
        assert (await asked(here, "GET", "/status.json", host="10.77.0.1:80"))[0] == 200
        assert (await asked(here, "GET", "/status.json", host="192.168.1.5"))[0] == 421
        here.send(Setup(("192.168.1.5",), "http://192.168.1.5/"))
        await here.until(lambda: here.table.setup.hosts == ("192.168.1.5",))
        assert (await asked(here, "GET", "/status.json", host="192.168.1.5"))[0] == 200

    in_a_server(scenario)


def test_the_end_of_the_link_ends_the_server_and_its_streams() -> None:
    async def scenario(here: Served) -> None:
        phones = [await here.join(f"127.0.0.{number}") for number in range(1, 4)]
        here.table.connection_lost(None)
        assert [await phone.event() for phone in phones] == [b""] * 3

    in_a_server(scenario)


def test_an_error_of_the_page_is_one_line_here_and_there(capsys: pytest.CaptureFixture[str]) -> None:
    async def scenario(here: Served) -> None:
        here.table.rates.post = lambda *_, **__: 1 // 0  # type: ignore[assignment,method-assign]
        status, _, body = await asked(here, "POST", "/up", b"secret body 1234" * 8)
        assert (status, body) == (500, b"The page had an error. Load it again.\n")
        assert (await asked(here, "GET", "/status.json"))[0] == 200

    in_a_server(scenario)
    said = capsys.readouterr().err.splitlines()
    assert len(set(said)) == 1
    assert said[0].startswith("ZeroDivisionError at test_process.py:")


def test_phones_close(capsys: pytest.CaptureFixture[str]) -> None:
    """A phone that goes in the middle of anything leaves no line in the log."""

    async def scenario(here: Served) -> None:
        for text in (b"GET", b"POST /up HTTP/1.1\r\nHost: HOST\r\nContent-Length: 128\r\n\r\nabc", b"\r\n", b""):
            phone: Phone = await here.open()
            phone.send(text.replace(b"HOST", b"localhost:%d" % here.port))
            await asyncio.sleep(0)
            phone.writer.transport.abort()
        await here.until(lambda: len(here.table.doors) == 0)

    in_a_server(scenario)
    assert capsys.readouterr().err == ""
