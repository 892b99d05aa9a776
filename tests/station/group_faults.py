"""What strikes a simulated station while groups come and go, and its phones, whose page process can be killed.

Each fault goes away by itself, as for whoever plugs a lead in again.
"""

from __future__ import annotations

import random
import resource
import signal
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final

from pi_app.pages.address import read_code
from pi_app.pages.link import STOPPED
from pi_app.pages.messages import Left
from pi_app.simulated.phone import knock
from pi_app.simulated.simulated_station import SimulatedStation
from pi_app.simulated.table import faults
from pi_app.simulated.visitors import VisitorPhone
from pi_app.station.visits.visit import SECOND_NS
from tests.pi_app.phones_at_table import Phone, Phones

TILE_FAULTS: Final = (
    "unplugged",
    "magnet-weak",
    "magnet-missing",
    "stuck-low",
    "clock-held",
    "mux-silent",
    "mux-not-switched",
    "jumps",
)
DISK, PAGES = "disk refuses", "page process killed"


class LanePhone:
    """A visitor's phone without a network. While no page process runs, nothing that it sends arrives."""

    def __init__(self, lane: LanePhones, phone: Phone) -> None:
        self._lane, self._phone = lane, phone

    @property
    def joined(self) -> bool:
        return self._phone.session is not None

    def tap(self) -> None:
        if self._lane.served:
            self._phone.tap()

    def hold(self) -> None:
        if self._lane.served:
            self._phone.hold()

    def let_go(self) -> None:
        if self._lane.served:
            self._phone.let_go()

    def cut(self) -> None:
        if self._lane.served:
            self._lane.phones.send(Left(self._phone.conn))


class LanePhones:
    """All phones, and the page process that can be killed. `saw` gets each face that a phone shows: its seat, its
    square, and the name of its symbol."""

    def __init__(self, saw: Callable[[tuple[str, str, str]], None]) -> None:
        self._saw = saw
        self.phones = Phones()
        self.phones.pages = replace(self.phones.pages, cards={})
        self.joined = 0

    def open(self, link: str) -> VisitorPhone:
        """Scan a code."""
        if not self.served:
            return LanePhone(self, Phone(self.phones, self.phones.next_conn()))
        code = read_code(link.partition("#")[2])
        return LanePhone(self, self.phones.knock(*knock(code, game=self.phones.game)))

    @property
    def served(self) -> bool:
        """Whether a page process runs."""
        return self.phones.link.trouble is None

    def step(self) -> None:
        if self.served:
            self.phones.read()
            self._look()
        else:
            self.phones.link.sent.clear()

    def _look(self) -> None:
        """See each frame once, and keep the last one."""
        for phone in self.phones.phones.values():
            for frame in phone.frames:
                shown: dict[str, Any] = frame["picture"] or {}
                if shown.get("kind") == "face":
                    self._saw((frame["seat"], shown["label"], shown["symbol"]))
            del phone.frames[:-1]

    def kill(self) -> None:
        self.phones.link.trouble = STOPPED
        self.phones.link.incoming.extend(Left(conn) for conn in self.phones.phones)

    def start(self) -> None:
        self.phones.link.trouble = None

    def forget(self) -> None:
        """Nobody has a phone any more."""
        self.joined += sum(phone.session is not None for phone in self.phones.phones.values())
        self.phones.forget()


class Faults:
    """What strikes, and for how long. `struck` counts by name; `until_ns`: when the last one went away."""

    def __init__(self, draw: random.Random, pages: LanePhones) -> None:
        self._draw, self._pages = draw, pages
        self.struck: Counter[str] = Counter()
        self._begin: list[tuple[int, str, str, int]] = []
        self._on: list[tuple[int, str, str]] = []
        self.until_ns = 0

    def plan(self, now_ns: int, squares: Sequence[str]) -> None:
        """Have something strike in this group, or nothing."""
        if self._draw.random() < 0.5:
            name = self._draw.choice((*TILE_FAULTS, DISK, PAGES))
            begins_ns = now_ns + round(self._draw.uniform(0, 60) * SECOND_NS)
            lasts_ns = round(self._draw.uniform(1, 60) * SECOND_NS)
            self._begin.append((begins_ns, name, self._draw.choice(squares), lasts_ns))

    @property
    def disk_refuses(self) -> bool:
        return any(name == DISK for _, name, _ in self._on)

    def step(self, at: SimulatedStation) -> None:
        now_ns = at.now_ns()
        for each in [each for each in self._begin if each[0] <= now_ns]:
            self._begin.remove(each)
            _, name, square, lasts_ns = each
            self._strike(at, name, square)
            self.struck[name] += 1
            self._on.append((now_ns + lasts_ns, name, square))
        for over in [each for each in self._on if each[0] <= now_ns]:
            self._on.remove(over)
            self._mend(at, *over[1:])
            self.until_ns = now_ns
        if self._on:
            self.until_ns = now_ns

    def _strike(self, at: SimulatedStation, name: str, square: str) -> None:
        if name == DISK:
            disk_takes(False)
        elif name == PAGES:
            self._pages.kill()
        else:
            faults.strike(at.table.tiles[square], name)

    def _mend(self, at: SimulatedStation, name: str, square: str) -> None:
        if name == DISK:
            disk_takes(self.disk_refuses is False)
        elif name == PAGES:
            self._pages.start()
        else:
            faults.mend(at.table.tiles[square], name)


_LIMITS: Final = resource.getrlimit(resource.RLIMIT_FSIZE)


def disk_takes(takes: bool) -> None:
    """The kernel refuses each write to a file with EFBIG, or takes it again."""
    resource.setrlimit(resource.RLIMIT_FSIZE, _LIMITS if takes else (0, _LIMITS[1]))


@contextmanager
def a_disk() -> Iterator[None]:
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        yield
    finally:
        disk_takes(True)
        signal.signal(signal.SIGXFSZ, before)
