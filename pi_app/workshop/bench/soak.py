"""Days of a table's life in minutes: the whole program plays game after game on twins while faults befall the tiles.

The real program plays (scan, dials, game, journal, reports, displays) on virtual time. Players are as blind as those of
a demo: they turn, tap and hold by their plan, whatever the table makes of it, so claims go wrong as well. After some
hours of play the game is ended and the table left alone for a night; then nobody plays but a passer-by, and the
program looks at the dials as seldom as it does at any quiet table. In the morning it goes on, or its plug was pulled.
Now and then it is killed in the middle of a game and started again from its journal. Meanwhile

- every turn that a dial reports, every one that the journal takes and every claim is held against what the hand did;
- faults of `hardware.sims.faults` strike at random, one after the other or some at once, and are mended after a
  while; after the last one that was there has ended, it is timed how long until all dials are read again;
- memory, objects, handles and threads are counted.
"""

from __future__ import annotations

import gc
import os
import random
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from pi_app.game.game import Phase
from pi_app.journal import keys_of
from pi_app.simulated import actions as acts
from pi_app.simulated.script import plan
from pi_app.text.errors import UserFileError, problem
from pi_app.workshop.bench import Bench, Figure, Progress, machine, no_progress
from pi_app.workshop.bench.growth import Meter, Points, Slope
from pi_app.workshop.bench.latency import MEMORY
from pi_app.workshop.bench.memory import held_mb
from pi_app.workshop.bench.soak_troubles import Befell, Troubles
from pi_app.workshop.bench.soak_truth import Told, Truth

if TYPE_CHECKING:
    from pi_app.settings.load import Settings
    from pi_app.simulated.demo import Demo

S_NS: Final = 1_000_000_000
HOUR_S: Final = 3_600.0
DAY_S: Final = 86_400.0

MOST_RECOVERY_S: Final = 1.0
MOST_MB_PER_DAY: Final = 1.0
MOST_MB_PER_DAY_OF_PLAY: Final = 10.0
"""Of a day of play without a pause, which no table has: nights are left out of it."""
TELLS_AFTER_S: Final = 6 * HOUR_S
"""A shorter life tells nothing of its growth per day."""
TELLS_OF_PLAY_AFTER_S: Final = 2 * HOUR_S
"""A program is still warming up in its first hour of play, and the later half of a run must not be that hour."""

NIGHTS: Final = 3
NIGHT_PART: Final = 0.4
"""So much of all looks falls into the nights."""

EXPOSES_AT_ONCE: Final = 12
"""So many are planned ahead."""

KILLED_EACH: Final = 7
"""One chapter of so many is not seen to its end by the program that began it."""

DOWN_S: Final = (2.0, 30.0)
TURNED_MEANWHILE: Final = 0.3
PASSES_BY_S: Final = 3 * HOUR_S
"""At night somebody passes by and turns a dial, on average."""

MEASURES: Final = 240


@dataclass(slots=True)
class Found:
    """What a soak counted."""

    told: Told = field(default_factory=Told)
    befell: Befell = field(default_factory=Befell)
    played_s: float = 0.0
    quiet_s: float = 0.0
    nights: int = 0
    kills: int = 0
    cuts: int = 0
    mb: float = 0.0
    mb_slope: Slope = field(default_factory=Slope)
    play_slope: Slope = field(default_factory=Slope)
    objects_slope: Slope = field(default_factory=Slope)
    held_slope: Slope = field(default_factory=Slope)
    growing: list[tuple[str, float]] = field(default_factory=list)
    garbage: int = 0
    files: int = 0
    more_files: int = 0
    threads: int = 0
    more_threads: int = 0
    journal_bytes: int = 0

    @property
    def lived_s(self) -> float:
        return self.played_s + self.quiet_s


def run(settings: Settings, samples: int, seed: int, progress: Progress = no_progress) -> Bench:
    """Live until so many samples were followed, and judge it. `told` hears how far it is."""
    memory = MEMORY if os.access(MEMORY, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="trapdial-bench-", dir=memory) as folder:
        found = Soak(settings, Path(folder), seed, progress).live(samples)
    return Bench("soak", machine(), tuple(figures(found)), (*EXPLAINS, *found.told.examples))


