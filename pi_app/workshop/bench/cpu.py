"""The share of a core that `play` uses: at rest, under an open claim, while a dial is turned.

The real loop, scanning threads with their CPU budget, drivers, trackers, journal, lamps and screens run in real time
above wires that sleep for as long as real ones would take (`pi_app.workshop.bench.cpu_wires`). The processor time of
the whole process counts, with the kernel's share of its calls.
"""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Final

from msgspec.structs import replace as changed

from hardware.host import Host
from hardware.readings import DialSource
from hardware.scan import Scan
from pi_app.journal import Journal
from pi_app.play.build import TableBuilder
from pi_app.play.feed import Feed
from pi_app.play.loop import Loop
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.settings.model import Settings
from pi_app.text.errors import WiringRefusedError
from pi_app.workshop.bench import Bench, Figure, Progress, machine, no_progress
from pi_app.workshop.bench.cpu_wires import SleepingParts

SPEEDS_HZ: Final = (100_000, 400_000)
MOST_IDLE_PERCENT: Final = 10.0
READY_S: Final = 20.0
SETTLING_S: Final = 2.0
"""Before each figure: the CPU budget settles, and a dial that was turned ends its turn."""


@dataclass(frozen=True, slots=True)
class Usage:
    """The share of a core, and the samples per second of the least sampled dial."""

    percent: float
    samples_hz: float


@dataclass(frozen=True, slots=True)
class Activity:
    """Whether a hand turns the first dial, and the line typed before."""

    name: str
    most_percent: float
    turning: bool = False
    word: str = ""


def activities(settings: Settings) -> tuple[Activity, ...]:
    """Return what is measured, in this order."""
    most = 100 * settings.table.max_cpu
    return (
        Activity("all dials at rest", MOST_IDLE_PERCENT),
        Activity("one dial turned", most, turning=True),
        Activity("an open claim", most, word=f"claim {next(iter(settings.seats))}"),
        Activity("an open claim, its dial turned", most, turning=True),
    )


@dataclass(slots=True)
class RunningTable:
    """A table in real time, played step by step."""

    loop: Loop
    parts: SleepingParts
    scans: Sequence[Scan]

    def play(self, seconds: float) -> None:
        until_ns = self.parts.clock.now_ns() + round(seconds * 1e9)
        while self.parts.clock.now_ns() < until_ns:
            self.loop.step()

    def enter(self, activity: Activity, settling_s: float) -> None:
        """Begin an activity and give the program time to settle. The line is typed once turned dials are at rest."""
        self.parts.turning = activity.turning
        self.play(settling_s)
        if activity.word:
            self.loop.say(activity.word)
            self.play(settling_s)

    def measure(self, seconds: float) -> Usage:
        for scan in self.scans:
            scan.reset_counts()
        began_ns, cpu_ns = self.parts.clock.now_ns(), time.process_time_ns()
        self.play(seconds)
        cpu_ns = time.process_time_ns() - cpu_ns
        took_ns = self.parts.clock.now_ns() - began_ns
        reads = min(scan.counts(dial).reads for scan in self.scans for dial in scan.dials)
        return Usage(100 * cpu_ns / took_ns, reads * 1e9 / took_ns)


@contextlib.contextmanager
def running_table(settings: Settings) -> Iterator[RunningTable]:
    """Build the program above sleeping wires, as `play` does, with all dials read and a game begun.

    Raises WiringRefusedError if a dial of these settings does not answer as an AS5600 behind a mux.
    """
    parts, sources = SleepingParts(), list[DialSource]()
    with (
        tempfile.TemporaryDirectory(prefix="trapdial-bench-") as folder,
        Journal(Path(folder) / "journal.db", MAGE_KNIGHT) as journal,
        TableBuilder(settings, parts) as builder,
    ):
        feed = builder.threads()

        def kept(of: Sequence[DialSource]) -> Feed:
            sources.extend(of)
            return feed(of)

        loop = builder.loop(journal, feed=kept, host=Host())
        made = RunningTable(loop, parts, [source for source in sources if isinstance(source, Scan)])
        until_ns = parts.clock.now_ns() + round(READY_S * 1e9)
        while not loop.ready:
            if parts.clock.now_ns() > until_ns:
                raise WiringRefusedError(["a dial of these settings is no AS5600 behind a mux: try other settings"])
            loop.step()
        yield made


def run(
    settings: Settings,
    seconds: float,
    *,
    speeds_hz: Sequence[int] = SPEEDS_HZ,
    settling_s: float = SETTLING_S,
    progress: Progress = no_progress,
) -> Bench:
    """Measure each activity for so many seconds, at each speed of the dials' buses."""
    figures: list[Figure] = []
    for speed_hz in speeds_hz:
        name = f"{len(settings.squares)} dials, {speed_hz // 1000} kHz"
        with running_table(at_speed(settings, speed_hz)) as table:
            for activity in activities(settings):
                progress(f"{name}, {activity.name}")
                table.enter(activity, settling_s)
                used = table.measure(seconds)
                note = f"{used.samples_hz:.0f} samples/s of each dial"
                title = f"{name}, {activity.name}: CPU"
                figures.append(Figure(title, used.percent, "%", activity.most_percent, note=note))
    return Bench("cpu", machine(), tuple(figures), EXPLAINS)


EXPLAINS: Final = (
    "The wires are SIMULATED: each call sleeps for its bits and 0.1 ms more. Above them is the real program, in "
    "real time, with a journal in a temporary folder.",
    "Processor time of the whole process, as a share of one core. A slower machine uses more at rest, and under a "
    "claim as much as `max_cpu` allows.",
    "The dial that moves is turned without a pause: five clicks there, five back.",
)


def at_speed(settings: Settings, speed_hz: int) -> Settings:
    """Return the same table with all buses at this speed."""
    buses = {name: changed(bus, speed_hz=speed_hz) for name, bus in settings.buses.items()}
    return replace(settings, buses=MappingProxyType(buses))
