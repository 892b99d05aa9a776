"""What phones and strangers cost the scan of a table: the loop with its scanning threads in real time."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from hardware.host import Host
from hardware.readings import DialSource
from hardware.scan import Scan
from pi_app.journal import Journal
from pi_app.pages.link import ProcessLink
from pi_app.play.build import TableBuilder
from pi_app.play.feed import Feed
from pi_app.play.loop import Loop
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.play.phones import TablePages
from pi_app.settings.model import Settings
from pi_app.simulated.demo_pages import codes_of, open_port, setup_of
from pi_app.text.errors import WiringRefusedError
from pi_app.workshop.bench.cpu_wires import SleepingParts
from pi_app.workshop.bench.pages_phones import Word, phones, received, strangers

READY_S: Final = 20.0
SETTLING_S: Final = 1.0
TURNS: Final = 3


@dataclass(frozen=True, slots=True)
class Pace:
    """The scan of a table. `rate_hz`: the samples per second of the least sampled dial. `gap_ms`: the longest time
    between two samples of a dial. `percent`: of a core, for the table's process."""

    rate_hz: float
    gap_ms: float
    percent: float


@dataclass(frozen=True, slots=True)
class Paces:
    """The scan of the same table in three states. `asked`: how often strangers asked in a second."""

    alone: Pace
    phones: Pace
    strangers: Pace
    asked_hz: float


@dataclass(slots=True)
class ScanningTable:
    """A table above sleeping wires, with its loop."""

    loop: Loop
    scans: Sequence[Scan]

    def step_until(self, done: Callable[[], bool], seconds: float) -> bool:
        """Run the loop until this is so, at most for so long; return whether it is."""
        until_s = time.monotonic() + seconds
        while time.monotonic() < until_s:
            if done():
                return True
            self.loop.step()
        return done()

    def pace(self, seconds: float) -> Pace:
        """Measure the scan for so long."""
        for scan in self.scans:
            scan.reset_counts()
        began_ns, cpu_ns = time.monotonic_ns(), time.process_time_ns()
        self.step_until(lambda: False, seconds)
        took_ns, cpu_ns = time.monotonic_ns() - began_ns, time.process_time_ns() - cpu_ns
        counts = [scan.counts(dial) for scan in self.scans for dial in scan.dials]
        rate_hz = min(each.reads for each in counts) * 1e9 / took_ns
        return Pace(rate_hz, max(each.longest_gap_ns for each in counts) / 1e6, 100 * cpu_ns / took_ns)


@contextmanager
def scanning(settings: Settings, pages: TablePages | None) -> Iterator[ScanningTable]:
    """Build the program above sleeping wires, as `play` does, with all dials read and a game begun. Raises
    WiringRefusedError if a dial of these settings does not answer as an AS5600 behind a mux."""
    sources = list[DialSource]()
    with (
        tempfile.TemporaryDirectory(prefix="trapdial-bench-") as folder,
        Journal(Path(folder) / "journal.db", MAGE_KNIGHT) as journal,
        TableBuilder(settings, SleepingParts()) as builder,
    ):
        feed = builder.threads()

        def kept(of: Sequence[DialSource]) -> Feed:
            sources.extend(of)
            return feed(of)

        loop = builder.loop(journal, feed=kept, host=Host(), pages=pages)
        made = ScanningTable(loop, [source for source in sources if isinstance(source, Scan)])
        if not made.step_until(lambda: loop.ready, READY_S):
            raise WiringRefusedError(["a dial of these settings is no AS5600 behind a mux: try other settings"])
        yield made


def paces(settings: Settings, crowd: int, seconds: float) -> Paces:
    """Measure the scan for so long in each state: alone, with a busy phone at every seat, and with strangers besides.
    The states take turns, so that other programs on this machine disturb all of them alike. Raises
    BrokenInstallationError."""
    found = [_paces(settings, crowd, seconds / TURNS) for _ in range(TURNS)]
    return Paces(
        _middle([each.alone for each in found]),
        _middle([each.phones for each in found]),
        _middle([each.strangers for each in found]),
        statistics.median(each.asked_hz for each in found),
    )


def _middle(found: Sequence[Pace]) -> Pace:
    return Pace(
        statistics.median(each.rate_hz for each in found),
        max(each.gap_ms for each in found),
        statistics.median(each.percent for each in found),
    )


def _paces(settings: Settings, crowd: int, seconds: float) -> Paces:
    with scanning(settings, None) as table:
        table.step_until(lambda: False, SETTLING_S)
        alone = table.pace(seconds)
    with ExitStack() as open_now:
        opened = open_now.enter_context(open_port(None))
        setup = replace(setup_of(opened.address), demo=False)
        link = ProcessLink(setup, opened.listeners)
        open_now.callback(link.close)
        codes = codes_of(opened.key, tuple(settings.seats))
        table = open_now.enter_context(scanning(settings, TablePages(link, setup.address, codes)))
        pipe = open_now.enter_context(phones(opened.address, codes))
        table.step_until(pipe.poll, READY_S)
        received(pipe, "phones")
        pipe.send(Word("busy"))
        table.step_until(lambda: False, SETTLING_S)
        with_phones = table.pace(seconds)
        hammer = open_now.enter_context(strangers(opened.address, crowd))
        table.step_until(hammer.poll, READY_S)
        received(hammer, "strangers")
        table.step_until(lambda: False, SETTLING_S)
        with_strangers = table.pace(seconds)
        hammer.send("stop")
        table.step_until(hammer.poll, READY_S)
        asked = received(hammer, "strangers")
        pipe.send(Word("stop"))
    return Paces(alone, with_phones, with_strangers, asked / (seconds + SETTLING_S))
