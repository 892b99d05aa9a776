"""A game on the air that is played twice: every packet of each phone's leg, and of the leg of a browser that shows the
station's public display. Real page process, real TCP, network namespaces; simulated dials and time.

Of each leg the writes are kept with their order, direction and length, as `tests.pages.capture` puts them together, and
all bytes that are not encrypted: of a phone without what its seat's key makes, of the display as they are.
"""

from __future__ import annotations

import random
import re
import select
import socket
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from pi_app.pages.messages import Public
from pi_app.settings.model import Settings
from pi_app.simulated.page_stream import EventReader
from pi_app.station.public.feed import PublicFeed
from pi_app.station.public.view import PublicView
from pi_app.station.visits.seat_pictures import VisitMoment
from pi_app.station.visits.visit import State, Visit
from tests.pages.capture import Capture, Listener, Packet
from tests.pages.namespaces import ADDRESS, Room, inside
from tests.pages.phone import PATIENCE_S
from tests.pages.whole import SHORT_NS, WholeTable, settings
from tests.pages.wire import PORT
from tests.scripts import at_the_limit, script_of
from tests.twin_games import named, with_tables

PHONES: Final = 3
DISPLAY: Final = "display"
SEALED: Final = re.compile(rb"[A-Za-z0-9+/]{22,}={0,2}")
"""What a seat's key makes, in base64, and names of games, which are drawn at random: only their length is kept."""

BODY: Final = re.compile(rb"(POST /\w+ HTTP/1\.1\r\n(?:[^\r\n]+\r\n)*\r\n)(.*?)(?=POST /|GET /|\Z)", re.DOTALL)
REQUEST: Final = (
    f"GET /public/stream HTTP/1.1\r\nHost: {ADDRESS}\r\nAccept: text/event-stream\r\nCache-Control: no-cache\r\n\r\n"
)


@dataclass
class Leg:
    """What an eavesdropper has of one leg."""

    capture: Capture
    said: list[tuple[int, str, int, str]] = field(default_factory=list)
    _listener: Listener = field(default_factory=Listener)
    _bytes: dict[tuple[int, str], bytearray] = field(default_factory=lambda: defaultdict(bytearray))
    _next: dict[tuple[int, str], int] = field(default_factory=dict)

    def read(self) -> None:
        """Take the packets that have come."""
        for packet in self.capture.packets():
            self.said += [said.comparable() for said in self._listener.hear(packet)]
            self._keep(packet)

    def _keep(self, packet: Packet) -> None:
        way = packet.port, packet.towards
        at = self._next.setdefault(way, packet.sequence)
        new = (at - packet.sequence) & 0xFFFFFFFF
        if packet.size > new:
            self._bytes[way] += packet.payload[new:]
            self._next[way] = (packet.sequence + packet.size) & 0xFFFFFFFF
        elif packet.flags & 2:  # SYN counts as one
            self._next[way] = (packet.sequence + 1) & 0xFFFFFFFF

    def plain(self, *, all_of_it: bool) -> list[tuple[str, bytes]]:
        """Return what can be read of each connection and direction, in the order in which they began."""
        return [
            (towards, bytes(data) if all_of_it else mask(bytes(data))) for (_, towards), data in self._bytes.items()
        ]


def mask(data: bytes) -> bytes:
    """Put the length in the place of all that is encrypted: bodies of posts, and long runs of base64."""
    data = BODY.sub(lambda found: b"%s<%d bytes>" % (found[1], len(found[2])), data)
    return SEALED.sub(lambda found: b"<%d letters>" % len(found[0]), data)


class DisplayBrowser:
    """A browser at `/public/stream`, as small as it goes. It counts the states that came."""

    def __init__(self, namespace: str) -> None:
        with inside(namespace):
            self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._socket.settimeout(PATIENCE_S)
        self._reader = EventReader()
        self.states = 0

    def open(self) -> None:
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket.connect((ADDRESS, PORT))
        self._socket.sendall(REQUEST.encode())

    def until(self, states: int) -> None:
        """Wait until so many states have come. Raises TimeoutError."""
        until = time.monotonic() + PATIENCE_S
        while self.states < states:
            if time.monotonic() > until:
                raise TimeoutError(f"{self.states} of {states} states reached the display")
            if select.select([self._socket], [], [], 0.5)[0]:
                data = self._socket.recv(262_144)
                if not data:
                    raise TimeoutError("the page process closed the display's stream")
                self.states += len(self._reader.feed(data))

    def close(self) -> None:
        self._socket.close()


