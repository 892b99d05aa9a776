"""`/public`: what everybody may see of a station, on places of its own."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from pi_app.pages.messages import Counts, Frames, Knock, Public
from pi_app.pages.page import public
from pi_app.pages.process.limits import Allowance, Limits
from pi_app.pages.process.watching import BEAT, PublicWatchers, event
from tests.pi_app.pages.served import Phone, Served, in_a_server

LINE = b'{"scene":{"title":"Tap."}}\n'
WATCHING = replace(Limits(), watches=Allowance(100, 1))


async def watch(here: Served, address: str = "127.0.0.1") -> Phone:
    phone = await here.open(address)
    phone.request("GET", "/public/stream")
    return phone


async def shown(here: Served, line: bytes) -> None:
    here.send(Public(line))
    await here.until(lambda: here.table.watchers.line == line)


def test_a_table_that_is_no_station_has_no_public_page_and_a_browser_asks_again() -> None:
    async def scenario(here: Served) -> None:
        for path in ("/public", "/public/stream"):
            phone = await here.open()
            phone.request("GET", path)
            answer = (await phone.rest()).decode()
            assert answer.startswith("HTTP/1.1 404 ")
            assert "refresh: 5\r\n" in answer.lower()

    in_a_server(scenario)


def test_everybody_who_watches_gets_each_state_and_a_beat() -> None:
    async def scenario(here: Served) -> None:
        await shown(here, LINE)
        one, other = await watch(here), await watch(here)
        for phone in (one, other):
            head = await phone.head()
            assert head.startswith(b"HTTP/1.1 200 ")
            assert b"content-type: text/event-stream" in head.lower()
            assert b"cache-control: no-store" in head.lower()
            assert await phone.event() == event(LINE) == b'data: {"scene":{"title":"Tap."}}\n\n'
        here.send(Public(LINE))
        assert await one.event() == await other.event() == BEAT
        here.send(Public(b'{"scene":{"title":"Turn."}}\n'))
        assert await one.event() == b'data: {"scene":{"title":"Turn."}}\n\n'

    in_a_server(scenario, WATCHING)


def test_a_browser_without_javascript_and_one_that_asks_for_the_head_get_the_page() -> None:
    async def scenario(here: Served) -> None:
        await shown(here, LINE)
        for method, status in (("GET", 200), ("HEAD", 200), ("POST", 405)):
            assert await here.status(method, "/public") == status
        assert await here.status("HEAD", "/public/stream") == 200
        phone = await here.open()
        phone.request("GET", "/public", connection="close")
        head, _, body = (await phone.rest()).partition(b"\r\n\r\n")
        assert body == public().html
        assert b"frame-ancestors 'none'" in head

    in_a_server(scenario, WATCHING)


def test_whoever_watches_takes_no_place_of_a_phone_and_the_table_does_not_hear_of_it() -> None:
    async def scenario(here: Served) -> None:
        await shown(here, LINE)
        watching = [await watch(here) for _ in range(2)]
        for phone in watching:
            await phone.head()
        joined = await here.join()
        here.send(Frames(((1, b"frame"),)))
        assert (await joined.event()).startswith(b"data: ")
        assert {type(message) for message in here.got} == {Counts, Knock}
        assert here.table.streams == 1

    in_a_server(scenario, WATCHING)


def test_an_address_that_watches_too_often_or_too_much_is_refused() -> None:
    async def scenario(here: Served) -> None:
        await shown(here, LINE)
        first = [await watch(here, "127.0.0.2") for _ in range(2)]
        for phone in first:
            await phone.head()
        assert (await (await watch(here, "127.0.0.2")).head()).startswith(b"HTTP/1.1 429 ")
        assert (await (await watch(here, "127.0.0.3")).head()).startswith(b"HTTP/1.1 200 ")
        assert (await (await watch(here, "127.0.0.4")).head()).startswith(b"HTTP/1.1 200 "), "who has two gives one up"
        assert [await first[1].event(), await first[1].event()] == [event(LINE), b""]
        assert (await (await watch(here, "127.0.0.5")).head()).startswith(b"HTTP/1.1 429 "), "each has one"
        first[0].close()
        await here.until(lambda: len(here.table.watchers) == 2)
        assert (await (await watch(here, "127.0.0.5")).head()).startswith(b"HTTP/1.1 200 ")
        assert (await (await watch(here, "127.0.0.2")).head()).startswith(b"HTTP/1.1 429 "), "four in a row: too many"

    in_a_server(scenario, replace(Limits(), watchers=3, watchers_an_address=2, watches=Allowance(3, 0.0)))


def test_displays_of_the_house_take_no_place_of_another_and_the_newest_has_one() -> None:
    watchers = PublicWatchers(replace(Limits(), watchers=1, watchers_an_address=2))
    stranger = watchers.enter("10.0.0.1")
    house = [watchers.enter("127.0.0.1", house=True) for _ in range(3)]
    assert stranger is not None
    assert not stranger.over
    assert [watcher is not None and watcher.over for watcher in house] == [True, False, False]
    assert len(watchers) == 3


def test_a_stream_ends_with_its_table() -> None:
    async def scenario(here: Served) -> None:
        await shown(here, LINE)
        phone = await watch(here)
        await phone.head()
        await phone.event()
        here.table.connection_lost(None)
        assert await phone.event() == b""

    in_a_server(scenario)


def test_of_what_somebody_does_not_read_the_newest_waits() -> None:
    async def scenario() -> None:
        watchers = PublicWatchers(Limits())
        watchers.show(LINE)
        watcher = watchers.enter("a")
        assert watcher is not None
        watchers.show(LINE)
        assert watcher.waiting == event(LINE), "a beat does not take the place of a state"
        watchers.show(b"{}")
        assert watcher.waiting == event(b"{}")
        watchers.left(watcher)
        assert len(watchers) == 0

    asyncio.run(scenario())
