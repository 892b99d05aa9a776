"""Connections: one player with a card and two addresses, crowds of every kind, and who still gets in."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

import pytest

from pi_app.pages.messages import Admitted, Dropped, Frames, Knock, Public, Refused, ToPages
from pi_app.pages.process.doors import Place
from tests.pi_app.pages.served import GREETING, Phone, Served, in_a_server

LINE = b'{"scene":{"title":"Tap."}}\n'
STRANGE = 255
"""A body that begins so proves nothing."""

HOARD = 70
"""More than a table has places."""

Opens = Callable[[Phone], None]


def body(seat: int) -> bytes:
    return bytes([seat]) * 128


class SeatsAtTable:
    """The table's end: admits who proves a seat, and ends the stream that the seat had."""

    def __init__(self, here: Served) -> None:
        self._here = here
        self._streams: dict[int, int] = {}
        here.answer = self._answer

    def _answer(self, knock: Knock) -> ToPages:
        seat = knock.body[0]
        if seat == STRANGE:
            return Refused(knock.conn, "code")
        if seat in self._streams:
            self._here.send(Dropped(self._streams[seat], "moved"))
        self._streams[seat] = knock.conn
        return Admitted(knock.conn, GREETING, seat)


def at_a_table(scenario: Callable[[Served], Awaitable[None]]) -> None:
    async def whole(here: Served) -> None:
        SeatsAtTable(here)
        here.send(Public(LINE))
        await here.until(lambda: here.table.watchers.line == LINE)
        await scenario(here)

    in_a_server(whole)


async def joined(here: Served, seat: int, address: str, path: str = "/join") -> Phone:
    phone = await here.open(address)
    phone.request("POST", path, body(seat))
    assert (await phone.head()).startswith(b"HTTP/1.1 200 ")
    assert (await phone.event()).startswith(b"data: AAECAwQF")
    return phone


def nothing(_: Phone) -> None:
    """Opens a connection, and says nothing on it."""


def half_a_post(phone: Phone) -> None:
    phone.send(b"POST /up HTTP/1.1\r\nHost: localhost:%d\r\nContent-Length: 128\r\n\r\nslow" % phone.port)


def asks(method: str, path: str, sends: bytes = b"") -> Opens:
    return lambda phone: phone.request(method, path, sends)


async def hoard(here: Served, addresses: list[str], opens: Opens, number: int = HOARD) -> None:
    """Open as many connections as there are places, and keep them."""
    for index in range(number):
        with contextlib.suppress(OSError):
            phone = await here.open(addresses[index % len(addresses)])
            opens(phone)
    await asyncio.sleep(0)


async def gets(here: Served, path: str, address: str) -> int:
    """The status of a page; 0 if the connection was reset."""
    try:
        return await here.status("GET", path, address=address)
    except (OSError, IndexError):
        return 0


async def everybody_gets_in(here: Served) -> None:
    assert await gets(here, "/", "127.0.2.1") == 200, "a newcomer loads the page"
    await joined(here, 1, "127.0.2.1")
    await joined(here, 2, "127.0.2.2", "/stream")
    for path in ("/staff", "/status.json", "/metrics", "/public"):
        assert await gets(here, path, "127.0.2.3") == 200, path
        assert await gets(here, path, "127.0.0.1") == 200, f"{path} for the house"


@pytest.mark.parametrize(
    "opens",
    [nothing, half_a_post, asks("GET", "/"), asks("GET", "/status.json"), asks("POST", "/stream", body(STRANGE))],
    ids=["silent", "slow", "pages", "status", "streams"],
)
def test_one_player_with_two_addresses_keeps_nobody_out(opens: Opens) -> None:
    async def scenario(here: Served) -> None:
        await joined(here, 0, "127.0.1.1")
        moved = await joined(here, 0, "127.0.1.2")
        await hoard(here, ["127.0.1.1", "127.0.1.2"], opens)
        await everybody_gets_in(here)
        here.send(Frames(((2, b"frame"),)))
        assert await moved.event() == b"data: ZnJhbWU=\n\n", "the player's own stream goes on"

    at_a_table(scenario)