@dataclass
class OnAir:
    """One game as it was on the air: by leg, the writes and what of them can be read. `told`: how many secrets were on
    phones; `secrets`: what they were."""

    said: dict[str, list[tuple[int, str, int, str]]] = field(default_factory=dict)
    plain: dict[str, list[tuple[str, bytes]]] = field(default_factory=dict)
    secrets: list[object] = field(default_factory=list)
    lost: int = 0


class AirTable:
    """A whole table with some phones, and its public display, each on a leg of its own."""

    def __init__(self, made: Room, table: Settings, folder: Path, seed: int) -> None:
        self._legs = {
            name: Leg(Capture(made.table, leg, payload=True))
            for name, leg in zip((*list(table.seats)[:PHONES], DISPLAY), made.legs, strict=True)
        }
        self.whole = WholeTable(replace(made, phones=made.phones[:PHONES]), table, folder, seed)
        self._browser = DisplayBrowser(made.phones[PHONES])
        self._sent = 0
        self._feed = PublicFeed(None, self._send)
        names = {key: f"P{number}" for number, key in enumerate(table.seats, 1)}
        languages = (table.table.language,)
        self._view = PublicView(languages, names, simulated=True, join=f"http://{ADDRESS}/")
        self._moment = VisitMoment(Visit(state=State.GUIDED, number=1), languages)
        self.heard = OnAir()

    def _send(self, message: Public) -> None:
        self._sent += 1
        self.whole.link.send(message)

    def open(self) -> None:
        """Begin the game, join with every phone, and let the browser watch: it gets the newest state at once."""
        self.whole.begin()
        self._tell()
        self.whole.open()
        self._browser.open()
        self._sent = 1
        self._browser.until(1)
        self.show()

    def _tell(self) -> None:
        demo = self.whole.demo
        self._feed.show(self._view.state(self._moment, demo.loop.moment.game, {}), demo.table.clock.now_ns())

    def show(self) -> None:
        """Show the game on the public display, as a station does, and wait until the browser has it."""
        self._tell()
        self._browser.until(self._sent)
        self.read()

    def read(self) -> None:
        for leg in self._legs.values():
            leg.read()
            self.heard.lost += leg.capture.lost()

    def close(self) -> None:
        self._browser.close()
        self.whole.close()
        self.read()
        for name, leg in self._legs.items():
            self.heard.said[name], self.heard.plain[name] = leg.said, leg.plain(all_of_it=name == DISPLAY)
            leg.capture.close()


@contextmanager
def _table(made: Room, seed: int, tables: int) -> Iterator[AirTable]:
    letters, draw = script_of(seed), random.Random(f"table names {seed}")
    plain = named(settings(), seed)
    names = [at_the_limit(letters, 40 - number, draw) for number in range(len(plain.squares))]
    with tempfile.TemporaryDirectory() as folder:
        table = AirTable(made, with_tables(plain, tables, names), Path(folder), seed + 1)
        try:
            yield table
        finally:
            table.close()


def play_on_air(made: Room, seed: int, tables: int) -> OnAir:
    """Play the game of this seed over these trap tables: three phones expose and look, look again and come back."""
    draw = random.Random(f"on air {seed}")
    with _table(made, seed, tables) as table:
        table.open()
        whole = table.whole
        seats = list(whole.phones)
        squares = draw.sample(list(whole.demo.settings.squares), 4)
        for square in squares:
            table.heard.secrets.append(whole.expose(draw.choice(seats), square, draw.randint(1, 6)))
            table.show()
            for _ in range(draw.randint(0, 2)):
                table.heard.secrets.append(whole.look(draw.choice(seats)))
                table.show()
        whole.go(SHORT_NS)
        table.show()
        whole.end()
        table.show()
    return table.heard


def differing_on_air(this: OnAir, that: OnAir) -> dict[str, str]:
    """Return the legs on which an eavesdropper sees a difference, each with the first one."""
    found: dict[str, str] = {}
    for name in this.said:
        ones: tuple[Sequence[object], ...] = (this.said[name], this.plain[name])
        others: tuple[Sequence[object], ...] = (that.said[name], that.plain[name])
        for one, other in zip(ones, others, strict=True):
            if one != other:
                found.setdefault(name, _first(one, other))
    return found


def _first(one: Sequence[object], other: Sequence[object]) -> str:
    at = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return f"after {at}: {[str(each[at])[-300:] if at < len(each) else 'nothing' for each in (one, other)]}"
