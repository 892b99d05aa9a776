"""`trapdial demo --station`: a demo station on this machine, all of it simulated, with robot visitors."""

from __future__ import annotations

import contextlib
import os
import select
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pi_app.cli.printing import echo, echo_lines, echo_wrapped, is_terminal
from pi_app.text.language import count_of

if TYPE_CHECKING:
    from pi_app.settings.model import Settings
    from pi_app.simulated.demo_pages import Opened
    from pi_app.simulated.station_pages import StationPages
    from pi_app.station.public.state import PublicState

IDLE_S: Final = 30
"""The idle time of a demo whose settings have no [station]."""

PERSON_IDLE_S: Final = 60
"""The same with pages: a person reads them."""

PERSON_PAUSES_S: Final = (12.0, 20.0)
"""Shortest and longest pause between two robot visits with pages, so that a person can begin one."""

FEED: Final = "public.sock"

WELCOME: Final = (
    "SIMULATED: a demo station with robot visitors. No real dial is read; chips, pins, hands and visitors are "
    "simulated. Ctrl-C ends it."
)
PLAY: Final = (
    "Open this in a browser on this machine: the public display, a phone of your own, and the dials with their "
    "buttons. The robots leave while you play."
)
PUBLIC: Final = "The public display alone:"
OVER: Final = "SIMULATED: {groups} came in {minutes} minutes, and {visits} began. No visitor typed anything."


@dataclass(frozen=True, kw_only=True)
class DemoStationOptions:
    """What the command line says. `drawn`: whether the display is drawn in this terminal; `written`: whether it is
    written as lines; `groups`: end after this many groups; None: only Ctrl-C ends it."""

    seed: int
    languages: tuple[str, ...]
    pages: bool
    port: int | None
    drawn: bool = False
    written: bool = False
    groups: int | None = None


def play_station(settings: Settings, journal: Path, options: DemoStationOptions) -> None:
    """Let robots visit a station in real time until a signal ends it."""
    from hardware.clock import MachineClock
    from pi_app.cli.stopping import requesting
    from pi_app.simulated.simulated_station import SimulatedStation, StationDoors
    from pi_app.simulated.wall_clock import WallClock
    from pi_app.station.public.feed import PublicFeed
    from pi_app.station.table import Hooks

    clock = MachineClock()
    with contextlib.ExitStack() as closing:
        request = closing.enter_context(requesting())
        phones = closing.enter_context(_phones(settings, options))
        feed_file = journal.with_name(FEED) if options.drawn else None
        pages = None if phones is None else phones.pages
        feed = closing.enter_context(contextlib.closing(PublicFeed(feed_file, pages.link.send if pages else None)))
        echo_wrapped(WELCOME)
        if phones is not None:
            _echo_addresses(phones)
        lines = _Written() if options.written else None

        def published(state: PublicState) -> None:
            feed.show(state, clock.now_ns())
            if lines is not None:
                lines.show(state)

        doors = StationDoors(Hooks(published=published), pages)
        if phones is not None:
            doors = replace(doors, phone=phones.open, free=1, pauses_s=PERSON_PAUSES_S)
        station = closing.enter_context(
            SimulatedStation(_with_a_station(settings, options), journal, seed=options.seed, doors=doors)
        )
        if phones is not None:
            station.visitors.leave()
        request.calls(station.station.loop.stop)
        station.table.clock.pace = WallClock()
        with _display(feed_file) as still_there:
            while station.station.loop.running and still_there() and not _enough(station.visitors.groups, options):
                station.step()
                if phones is not None:
                    phones.step(station)
        minutes, visits = station.now_ns() / 60e9, station.station.visit.number
        groups = count_of(station.visitors.groups, "group")
        echo_wrapped(OVER.format(groups=groups, minutes=round(minutes, 1), visits=count_of(visits, "visit")))


def _enough(groups: int, options: DemoStationOptions) -> bool:
    return options.groups is not None and groups > options.groups


def _with_a_station(settings: Settings, options: DemoStationOptions) -> Settings:
    """Settings with a [station] that offers these languages, or all."""
    import msgspec

    from pi_app.settings.station_section import StationSettings

    station = settings.station or StationSettings(idle_s=PERSON_IDLE_S if options.pages else IDLE_S)
    if options.languages:
        station = msgspec.structs.replace(station, languages=tuple(dict.fromkeys(options.languages)))
    return replace(settings, station=station)


@contextlib.contextmanager
def _phones(settings: Settings, options: DemoStationOptions) -> Iterator[StationPages | None]:
    """The pages of this machine, if they are wanted. Raises UserFileError for a port that is taken."""
    if not options.pages:
        yield None
        return
    from pi_app.simulated.demo_pages import open_port
    from pi_app.simulated.station_pages import StationPages

    with open_port(options.port) as opened, contextlib.closing(StationPages(opened, tuple(settings.seats)[-1])) as made:
        if opened.taken is not None:
            echo_wrapped(_taken(opened))
        yield made


def _taken(opened: Opened) -> str:
    from pi_app.cli.demo_pages import TAKEN

    return TAKEN.format(first=opened.taken, port=opened.address[1])


def _echo_addresses(phones: StationPages) -> None:
    for sentence, address in ((PLAY, phones.url), (PUBLIC, phones.display)):
        echo_wrapped(sentence)
        echo(f"  {address}")


@contextlib.contextmanager
def _display(feed: Path | None) -> Iterator[Callable[[], bool]]:
    """Draw the public display in this terminal, in a process of its own that ends when this one does. Yields whether
    it is still there."""
    if feed is None:
        yield lambda: True
        return
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-m", "pi_app", "station", "display", "--feed", os.fspath(feed)]
    with ours, theirs:
        display = subprocess.Popen([*command, "--until", str(theirs.fileno())], pass_fds=(theirs.fileno(),))
        theirs.close()
        try:
            yield lambda: display.poll() is None
        finally:
            has_drawn = select.select([ours], [], [], 0)[0]
            ours.close()
            if not has_drawn:  # nothing has to be put back
                display.kill()
            display.wait()


class _Written:
    """Writes what everybody sees as lines, each scene once."""

    def __init__(self) -> None:
        self._last: tuple[str, ...] = ()

    def show(self, state: PublicState) -> None:
        from pi_app.station.display.plain import text_of
        from pi_app.station.public.scene import scene

        lines = text_of(scene(state)) if state.warning_s is None else self._last
        if lines != self._last:
            self._last = lines
            echo_lines([*lines, ""])


def takes_drawing() -> bool:
    """Return whether the display can be drawn here."""
    return all(map(is_terminal, (sys.stdin, sys.stdout, sys.stderr)))