def with_numbers(settings: Settings, folder: Path) -> Settings:
    """The same table with a memory in every tile, calibrated, so that swapped leads can be told. The calibration goes
    into a file in `folder`."""
    from msgspec.structs import replace as changed

    from pi_app.dials.calibration import Calibration, dump

    learnt = {}
    for number, (label, square) in enumerate(settings.squares.items(), 1):
        clicks, turn = square.table.clicks, square.counts_per_turn
        sign = -1 if square.invert else 1
        learnt[label] = Calibration.of_centres(
            [sign * k * turn // clicks % turn for k in range(clicks)],
            [0] * clicks,
            counts_per_turn=turn,
            invert=square.invert,
            tile=f"24aa02uid:{number:08X}",
            revision=1,
        )
    file = folder.absolute() / "calibration.toml"
    file.write_text(dump(learnt), encoding="utf-8")
    squares = {label: changed(square, memory="24aa02uid") for label, square in settings.squares.items()}
    return replace(settings, squares=MappingProxyType(squares), table=changed(settings.table, calibration=str(file)))


def only_absolute(settings: Settings) -> None:
    """Raises UserFileError with every dial that only counts steps: once it lost its count nobody can say what is
    right."""
    problems = [
        problem(
            settings.where,
            f"[square.{label}]",
            f"a {square.chip} only counts steps, so a soak cannot hold it against where its hand stands",
            "Soak a table of absolute encoders",
        )
        for label, square in settings.squares.items()
        if not square.kind.absolute
    ]
    if problems:
        raise UserFileError(problems)


EXPLAINS: Final = (
    "The table, its hands, its faults and its time are SIMULATED; the program that plays is the real one, whole.",
    "Each turn is held against what the hand did; it is right, or said to be unknown, and nothing else.",
    "Recovery: from the moment when no fault is left until every dial has been read again.",
    "Growth: of the later half, over the table's own time, by least squares, with its 95 % interval. A miss is what is "
    "surely more than the target.",
)


def figures(found: Found) -> list[Figure]:
    """One figure for each of what was counted."""
    told = found.told
    hours = (
        f"{found.lived_s / HOUR_S:.1f} hours of the table's life: {found.played_s / HOUR_S:.2f} played, "
        f"{found.quiet_s / HOUR_S:.2f} quiet in {found.nights} nights"
    )
    return [
        Figure("samples followed", told.samples, "samples", note=hours),
        Figure("turns told wrong", told.wrong, "turns", 0, note=f"of {told.turns} turns in {told.games} games"),
        Figure("turns that nobody made", told.invented, "turns", 0),
        Figure("turns not reported", told.unreported, "turns", 0),
        Figure("turns written down otherwise than told", told.misrecorded, "turns", 0),
        Figure("claims bound to a dial that nobody turned", told.misclaimed, "claims", 0, note=f"of {told.claimed}"),
        Figure("turns told right", told.right, "turns"),
        Figure("turns said to be unknown", told.unknown, "turns", note="something hid the dial meanwhile"),
        *_figures_of_faults(found.befell),
        Figure(
            "dials believed elsewhere after a new start",
            told.misremembered,
            "dials",
            0,
            note=f"{found.kills} kills in a game, {found.cuts} mornings after the plug was pulled",
        ),
        *_figures_of_growth(found),
    ]


def _figures_of_faults(befell: Befell) -> list[Figure]:
    kinds = ", ".join(f"{name} {count}" for name, count in sorted(befell.struck.items()))
    unfit = f"; not for this table: {', '.join(sorted(befell.unfit))}" if befell.unfit else ""
    return [
        Figure("faults struck", befell.struck.total(), "faults", note=f"{len(befell.struck)} kinds: {kinds}{unfit}"),
        Figure("faults that struck while another was there", befell.together, "faults"),
        Figure(
            "faults not recovered from",
            befell.unrecovered,
            "faults",
            0,
            note=f"{befell.killed} more were there when the program was killed",
        ),
        Figure(
            "longest recovery from a single fault",
            max(befell.slowest_s.values(), default=0.0),
            "s",
            MOST_RECOVERY_S,
            note=_slowest(befell.slowest_s),
        ),
        Figure("longest recovery from several at once", befell.slowest_together_s, "s", MOST_RECOVERY_S),
    ]


def _slowest(by_fault: Mapping[str, float]) -> str:
    worst = sorted(by_fault.items(), key=lambda item: -item[1])[:5]
    return ", ".join(f"{name} {took_s:.2f} s" for name, took_s in worst)


def _figures_of_growth(found: Found) -> list[Figure]:
    events = max(1, found.told.events.total())
    kinds = ", ".join(f"{name} {count}" for name, count in found.told.events.most_common(5))
    growing = ", ".join(f"{name} {by:+.0f}" for name, by in found.growing) or "nothing"
    tells = found.lived_s >= TELLS_AFTER_S
    tells_of_play = found.played_s >= TELLS_OF_PLAY_AFTER_S
    return [
        Figure(
            "memory surely grows per day by",
            found.mb_slope.at_least,
            "MB",
            MOST_MB_PER_DAY if tells else None,
            note=f"{_interval(found.mb_slope, 'MB')}; {found.mb:.1f} MB held"
            + ("" if tells else "; too short a life to tell"),
        ),
        Figure(
            "memory surely grows per day of play without a pause by",
            found.play_slope.at_least,
            "MB",
            MOST_MB_PER_DAY_OF_PLAY if tells_of_play else None,
            note=f"{_interval(found.play_slope, 'MB')}; nights left out"
            + ("" if tells_of_play else f"; {found.played_s / HOUR_S:.1f} h of play are too few to tell"),
        ),
        Figure(
            "objects per day",
            found.objects_slope.per_unit,
            "objects",
            note=f"{_interval(found.objects_slope, '')}; more in the last quarter: {growing}",
        ),
        Figure("entries of containers per day", found.held_slope.per_unit, "", note=_interval(found.held_slope, "")),
        Figure("garbage that was not collected yet at the end", found.garbage, "objects"),
        Figure("more open files than at first", found.more_files, "files", 0, note=f"{found.files} at first"),
        Figure("more threads than at first", found.more_threads, "threads", 0, note=f"{found.threads} at first"),
        Figure(
            "the journal's bytes per event", found.journal_bytes / events, "bytes", note=f"{events} events: {kinds}"
        ),
        Figure(
            "the journal's growth per day of play without a pause",
            found.journal_bytes / 1e6 * DAY_S / found.played_s if found.played_s else 0.0,
            "MB",
            note=f"{found.journal_bytes / 1e6:.2f} MB on disk in all",
        ),
    ]


def _interval(slope: Slope, unit: str) -> str:
    return f"{slope.per_unit:+.3g} +- {slope.give_or_take:.2g} {unit}".rstrip()


# ------------------------------------------------------------------------------------------------- the whole life


class Soak:
    """One table that is played, left alone, disturbed and watched. Its journal lies in `folder`."""

    def __init__(self, settings: Settings, folder: Path, seed: int, told: Callable[[str], None]) -> None:
        from pi_app.simulated.demo import Demo
        from pi_app.simulated.table import MIXED

        self._settings, self._folder, self._seed, self._say = settings, folder, seed, told
        self._draw = random.Random(f"soak {seed}")
        self._lives = self._chapters = self._samples = self._every = self._measured = 0
        self._quiet = False
        self._of_play = Points()
        self.found = Found()
        self._demo: Demo = Demo(settings, self._journal, seed=seed, hand=MIXED)
        self._clock = self._demo.table.clock
        self._truth = Truth(self._demo, self.found.told)
        self._troubles = Troubles(self._demo, self.found.befell, random.Random(f"faults {seed}"))

    @property
    def _journal(self) -> Path:
        return self._folder / f"journal-{self._lives}.db"

    def live(self, samples: int) -> Found:
        """Live until the dials gave so many samples."""
        self._samples, self._every = samples, max(1, samples // MEASURES)
        try:
            self._until_ready()
            self._meter = Meter()
            self._began_ns = self._clock.now_ns()
            for night in range(1, NIGHTS + 1):
                self._play(round(samples * (night - NIGHT_PART) / NIGHTS))
                self._night(round(samples * night / NIGHTS))
            self._troubles.end()
            while not self._troubles.calm:
                self._step()
            self.found.played_s = self._played_s
            self._judge()
        finally:
            self._demo.close()
        self.found.journal_bytes = self._journal.stat().st_size
        return self.found

    @property
    def _played_s(self) -> float:
        """Outside of the nights that are over."""
        return (self._clock.now_ns() - self._began_ns) / S_NS - self.found.quiet_s

    # ------------------------------------------------------------------ what goes on

    def _play(self, until_samples: int) -> None:
        while self.found.told.samples < until_samples:
            self._chapter()
            percent = 100 * self.found.told.samples // self._samples
            told = self.found.told
            self._say(f"{percent} %, {self.found.befell.struck.total()} faults, {told.turns} turns, {told.games} games")

    def _chapter(self) -> None:
        """A dozen exposes; now and then the program is killed in the middle of them."""
        self._chapters += 1
        coming = plan(self._seed * 1_000_000 + self._chapters, self._demo.known(), EXPOSES_AT_ONCE)
        began_ns = self._clock.now_ns()
        for at_ns, act in coming.acts:
            self._at(began_ns + at_ns, act)
        killed = self._chapters % KILLED_EACH == 0
        until_ns = began_ns + (round(coming.end_ns * self._draw.random()) if killed else coming.end_ns)
        while self._clock.now_ns() < until_ns or (killed and not self._truth.at_rest):
            self._step()
        if killed:
            self._start_again(power=False)
            self.found.kills += 1

    def _at(self, at_ns: int, act: acts.Act) -> None:
        """Have something done then, unless the program that it was planned for is no more."""
        life = self._lives
        self._clock.at(at_ns, lambda: self._demo.act(act) if self._lives == life else None)

    def _night(self, until_samples: int) -> None:
        """The game ends, all dials are turned back, nobody plays; in the morning another begins."""
        self._demo.act(acts.Word("end"))
        self._seconds(2.0)
        for label, square in self._settings.squares.items():
            back = self._truth.place(label) % square.table.clicks
            if back:
                self._demo.act(acts.Turn(label, -back, tuple(120.0 for _ in range(back - 1))))
        self._goes_quiet(True)
        began_ns = self._clock.now_ns()
        passes_ns = self._passes_by()
        while self.found.told.samples < until_samples:
            if self._clock.now_ns() >= passes_ns:
                tile = self._draw.choice(list(self._demo.table.tiles.values()))
                tile.hand.turn(self._clock.now_ns(), self._draw.choice((-3, -2, -1, 1, 2, 3)))
                passes_ns = self._passes_by()
            self._step()
        self.found.nights += 1
        self.found.quiet_s += (self._clock.now_ns() - began_ns) / S_NS
        self._goes_quiet(False)
        while not (self._truth.at_rest and self._troubles.calm):
            self._step()
        if self.found.nights % 2:
            self._start_again(power=True)
            self.found.cuts += 1
        else:
            self._demo.act(acts.Word("new"))
            self._seconds(2.0)

    def _goes_quiet(self, quiet: bool) -> None:
        self._quiet = quiet
        self._troubles.goes_quiet(quiet)

    def _passes_by(self) -> int:
        return self._clock.now_ns() + round(self._draw.expovariate(1 / PASSES_BY_S) * S_NS)

    def _seconds(self, seconds: float) -> None:
        until_ns = self._clock.now_ns() + round(seconds * S_NS)
        while self._clock.now_ns() < until_ns:
            self._step()

    # ------------------------------------------------------------------ the program ends and starts again

    def _start_again(self, *, power: bool) -> None:
        """What is on disk at this moment is all that the next program has; a hand may turn a dial meanwhile."""
        from pi_app.simulated.demo import Demo

        table, resumes = self._demo.table, self._demo.loop.moment.game.phase is Phase.PLAYING
        self._end_of_the_program()
        table.restart(power=power)
        if self._draw.random() < TURNED_MEANWHILE:
            tile = self._draw.choice(list(table.tiles.values()))
            tile.hand.turn(self._clock.now_ns(), self._draw.choice((-2, -1, 1, 2)))
        self._clock.advance(round(self._draw.uniform(*DOWN_S) * S_NS))
        self._demo = Demo(self._settings, self._journal, seed=self._seed, resume=True, table=table)
        self._truth.again(self._demo)
        self._troubles.again(self._demo)
        self._until_ready()
        if self._demo.resumed is not resumes:
            raise RuntimeError(f"the game {'was forgotten' if resumes else 'had ended'} and the journal says otherwise")
        self._truth.remembers()

    def _end_of_the_program(self) -> None:
        left = self._journal
        self._lives += 1
        for end in ("", "-wal"):
            written = left.with_name(left.name + end)
            if written.exists():
                shutil.copyfile(written, self._journal.with_name(self._journal.name + end))
        shutil.copytree(keys_of(left).folder, keys_of(self._journal).folder)
        self._demo.abandon()
        for end in ("", "-wal", "-shm"):
            left.with_name(left.name + end).unlink(missing_ok=True)
        shutil.rmtree(keys_of(left).folder)
        self._truth.let_go()
        self._troubles.let_go()
        del self._demo
        gc.unfreeze()  # the kernel takes back all of a killed program's memory: what it set aside at its start as well
        gc.collect()

    def _until_ready(self) -> None:
        while not self._demo.loop.ready:
            self._demo.step()
            self._truth.look()

    # ------------------------------------------------------------------ step by step

    def _step(self) -> None:
        self._demo.step()
        self._truth.look()
        self._troubles.look()
        samples = self.found.told.samples
        if samples - self._measured >= self._every:
            self._measured = samples
            self._meter.take(self._clock.now_ns() / S_NS / DAY_S, samples / self._samples)
            if not self._quiet:
                self._of_play.take(self._played_s / DAY_S, self._meter.mb.ys[-1])

    def _judge(self) -> None:
        found, meter = self.found, self._meter
        found.mb, found.garbage = held_mb(), gc.collect()
        found.mb_slope, found.objects_slope = meter.mb.slope, meter.objects.slope
        found.play_slope = self._of_play.slope
        found.held_slope, found.growing = meter.held.slope, meter.growing()
        found.files, found.more_files = meter.first_files, meter.files
        found.threads, found.more_threads = meter.first_threads, meter.threads
