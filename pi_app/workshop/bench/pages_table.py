"""A table in real time whose players' phones are in another process, for `trapdial bench pages`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from pathlib import Path
from types import MappingProxyType
from typing import Final

from msgspec.structs import replace as changed

from pi_app.pages.link import ProcessLink
from pi_app.pages.messages import Frames, FromPages, ToPages
from pi_app.settings.model import Settings
from pi_app.simulated.actions import TurnDial
from pi_app.simulated.demo_pages import Opened, setup_of
from pi_app.simulated.pages_table import PagesDemo
from pi_app.text.errors import BrokenInstallationError
from pi_app.workshop.bench.latency import Stopwatch, TimedFeed
from pi_app.workshop.bench.pages_phones import FaceOpened, Word, phones, received

PATIENCE_S: Final = 30.0
"""The most time for what takes milliseconds."""

PINS: Final = range(28)
SEED: Final = 7


def with_seats(settings: Settings, count: int) -> Settings:
    """Return the same table with so many seats: its own, and others with a button alone, on pins that are free. Raises
    ValueError if there are not enough pins."""
    seats = dict(list(settings.seats.items())[:count])
    used = {gpio for seat in settings.seats.values() for gpio in seat.gpios}
    used |= {gpio for bus in settings.buses.values() for gpio in bus.lines or ()}
    used |= {mux.reset_gpio for bus in settings.buses.values() for mux in bus.mux if mux.reset_gpio is not None}
    free = [gpio for gpio in PINS if gpio not in used]
    if count - len(seats) > len(free):
        raise ValueError(f"a table of {count} seats needs more pins than a Pi has; try fewer phones")
    model = next(iter(settings.seats.values()))
    for number in range(len(seats) + 1, count + 1):
        key, gpio = f"SEAT{number}", free.pop(0)
        seats[key] = changed(
            model, key=key, name=f"Seat {number}", button_gpio=gpio, lamp_gpio=None, lamp=None, screen=None, heroes=()
        )
    return replace(settings, seats=MappingProxyType(seats))


@dataclass(frozen=True, slots=True)
class SentBatch:
    """One batch of frames: when it was sent, when the samples of that round had come, the processor time of the table
    in between, and that of the page process so far."""

    sent_ns: int
    came_ns: int
    table_cpu_ns: int
    pages_cpu_ns: int


@dataclass(slots=True)
class TimedLink:
    """A link that notes each batch of frames. `watch` is started when samples have come."""

    link: ProcessLink
    watch: Stopwatch = field(default_factory=Stopwatch)
    sent: list[SentBatch] = field(default_factory=list)

    @property
    def trouble(self) -> str | None:
        return self.link.trouble

    def take(self) -> Sequence[FromPages]:
        return self.link.take()

    def send(self, message: ToPages) -> None:
        if isinstance(message, Frames):
            table_cpu_ns = time.thread_time_ns() - self.watch.came.cpu_ns
            pages_cpu_ns = cpu_ns_of(self.link.process_id)
            self.sent.append(SentBatch(time.monotonic_ns(), self.watch.came.wall_ns, table_cpu_ns, pages_cpu_ns))
        self.link.send(message)

    def close(self) -> None:
        self.link.close()

    def before(self, opened_ns: int) -> SentBatch:
        """Return the last batch that was sent before this time."""
        return max((each for each in self.sent if each.sent_ns <= opened_ns), key=lambda each: each.sent_ns)


def cpu_ns_of(process: int | None) -> int:
    """Return the processor time of another process; 0 if the kernel does not say."""
    if process is None or not (figures := Path(f"/proc/{process}/schedstat")).is_file():
        return 0
    return int(figures.read_text(encoding="ascii").split()[0])


@dataclass(slots=True)
class PhonePlayers:
    """The table, and the pipe to its players' phones."""

    table: PagesDemo
    link: TimedLink
    pipe: Connection
    faces: list[FaceOpened] = field(default_factory=list)
    pages_cpu_ns: int = 0
    """The processor time of the page process when the last face was reported."""

    def do(self, word: str, seat: str) -> None:
        """Let a phone act."""
        self.pipe.send(Word(word, seat))

    def step(self) -> None:
        """Run one round, and take what the phones have reported."""
        self.table.step()
        while self.pipe.poll():
            face = received(self.pipe, "phones")
            if isinstance(face, FaceOpened):
                self.faces.append(face)
                self.pages_cpu_ns = cpu_ns_of(self.link.link.process_id)

    def pass_s(self, seconds: float) -> None:
        """Run the table for so long."""
        until_s = time.monotonic() + seconds
        while time.monotonic() < until_s:
            self.step()

    def until(self, done: Callable[[], bool], what: str) -> None:
        """Run the table until this is so. Raises BrokenInstallationError."""
        until_s = time.monotonic() + PATIENCE_S
        while not done():
            if time.monotonic() > until_s:
                raise BrokenInstallationError(f"simulated phones (this machine): {what} did not come. Try again.")
            self.step()

    def face(self, seat: str) -> FaceOpened:
        """Wait for a face on this seat's phone, then lift its finger and wait until it is gone."""
        before = len(self.faces)
        self.until(lambda: len(self.faces) > before, "a face")
        self.do("let_go", seat)
        self.pass_s(0.08)
        return self.faces[before]

    def expose(self, seat: str, square: str, roll: int) -> FaceOpened:
        """Tap, turn, and hold before the dial rests: the face comes as soon as it does."""
        self.do("tap", seat)
        self.until(lambda: self.table.loop.moment.game.claim_of(seat) is not None, "a claim")
        self.pass_s(0.1)
        self.table.act(TurnDial(square, roll, (120.0,) * (roll - 1)))
        self.until(lambda: self.table.loop.moment.game.claim_on(square) is not None, "a turning dial")
        self.do("hold", seat)
        return self.face(seat)

    def rested(self, face: FaceOpened) -> tuple[int, int]:
        """Return how long the last face took since the samples of its round had come: by the wall clock, and in
        processor time of the table, the page process and the phone together."""
        batch = self.link.before(face.opened_ns)
        pages_cpu_ns = self.pages_cpu_ns - batch.pages_cpu_ns
        return face.opened_ns - batch.came_ns, batch.table_cpu_ns + pages_cpu_ns + face.cpu_ns

    def look(self, seat: str) -> FaceOpened:
        """Hold once more, at rest."""
        self.do("hold", seat)
        return self.face(seat)


@contextmanager
def players(settings: Settings, folder: Path, opened: Opened) -> Iterator[PhonePlayers]:
    """Begin a game in real time with a phone at every seat."""
    link = TimedLink(ProcessLink(setup_of(opened.address), opened.listeners))
    with PagesDemo(settings, folder / "journal.db", opened, seed=SEED, link=link) as table:
        table.loop.feed = TimedFeed(table.loop.feed, link.watch)
        table.begin_real_time()
        while not table.loop.ready:
            table.step()
        with phones(opened.address, table.codes) as pipe:
            made = PhonePlayers(table, link, pipe)
            while not pipe.poll():
                table.step()
            received(pipe, "phones")
            yield made
            pipe.send(Word("stop"))
