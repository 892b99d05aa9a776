"""The pages of a simulated table on this machine: its port, its seats' codes, and what `/demo` shows of the table.

`/demo` stands at `http://localhost:PORT/demo#KEY`. KEY is 26 letters of base32, like a seat's code. The code of seat
number n (from 0) is KEY with its first letter replaced by letter n of A-Z2-7. So the page process and other users of
this machine learn no code: only who sees the address has one.

`/demo` gets the state of the table as JSON: {"table": "Great table", "game": "...", "marks": ["SIMULATED",
"SAMPLE"], "seats": [{"seat": "ANN", "name": "Ann"}, ...], "squares": [{"label": "T01", "clicks": 12, "turned": 3.0625,
"moving": false}, ...], "robots": false, "station": false}. `turned` is counted in clicks, counter-clockwise, from the
start mark; at a station, from where the dial stood when the game began. It holds nothing that a person at the table
does not see. While robots play, nobody has the key, and hands turn nothing. At a station, `/demo` has one phone, the
public display, and other words.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import socket
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pi_app.pages import listening
from pi_app.pages.link import Link
from pi_app.pages.messages import FromPages, Hand, Refused, Setup, ToPages
from pi_app.pages.sealing import CODE_BYTES
from pi_app.settings.model import Settings
from pi_app.simulated.page_stream import Address
from pi_app.simulated.table import SimulatedTable
from pi_app.text.errors import UserFileError

LOOPBACK: Final = "127.0.0.1"
FIRST_PORT: Final = 8080
PORTS: Final = 20
"""The demo takes the first free one of so many ports."""

LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
PADDING: Final = "=" * 6

COUNTS_PER_TURN: Final = 4096
FINEST_TURN: Final = 16
"""The angle of a dial is rounded to a sixteenth of a click, so that noise is not drawn."""


@dataclass(frozen=True, slots=True, repr=False)
class Opened:
    """An open port of this machine alone, with the key of its demo. `taken`: the usual port, if another program has
    it."""

    listeners: tuple[socket.socket, ...]
    address: Address
    key: str
    taken: int | None = None

    @property
    def url(self) -> str:
        """What a person opens to play."""
        return f"{self.url_to_watch}#{self.key}"

    @property
    def url_to_watch(self) -> str:
        """What a person opens to see robots play: without the key, so that no seat can be taken from them."""
        return f"http://{setup_of(self.address).address}/demo"


@contextlib.contextmanager
def open_port(wanted: int | None) -> Iterator[Opened]:
    """Open the wanted port, or the first free one; close it in the end. Raises UserFileError."""
    first = FIRST_PORT if wanted is None else wanted
    listeners = _listen(range(first, first + (PORTS if wanted is None else 1)))
    port = listening.port_of(listeners)
    try:
        yield Opened(listeners, (LOOPBACK, port), new_key(), first if port != first else None)
    finally:
        for each in listeners:
            each.close()


def _listen(ports: range) -> tuple[socket.socket, ...]:
    """Open the first of these ports that is free."""
    for port in ports:
        with contextlib.suppress(UserFileError):
            return listening.listen(LOOPBACK, port)
    if len(ports) == 1:
        seen = "another program has this port, or this user may not open it"
        raise UserFileError.at(f"--port {ports[0]}", "", seen, "Leave --port out, and the demo takes a free one")
    raise UserFileError.at(f"ports {ports[0]} to {ports[-1]}", "", "none of them is free", "Name another with --port")


def setup_of(address: Address) -> Setup:
    """Return what the page process of a demo serves."""
    _, port = address
    hosts = tuple(f"{name}{'' if port == 80 else f':{port}'}" for name in ("localhost", LOOPBACK))
    return Setup(hosts, hosts[0], demo=True)


def new_key() -> str:
    """Return the key of a demo: 26 letters of base32."""
    return base64.b32encode(os.urandom(CODE_BYTES)).decode("ascii").rstrip("=")


def code_texts(key: str, seats: Sequence[str]) -> dict[str, str]:
    """Return the code of each seat, in letters."""
    return {seat: LETTERS[number] + key[1:] for number, seat in enumerate(seats)}


def codes_of(key: str, seats: Sequence[str]) -> dict[str, bytes]:
    """Return the code of each seat."""
    return {seat: base64.b32decode(text + PADDING) for seat, text in code_texts(key, seats).items()}


def shown_text(settings: Settings, table: SimulatedTable, game: str, *, robots: bool = False) -> str:
    """Return what `/demo` shows of the table, as JSON. Its phones join once for each `game`, and never while robots
    play."""
    return _text(settings, table, tuple(settings.seats), {}, game=game, robots=robots, station=False)


def station_text(settings: Settings, table: SimulatedTable, seat: str, stood: Mapping[str, int], game: str) -> str:
    """Return what `/demo` shows of a station with one phone, as JSON. The phone joins when the page is opened, once for
    each `game`, and when its person asks for it. `stood`: the click at which each dial stood when the game began."""
    return _text(settings, table, (seat,), stood, game=game, robots=False, station=True)


def clicks_of(table: SimulatedTable) -> dict[str, int]:
    """Return the click at which each dial stands or which is nearest, from its start mark; turns add up."""
    return {label: round(_measure_clicks(table, label)) for label in table.tiles}


def _text(
    settings: Settings, table: SimulatedTable, seats: Sequence[str], stood: Mapping[str, int], **more: str | bool
) -> str:
    told = {
        "table": settings.table.name,
        "marks": ["SIMULATED", *(["SAMPLE"] if settings.uses_samples else [])],
        "seats": [{"seat": key, "name": settings.seats[key].name} for key in seats],
        "squares": [_square(table, label, stood.get(label, 0)) for label in table.tiles],
    }
    return json.dumps({**told, **more})


def _square(table: SimulatedTable, label: str, stood: int) -> dict[str, Any]:
    hand = table.tiles[label].hand
    turned = round((_measure_clicks(table, label) - stood) * FINEST_TURN) / FINEST_TURN
    moving = table.clock.now_ns() < hand.at_rest_from_ns
    return {"label": label, "clicks": hand.clicks, "turned": turned, "moving": moving}


def _measure_clicks(table: SimulatedTable, label: str) -> float:
    hand = table.tiles[label].hand
    return hand.angle_counts(table.clock.now_ns()) / COUNTS_PER_TURN * hand.clicks


class DemoLink:
    """A link that keeps the hands of `/demo` for the simulated table; everything else passes. `waits`: whether a phone
    was told that no game is on."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self.hands: list[Hand] = []
        self.waits = False

    @property
    def trouble(self) -> str | None:
        return self._link.trouble

    def take(self) -> Sequence[FromPages]:
        taken = self._link.take()
        self.hands += [message for message in taken if isinstance(message, Hand)]
        return [message for message in taken if not isinstance(message, Hand)]

    def send(self, message: ToPages) -> None:
        self.waits = self.waits or (isinstance(message, Refused) and message.word == "game")
        self._link.send(message)

    def close(self) -> None:
        self._link.close()
