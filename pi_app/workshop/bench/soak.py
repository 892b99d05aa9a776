"""Days of a table's life in minutes: the whole program plays game after game on twins while faults strike the tiles.

The real program plays (scan, dials, game, journal, reports, displays) on virtual time. The players follow a plan and
ignore the screens, as in a demo, so claims fail as well. After some hours of play the game is ended and the table is
left alone for a night: only a passer-by may turn a dial, and the program samples as rarely as at any quiet table. In
the morning another game begins, or the plug is pulled first. Now and then the program is killed in the middle of a
game and resumes it from its journal. Meanwhile

- every turn that a dial reports or the journal records, and every claim, is compared with what the hand did;
- faults of `hardware.sims.faults` strike at random, alone or together, and end after a while; the time from the end of
  the last one until all dials are read again is measured;
- memory, objects, handles and threads are counted.
"""

from __future__ import annotations

import gc
import random
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hardware.host import memory_folder
from pi_app.simulated import actions
from pi_app.simulated.script import script
from pi_app.text.progress import Progress, no_progress
from pi_app.workshop.bench import Bench, machine
from pi_app.workshop.bench.growth import Meter, Points
from pi_app.workshop.bench.memory import held_mb
from pi_app.workshop.bench.soak_figures import DAY_S, HOUR_S, SoakResult, figures
from pi_app.workshop.bench.soak_table import S_NS, SoakTable

if TYPE_CHECKING:
    from pi_app.settings.model import Settings

NIGHTS: Final = 3
NIGHT_PART: Final = 0.4
"""The share of all samples that falls into the nights."""

EXPOSES_AT_ONCE: Final = 12
"""So many are planned ahead."""

KILLED_EACH: Final = 7
"""The program is killed in the middle of one chapter of so many."""

PASSES_BY_S: Final = 3 * HOUR_S
"""From one passer-by to the next at night, on average."""

MEASURES: Final = 240


def run(settings: Settings, samples: int, seed: int, progress: Progress = no_progress) -> Bench:
    """Play until the dials gave so many samples, and return the figures."""
    with tempfile.TemporaryDirectory(prefix="trapdial-bench-", dir=memory_folder()) as folder:
        result = Soak(settings, Path(folder), seed, samples, progress).run()
    return Bench("soak", machine(), tuple(figures(result)), (*EXPLAINS, *result.turns.examples))


EXPLAINS: Final = (
    "The table, its hands, its faults and its time are SIMULATED; the program that plays is the real one, whole.",
    "Each turn is compared with what the hand did: it must be reported correctly, or as unknown.",
    "Recovery: from the end of the last fault until every dial has been read again.",
    "Growth: of the later half, over the table's own time, by least squares, with its 95 % interval. The figure is the "
    "lower end of that interval.",
)


class Soak:
    """One table that is played, left alone, disturbed and watched until its dials gave so many samples."""

    def __init__(
        self, settings: Settings, folder: Path, seed: int, samples: int, progress: Progress = no_progress
    ) -> None:
        self._settings, self._seed, self._samples, self._progress = settings, seed, samples, progress
        self._every = max(1, samples // MEASURES)
        self._draw = random.Random(f"soak {seed}")
        self._chapters = self._measured = 0
        self._quiet = False
        self._of_play = Points()
        self.result = SoakResult()
        self.table = SoakTable(settings, folder, seed, self.result.turns, self.result.faults, self._draw)

    def begin(self) -> None:
        """Wait until every dial is read; the measurement begins there."""
        self.table.until_ready()
        self._meter = Meter()
        self._began_ns = self.table.clock.now_ns()

    def run(self) -> SoakResult:
        """Play the days and nights, and close the table."""
        samples, table = self._samples, self.table
        try:
            self.begin()
            for night in range(1, NIGHTS + 1):
                self._play(round(samples * (night - NIGHT_PART) / NIGHTS))
                self.night(round(samples * night / NIGHTS))
            table.faults.end()
            while not table.faults.calm:
                self._step()
            self.result.played_s = self._played_s
            self._measure_growth()
        finally:
            table.close()
        self.result.journal_bytes = table.journal.stat().st_size
        return self.result

    @property
    def _played_s(self) -> float:
        """Time so far without the nights that are over."""
        return (self.table.clock.now_ns() - self._began_ns) / S_NS - self.result.quiet_s

    def _play(self, until_samples: int) -> None:
        while self.result.turns.samples < until_samples:
            self._chapter()

    def _chapter(self) -> None:
        """Play a dozen exposes; now and then kill the program in the middle of them."""
        self._chapters += 1
        table = self.table
        coming = script(self._seed * 1_000_000 + self._chapters, table.demo.public_state(), EXPOSES_AT_ONCE)
        began_ns = table.clock.now_ns()
        for at_ns, act in coming.actions:
            table.at(began_ns + at_ns, act)
        killed = self._chapters % KILLED_EACH == 0
        until_ns = began_ns + (round(coming.end_ns * self._draw.random()) if killed else coming.end_ns)
        while table.clock.now_ns() < until_ns or (killed and not table.truth.at_rest):
            self._step()
        if killed:
            table.restart(power=False)
            self.result.kills += 1

    def night(self, until_samples: int) -> None:
        """End the game, turn all dials back and leave the table alone; in the morning begin another game."""
        table, result = self.table, self.result
        table.demo.act(actions.TypeLine("end"))
        table.run(2.0)
        for label, square in self._settings.squares.items():
            back = table.truth.position(label) % square.table.clicks
            if back:
                table.demo.act(actions.TurnDial(label, -back, tuple(120.0 for _ in range(back - 1))))
        self._set_quiet(True)
        began_ns = table.clock.now_ns()
        passes_ns = self._passes_by()
        while result.turns.samples < until_samples:
            if table.clock.now_ns() >= passes_ns:
                table.turn_any((-3, -2, -1, 1, 2, 3))
                passes_ns = self._passes_by()
            self._step()
        result.nights += 1
        result.quiet_s += (table.clock.now_ns() - began_ns) / S_NS
        self._set_quiet(False)
        while not (table.truth.at_rest and table.faults.calm):
            self._step()
        if result.nights % 2:
            table.restart(power=True)
            result.cuts += 1
        else:
            table.demo.act(actions.TypeLine("new"))
            table.run(2.0)

    def _set_quiet(self, quiet: bool) -> None:
        self._quiet = quiet
        self.table.faults.set_quiet(quiet)

    def _passes_by(self) -> int:
        return self.table.clock.now_ns() + round(self._draw.expovariate(1 / PASSES_BY_S) * S_NS)

    def _step(self) -> None:
        self.table.step()
        samples = self.result.turns.samples
        if samples - self._measured >= self._every:
            self._measured = samples
            turns, faults = self.result.turns, self.result.faults
            told = f"{faults.injected.total()} faults, {turns.turns} turns, {turns.games} games"
            self._progress(told, samples, self._samples)
            self._meter.take(self.table.clock.now_ns() / S_NS / DAY_S, samples / self._samples)
            if not self._quiet:
                self._of_play.take(self._played_s / DAY_S, self._meter.mb.ys[-1])

    def _measure_growth(self) -> None:
        result, meter = self.result, self._meter
        result.mb, result.garbage = held_mb(), gc.collect()
        result.mb_slope, result.objects_slope = meter.mb.slope, meter.objects.slope
        result.play_slope = self._of_play.slope
        result.held_slope, result.growing = meter.held.slope, meter.growing()
        result.files, result.more_files = meter.first_files, meter.files
        result.threads, result.more_threads = meter.first_threads, meter.threads
