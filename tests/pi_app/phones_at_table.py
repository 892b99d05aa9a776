"""Phones at a simulated table, for tests: without a page process and in virtual time."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pi_app.pages import sealing
from pi_app.pages.address import read_code
from pi_app.pages.link import MemoryLink
from pi_app.pages.messages import (
    NO_GAME,
    Admitted,
    Dropped,
    Frames,
    FromPages,
    Knock,
    Left,
    NamedGame,
    Posted,
    Refused,
    ToPages,
)
from pi_app.play.phones import TablePages
from pi_app.report.pictures import ShowCode
from pi_app.settings.model import Settings
from pi_app.simulated.phone import PhoneSession, knock
from tests.pi_app.playing import Played, settings, table

ANN_CARD, BEN_CARD = bytes(range(16)), bytes(range(16, 32))
CARDS: Mapping[str, bytes] = MappingProxyType({"ANN": ANN_CARD, "BEN": BEN_CARD})


class Phone:
    """One phone. `frames`: what it was sent, opened; `ended`: the word with which its stream ended."""

    def __init__(self, at: Phones, conn: int) -> None:
        self.at, self.conn = at, conn
        self.session: PhoneSession | None = None
        self.frames: list[dict[str, Any]] = []
        self.ended = ""

    @property
    def now(self) -> dict[str, Any]:
        return self.frames[-1]

    @property
    def shown(self) -> str:
        """What it shows of its picture: the lines of a sentence or a die, the title of a face."""
        picture = self.now["picture"]
        if picture is None:
            return ""
        return str(picture["title"]) if picture["kind"] == "face" else " ".join(picture["lines"])

    def post(self, kind: int) -> None:
        assert self.session is not None
        self.at.send(Posted(self.session.post(kind)))

    def tap(self) -> None:
        self.post(sealing.TAP)

    def hold(self) -> None:
        self.post(sealing.HOLD)

    def let_go(self) -> None:
        self.post(sealing.LET_GO)

    def lose_stream(self) -> None:
        self.at.send(Left(self.conn))

    def come_back(self) -> None:
        """Open the stream again, under another number."""
        assert self.session is not None
        self.conn = self.at.next_conn()
        self.at.phones[self.conn] = self
        self.at.send(Knock(self.conn, "stream", self.session.resume()))


class Phones:
    """All phones of a table, and what the table sent them: `order` has the numbers of the streams of each batch,
    `sizes` the lengths of its frames."""

    def __init__(self, seed: int = 1) -> None:
        self.link = MemoryLink()
        draw = random.Random(f"phones {seed}")
        self.pages = TablePages(self.link, "10.77.0.1", CARDS, pick=draw.randrange, random=draw.randbytes)
        self._random = random.Random(f"the phones' own {seed}").randbytes
        self.phones: dict[int, Phone] = {}
        self.finishing: dict[int, Callable[[bytes], PhoneSession]] = {}
        self.order: list[tuple[int, ...]] = []
        self.sizes: list[tuple[int, ...]] = []
        self.refused: dict[int, str] = {}
        self.run: Callable[[float], None] = lambda seconds: None
        self._conns = 0
        self.game = NO_GAME
        """The public name of the game that the page bears."""

    def at(self, played: Played) -> Phones:
        """Let the table run for a moment after everything that a phone sends."""
        self.run = played.run
        return self

    def next_conn(self) -> int:
        self._conns += 1
        return self._conns

    def join(self, code: bytes) -> Phone:
        """Knock with a code. The phone's `session` is there if it was admitted."""
        self.read()
        return self.knock(*knock(code, self._random, game=self.game))

    def knock(self, body: bytes, finish: Callable[[bytes], PhoneSession]) -> Phone:
        """Send this join, which may have been sent before."""
        conn = self.next_conn()
        phone = self.phones[conn] = Phone(self, conn)
        self.finishing[conn] = finish
        self.send(Knock(conn, "join", body))
        return phone

    def send(self, message: FromPages) -> None:
        self.link.incoming.append(message)
        self.run(0.1)
        self.read()

    def read(self) -> None:
        """Hand out what the table has sent."""
        while self.link.sent:
            self.receive(self.link.sent.popleft())

    def receive(self, message: ToPages) -> None:
        """Hand out one message of the table."""
        match message:
            case NamedGame(game):
                self.game = game
            case Admitted(conn, greeting):
                if conn in self.finishing:
                    self.phones[conn].session = self.finishing.pop(conn)(greeting)
            case Refused(conn, word):
                self.refused[conn] = self.phones[conn].ended = word
            case Dropped(conn, word):
                self.phones[conn].ended = word
            case Frames(frames):
                self.order.append(tuple(conn for conn, _ in frames))
                self.sizes.append(tuple(len(frame) for _, frame in frames))
                for conn, frame in frames:
                    phone = self.phones[conn]
                    assert phone.session is not None
                    said = phone.session.open_frame(frame)
                    assert said is not None, "a frame for another phone, or an older one"
                    phone.frames.append(said)
            case _:
                pass

    def forget(self) -> None:
        """Forget every phone, and what it was sent."""
        for each in (self.phones, self.finishing, self.order, self.sizes, self.refused):
            each.clear()

    def batches(self) -> Mapping[int, int]:
        """How many frames each stream got so far."""
        counted: dict[int, int] = defaultdict(int)
        for order in self.order:
            for conn in order:
                counted[conn] += 1
        return counted


def code_on(at: Played, seat: str) -> bytes:
    """The code that the seat's own screen shows."""
    shown = at.pictures[seat]
    assert isinstance(shown, ShowCode), at.screens[seat]
    return read_code(shown.link.partition("#")[2])


@contextmanager
def with_phones(folder: Path, used: Settings | None = None, seed: int = 1) -> Iterator[tuple[Played, Phones]]:
    """A table of Ann and Ben with a trap on both squares; `SAMPLE-12` without it."""
    phones = Phones(seed)
    with table(folder, used or settings(), pages=phones.pages) as at:
        yield at, phones.at(at)
