"""The latency from a settled dial to its report on the seat's display: the software's part, and the disk's.

The real program plays a simulated table: scan, dials, game, journal, reports, display. The clock of that table is
virtual; the software is timed by the machine's clock, from the arrival of the samples until the seat's display has the
picture. In between lie the dials, the button, the event, its row in the journal, the public lines and the drawing.

The same exposes are timed twice: with the journal in memory, where a sync costs nothing, and on the disk. The
difference, expose by expose, is the disk's part. The software's part is the first, in processor time: nothing in it
waits, so on an idle machine the wall clock agrees, and on a busy one it includes the other programs.
"""

from __future__ import annotations

import os
import random
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from hardware.host import MEMORY, memory_folder
from pi_app.dials.sampling import Sampling
from pi_app.play.build import Outputs
from pi_app.play.feed import DialSample, Feed, Job
from pi_app.report.pictures import SeatPicture, ShowFace
from pi_app.settings.model import Settings
from pi_app.simulated.actions import Press, Release, TableAction, TurnDial, TypeLine
from pi_app.simulated.demo import Demo
from pi_app.simulated.script import DemoScript
from pi_app.text.errors import WiringRefusedError
from pi_app.workshop.bench import Bench, Figure, Progress, machine, no_progress, p50, percentile

MOST_SOFTWARE_MS: Final = 2.0
SEED: Final = 7
IN_MEMORY: Final = ("tmpfs", "ramfs")

MS_NS: Final = 1_000_000
CLICK_MS: Final = 120.0
REST_MS: Final = 900.0
"""Longer than the rest that is required of a dial whose click was hardly seen."""


def run(settings: Settings, folder: Path, exposes: int, *, syncs: int = 200, progress: Progress = no_progress) -> Bench:
    """Play so many exposes twice, with the journal in memory and in `folder`, which must exist."""
    progress("journal in memory")
    memory = memory_folder()
    software = [] if memory is None else play(settings, memory, exposes)
    busy = os.getloadavg()[0]
    progress(f"journal in {folder}")
    whole = play(settings, folder, exposes)
    progress(f"bare syncs in {folder}")
    bare = bare_syncs_ns(folder, syncs)
    load = f"wall clock; {busy:.1f} programs ran on {os.cpu_count()} cores"
    figures = [
        *_figures(software, whole, load),
        *_pair("bare write and sync", [took / MS_NS for took in bare], f"{len(bare)} of {WAL_BYTES} bytes"),
    ]
    return Bench("latency", machine(), tuple(figures), tuple(explains(folder, memory)))


def _figures(software: Sequence[Elapsed], whole: Sequence[Elapsed], load: str) -> list[Figure]:
    count = f"{len(whole)} exposes"
    on_disk = _pair("total on this disk", [took.wall_ns / MS_NS for took in whole], count)
    if not software:
        return on_disk
    disk = [(took.wall_ns - ours.wall_ns) / MS_NS for ours, took in zip(software, whole, strict=True)]
    return [
        *_pair("software", [took.cpu_ns / MS_NS for took in software], f"processor time, {count}", MOST_SOFTWARE_MS),
        *_pair("software and other programs", [took.wall_ns / MS_NS for took in software], load),
        *_pair("disk", disk, "same expose, on disk less in memory"),
        *on_disk,
    ]


def _pair(name: str, values_ms: Sequence[float], note: str, target_ms: float | None = None) -> list[Figure]:
    slowest = f"the slowest {max(values_ms):.2f} ms"
    return [
        Figure(f"{name}, p50", p50(values_ms), "ms", note=note),
        Figure(f"{name}, p99", percentile(values_ms, 99), "ms", target_ms, note=slowest),
    ]


def explains(folder: Path, memory: Path | None) -> list[str]:
    kind = file_system(folder)
    lines = [
        "The table is SIMULATED; the program above its wires, the journal and the disk are real.",
        "Timed from the arrival of samples until the seat's display has the picture.",
        "Not included: up to one scan period until the sample, and the time for which a button must be held.",
    ]
    if memory is None:
        lines.append(f"{MEMORY} cannot be used here, so the software's part could not be measured alone.")
    if kind in IN_MEMORY:
        lines.append(f"{folder} is in memory ({kind}), where a sync costs nothing: name a folder on the card or disk.")
    else:
        lines.append(f"{folder} is on {kind or 'a file system of unknown kind'}.")
    return lines


# --------------------------------------------------------------------------------------------- timed exposes


@dataclass(frozen=True, slots=True)
class Elapsed:
    """The wall-clock and processor time of one expose."""

    wall_ns: int
    cpu_ns: int


@dataclass(slots=True)
class Stopwatch:
    """Times from the arrival of samples until a face is shown."""

    came: Elapsed = field(default_factory=lambda: Elapsed(0, 0))
    took: list[Elapsed] = field(default_factory=list)

    def start(self) -> None:
        self.came = Elapsed(time.perf_counter_ns(), time.thread_time_ns())

    def shown(self, seat: str, picture: SeatPicture, at_ns: int) -> None:
        """Note a picture on a seat's display; only faces count."""
        if isinstance(picture, ShowFace):
            cpu_ns = time.thread_time_ns() - self.came.cpu_ns
            self.took.append(Elapsed(time.perf_counter_ns() - self.came.wall_ns, cpu_ns))