def test_a_seat_that_wanders_from_address_to_address_keeps_the_places_of_one() -> None:
    async def scenario(here: Served) -> None:
        for number in range(1, 11):
            await joined(here, 0, f"127.0.1.{number}")
            await hoard(here, [f"127.0.1.{number}"], nothing, 8)
        await everybody_gets_in(here)
        assert [f"127.0.1.{number}" in here.table.known for number in range(1, 11)] == [False] * 9 + [True]
        of_seats = [each for each in here.table.connections.values() if here.table.doors.place_of(each) is Place.SEAT]
        assert {each.address for each in of_seats} == {"127.0.1.10", "127.0.2.1", "127.0.2.2"}

    at_a_table(scenario)


@pytest.mark.parametrize(
    "opens",
    [nothing, asks("GET", "/"), asks("GET", "/status.json"), asks("GET", "/staff"), asks("GET", "/public/stream")],
    ids=["silent", "pages", "status", "staff", "displays"],
)
def test_a_crowd_of_strangers_keeps_nobody_out(opens: Opens) -> None:
    async def scenario(here: Served) -> None:
        await joined(here, 0, "127.0.1.1")
        await hoard(here, [f"127.0.3.{number}" for number in range(1, 60)], opens, 180)
        await everybody_gets_in(here)
        await joined(here, 0, "127.0.1.1", "/stream")

    at_a_table(scenario)


def test_a_crowd_takes_no_connection_of_this_machine() -> None:
    async def scenario(here: Served) -> None:
        house = await here.open("127.0.0.1")
        await here.until(lambda: len(here.table.doors) == 1)
        await hoard(here, [f"127.0.3.{number}" for number in range(1, 60)], nothing, 180)
        house.request("GET", "/status.json", connection="close")
        assert (await house.rest()).startswith(b"HTTP/1.1 200 ")

    at_a_table(scenario)


def test_strangers_at_a_players_own_address_do_not_end_its_stream() -> None:
    """As behind a router that shows one address for all."""

    async def scenario(here: Served) -> None:
        phone = await joined(here, 0, "127.0.1.1")
        await hoard(here, ["127.0.1.1"], nothing, 40)
        here.send(Frames(((1, b"frame"),)))
        assert await phone.event() == b"data: ZnJhbWU=\n\n"
        assert await here.status("POST", "/up", body(0), "127.0.1.1") == 204

    at_a_table(scenario)


async def watches(here: Served, address: str) -> Phone | None:
    """A display that watches; None if it was turned away."""
    phone = await here.open(address)
    phone.request("GET", "/public/stream")
    if not (await phone.head()).startswith(b"HTTP/1.1 200 "):
        return None
    assert await phone.event() == b"data: " + LINE.strip() + b"\n\n"
    return phone


def test_strangers_who_watch_leave_the_display_of_the_house_its_place() -> None:
    async def scenario(here: Served) -> None:
        for number in range(1, 30):
            for _ in range(3):
                await watches(here, f"127.0.3.{number}")
        house = await watches(here, "127.0.0.1")
        assert house is not None
        for number in range(30, 50):
            await watches(here, f"127.0.3.{number}")
        here.send(Public(b'{"scene":{"title":"Turn."}}\n'))
        assert await house.event() == b'data: {"scene":{"title":"Turn."}}\n\n'

    at_a_table(scenario)


def test_few_strangers_who_watch_much_leave_a_display_elsewhere_in_the_shop_its_place() -> None:
    async def scenario(here: Served) -> None:
        for number in (1, 2, 3, 4):
            for _ in range(4):
                await watches(here, f"127.0.3.{number}")
        shop = await watches(here, "127.0.4.1")
        assert shop is not None
        for number in (1, 2, 3, 4):
            await watches(here, f"127.0.3.{number}")
        here.send(Public(b'{"scene":{"title":"Turn."}}\n'))
        assert await shop.event() == b'data: {"scene":{"title":"Turn."}}\n\n'

    at_a_table(scenario)