@dataclass(slots=True)
class TimedFeed:
    """A feed that starts a stopwatch whenever it hands over samples."""

    feed: Feed
    watch: Stopwatch

    @property
    def sampling(self) -> Sampling:
        return self.feed.sampling

    @sampling.setter
    def sampling(self, sampling: Sampling) -> None:
        self.feed.sampling = sampling

    def rate_hz(self) -> float:
        return self.feed.rate_hz()

    def take(self) -> Sequence[DialSample]:
        looks = self.feed.take()
        self.watch.start()
        return looks

    def rest(self, until_ns: int) -> None:
        self.feed.rest(until_ns)

    def run_on(self, source: int, job: Job) -> None:
        self.feed.run_on(source, job)

    def close(self) -> None:
        self.feed.close()


def play(settings: Settings, folder: Path, exposes: int) -> list[Elapsed]:
    """Play so many exposes with a journal in `folder`, and return the time of each, in order.

    Raises WiringRefusedError if a face was not shown: then dials of this table do not answer as they must.
    """
    watch = Stopwatch()
    with (
        tempfile.TemporaryDirectory(prefix="trapdial-bench-", dir=folder) as inside,
        Demo(settings, Path(inside) / "journal.db", seed=SEED, outputs=Outputs(shown=watch.shown)) as demo,
    ):
        demo.loop.feed = TimedFeed(demo.loop.feed, watch)
        while not demo.loop.ready:
            demo.step()
        demo.play(brisk(tuple(settings.seats), tuple(settings.squares), exposes, hold_ms=settings.table.hold_ms))
    if len(watch.took) != exposes:
        raise WiringRefusedError(
            [
                f"the simulated table: {exposes} exposes were played and {len(watch.took)} faces shown. "
                "Is a dial of the settings incremental, or sampled less than 50 times a second? Try other settings."
            ]
        )
    return watch.took


def brisk(seats: Sequence[str], squares: Sequence[str], exposes: int, *, hold_ms: int, seed: int = SEED) -> DemoScript:
    """Plan expose after expose without a pause, so that many fit into little time: tap, turn, hold. When every square
    is exposed the game ends, the dials are turned back, and another one begins."""
    draw = random.Random(f"brisk {seed}")
    acts: list[tuple[int, TableAction]] = []
    at_ms = 100.0
    turned: dict[str, int] = {}
    for number in range(exposes):
        if len(turned) == len(squares):
            at_ms = _next_game(acts, at_ms, turned)
        square = squares[len(turned)]
        roll = turned[square] = draw.randint(1, 6)
        at_ms = _expose(acts, at_ms, seats[number % len(seats)], square, roll, hold_ms)
    acts.sort(key=lambda act: act[0])
    return DemoScript(tuple(acts), round((at_ms + 500) * MS_NS))


def _expose(
    acts: list[tuple[int, TableAction]], at_ms: float, seat: str, square: str, roll: int, hold_ms: int
) -> float:
    turns_ms = at_ms + 250
    rests_ms = turns_ms + roll * CLICK_MS + REST_MS
    lets_go_ms = rests_ms + hold_ms + 150
    for when_ms, act in (
        (at_ms, Press(seat)),
        (at_ms + 100, Release(seat)),
        (turns_ms, TurnDial(square, roll, (CLICK_MS,) * (roll - 1))),
        (rests_ms, Press(seat)),
        (lets_go_ms, Release(seat)),
    ):
        acts.append((round(when_ms * MS_NS), act))
    return lets_go_ms + 100


def _next_game(acts: list[tuple[int, TableAction]], at_ms: float, turned: dict[str, int]) -> float:
    acts.append((round(at_ms * MS_NS), TypeLine("end")))
    for square, clicks in turned.items():
        back = TurnDial(square, -clicks, (CLICK_MS,) * (clicks - 1))
        acts.append((round((at_ms + 50) * MS_NS), back))
    at_ms += 50 + max(turned.values()) * CLICK_MS + 1_000
    turned.clear()
    acts.append((round(at_ms * MS_NS), TypeLine("new")))
    return at_ms + 300


# ------------------------------------------------------------------------------------------------- the bare disk


WAL_BYTES: Final = 4 * 4120
"""About the bytes that one event adds to SQLite's log: four pages of 4096 bytes, each with its header."""


def bare_syncs_ns(folder: Path, syncs: int) -> list[int]:
    """Time a write and fdatasync of `WAL_BYTES` at the end of a file, so many times."""
    data = bytes(WAL_BYTES)
    took_ns: list[int] = []
    with tempfile.TemporaryFile(prefix="trapdial-bench-", dir=folder, buffering=0) as file:
        for _ in range(syncs):
            began_ns = time.perf_counter_ns()
            file.write(data)
            os.fdatasync(file.fileno())
            took_ns.append(time.perf_counter_ns() - began_ns)
    return took_ns


def file_system(folder: Path, mounts: Path = Path("/proc/self/mounts")) -> str:
    """Return the kind of a folder's file system, such as `ext4`; empty if it is not known."""
    if not mounts.is_file():
        return ""
    kinds: Mapping[str, str] = {
        fields[1]: fields[2]
        for line in mounts.read_text(encoding="utf-8").splitlines()
        if len(fields := line.split()) > 2
    }
    place = folder.resolve()
    return next((kinds[str(parent)] for parent in (place, *place.parents) if str(parent) in kinds), "")
