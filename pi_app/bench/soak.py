"""Hours of a table's life in minutes: the whole program plays game after game on twins while faults befall the tiles.

The real program plays (scan, dials, game, journal, reports, displays) on virtual time. Players are as blind as those of
a demo: they turn, tap and hold by their plan, whatever the table makes of it, so claims go wrong as well. Faults of
`hardware.sims.faults` strike at random, one after the other or some at once, and are mended after a while. Meanwhile

- every turn that a dial reports, and every one that the journal takes, is held against what the hand did;
- after the last fault that was there has ended, it is timed how long until all dials are read again;
- memory and open files are counted.
"""

from __future__ import annotations

import gc
import math
import os
import random
import sys
import tempfile
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hardware.sims.faults import FAULTS
from pi_app import events as ev
from pi_app.bench import Bench, Figure, machine
from pi_app.bench.latency import MEMORY
from pi_app.bench.memory import held_mb
from pi_app.dial import Tracker, Turn
from pi_app.game import Phase
from pi_app.plan import plan

if TYPE_CHECKING:
    from pi_app.demo import Demo
    from pi_app.settings import Settings

S_NS: Final = 1_000_000_000
DAY_S: Final = 86_400.0

MOST_RECOVERY_S: Final = 1.0
MOST_MB_PER_DAY: Final = 1.0
TELLS_AFTER_S: Final = 3_600.0
WARM_PART: Final = 0.25
"""Of the run, before memory counts: every picture, plan and cache was needed once by then."""

EXPOSES_AT_ONCE: Final = 12
"""So many are planned ahead."""

BETWEEN_FAULTS_S: Final = 6.0
SHORTEST_FAULT_S: Final = 0.02
LONGEST_FAULT_S: Final = 20.0
TOGETHER: Final = 0.15
"""How often the next fault strikes while another is there."""

PATIENCE_NS: Final = 5 * S_NS
"""A dial that rested and was read for so long has been reported, or never will be."""

PLACES: Final = 256
"""Remembered of each hand: more than it goes through in any turn."""

LOOKS_PER_MEASURE: Final = 2_000

NOT_TO_BE_SEEN: Final = {"leads-swapped": "a tile without a memory has no number by which it could be told"}
"""Faults that this table has no means to notice, and why."""


@dataclass(slots=True)
class Found:
    """What a soak counted. `struck` and `slowest_s` are by the fault's name; what struck while another fault was there
    counts in `slowest_together_s` alone."""

    samples: int = 0
    virtual_s: float = 0.0
    games: int = 0
    turns: int = 0
    right: int = 0
    unknown: int = 0
    wrong: int = 0
    unreported: int = 0
    misrecorded: int = 0
    struck: Counter[str] = field(default_factory=Counter)
    unfit: set[str] = field(default_factory=set)
    recovered: int = 0
    slowest_s: dict[str, float] = field(default_factory=dict)
    slowest_together_s: float = 0.0
    mb_per_day: float = 0.0
    mb: float = 0.0
    blocks_per_day: float = 0.0
    files: int = 0
    more_files: int = 0
    journal_mb_per_day: float = 0.0
    examples: list[str] = field(default_factory=list)

    def example(self, words: str) -> None:
        """Keep the first few of what went wrong."""
        if len(self.examples) < 8:
            self.examples.append(words)


def run(settings: Settings, samples: int, seed: int, told: Callable[[str], None] = lambda what: None) -> Bench:
    """Play until so many samples were followed, and judge it. `told` hears how far it is."""
    memory = MEMORY if os.access(MEMORY, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="trapdial-bench-", dir=memory) as folder:
        found = Soak(settings, Path(folder) / "journal.db", seed, told).play(samples)
    return Bench("soak", machine(), tuple(figures(found)), (*EXPLAINS, *found.examples))


EXPLAINS: Final = (
    "The table, its hands, its faults and its time are SIMULATED; the program that plays is the real one, whole.",
    "Each turn is held against what the hand did; it is right, or said to be unknown, and nothing else.",
    "Recovery: from the moment when no fault is left until every dial has been read again.",
    "Memory: resident memory and Python's blocks over virtual time, by least squares, after the first quarter.",
)


def figures(found: Found) -> list[Figure]:
    """One figure for each of what was counted."""
    total = sum(found.struck.values())
    kinds = ", ".join(f"{name} {count}" for name, count in sorted(found.struck.items()))
    unfit = f"; not for this table: {', '.join(sorted(found.unfit))}" if found.unfit else ""
    hours = found.virtual_s / 3_600
    turned = f"of {found.turns} turns in {found.games} games"
    return [
        Figure("samples followed", found.samples, "samples", note=f"{hours:.2f} hours of the table's life"),
        Figure("turns told wrong", found.wrong, "turns", 0, note=turned),
        Figure("turns not reported", found.unreported, "turns", 0),
        Figure("turns written down otherwise than told", found.misrecorded, "turns", 0),
        Figure("turns told right", found.right, "turns"),
        Figure("turns said to be unknown", found.unknown, "turns", note="something hid the dial meanwhile"),
        Figure("faults struck", total, "faults", note=kinds + unfit),
        Figure("faults not recovered from", total - found.recovered, "faults", 0),
        Figure(
            "longest recovery from a single fault",
            max(found.slowest_s.values(), default=0.0),
            "s",
            MOST_RECOVERY_S,
            note=_slowest(found.slowest_s),
        ),
        Figure("longest recovery from several at once", found.slowest_together_s, "s"),
        Figure(
            "growth of memory per virtual day",
            found.mb_per_day,
            "MB",
            MOST_MB_PER_DAY if found.virtual_s >= TELLS_AFTER_S else None,
            note=f"{found.mb:.1f} MB held; a slope of less than an hour tells nothing",
        ),
        Figure("growth of Python's blocks per virtual day", found.blocks_per_day, "blocks"),
        Figure("more open files than at first", found.more_files, "files", 0, note=f"{found.files} at first"),
        Figure("the journal's growth per virtual day", found.journal_mb_per_day, "MB", note="of play without a pause"),
    ]


def _slowest(by_fault: Mapping[str, float]) -> str:
    worst = sorted(by_fault.items(), key=lambda item: -item[1])[:5]
    return ", ".join(f"{name} {took_s:.2f} s" for name, took_s in worst)


# ------------------------------------------------------------------------------------------------- the whole play


class Soak:
    """One table that is played, disturbed and watched."""

    def __init__(self, settings: Settings, journal: Path, seed: int, told: Callable[[str], None]) -> None:
        self._settings, self._journal, self._seed, self._told = settings, journal, seed, told
        self.found = Found()

    def play(self, samples: int) -> Found:
        """Play until the dials gave so many samples."""
        from pi_app.demo import Demo

        with Demo(self._settings, self._journal, seed=self._seed) as demo:
            truth = watched(demo, self.found)
            while not demo.loop.ready:
                demo.step()
            troubles = Troubles(demo, truth, self.found, random.Random(f"soak {self._seed}"))
            meter = Meter(self.found)
            began_ns = demo.table.clock.now_ns()
            chapter = 0
            while self.found.samples < samples:
                self._chapter(demo, truth, troubles, meter, chapter, samples)
                chapter += 1
            troubles.end()
            while not troubles.calm:
                self._step(demo, truth, troubles)
            virtual_s = self.found.virtual_s = (demo.table.clock.now_ns() - began_ns) / S_NS
            meter.judge()
            self.found.games = truth.games
            self.found.journal_mb_per_day = self._journal_mb() * DAY_S / virtual_s
        return self.found

    def _chapter(self, demo: Demo, truth: Truth, troubles: Troubles, meter: Meter, number: int, samples: int) -> None:
        clock = demo.table.clock
        coming = plan(self._seed * 1_000_000 + number, demo.known(), EXPOSES_AT_ONCE)
        began_ns = clock.now_ns()
        for at_ns, act in coming.acts:
            clock.at(began_ns + at_ns, lambda act=act: demo.act(act))  # type: ignore[misc]
        while clock.now_ns() < began_ns + coming.end_ns and demo.loop.running:
            self._step(demo, truth, troubles)
            if self.found.samples % LOOKS_PER_MEASURE < len(demo.table.tiles):
                meter.take(clock.now_ns(), self.found.samples / samples)
        percent = 100 * self.found.samples // samples
        self._told(f"{percent} %, {sum(self.found.struck.values())} faults, {self.found.turns} turns")

    def _step(self, demo: Demo, truth: Truth, troubles: Troubles) -> None:
        demo.step()
        self.found.samples += len(demo.table.tiles)
        truth.look()
        troubles.look()

    def _journal_mb(self) -> float:
        return sum(file.stat().st_size for file in self._journal.parent.iterdir()) / 1e6


# ---------------------------------------------------------------------------------------------- what really happens


@dataclass(slots=True)
class DialTruth:
    """What is known of one dial: where its hand has it, where it stood when a turn was last reported, and what was
    reported since the journal last took a turn of it."""

    told_at: int
    places: deque[tuple[int, int]]
    still_from_ns: int = 0
    since: list[Turn] = field(default_factory=list)


class Truth:
    """The hands, beside what the dials report of them."""

    def __init__(self, demo: Demo, found: Found) -> None:
        self._demo, self._found = demo, found
        self._hands = {label: tile.hand for label, tile in demo.table.tiles.items()}
        self._pitch = {label: 4096 / square.table.clicks for label, square in demo.settings.squares.items()}
        self.dials = {
            label: DialTruth(self._place(label, 0), deque([(0, self._place(label, 0))], PLACES))
            for label in self._hands
        }
        self.games = 0
        self._looked_ns = 0

    def _place(self, label: str, at_ns: int) -> int:
        """The detent nearest to the dial, whole turns counted."""
        return round(self._hands[label].angle_counts(at_ns) / self._pitch[label])

    def look(self) -> None:
        """Note where every dial is; a change that nobody reported in all that time never will be.

        A place is noted as of the last look: what a dial says in a step was asked before the step's end.
        """
        since_ns, self._looked_ns = self._looked_ns, self._demo.table.clock.now_ns()
        now_ns = self._looked_ns
        for label, dial in self.dials.items():
            place = self._demo.loop.dials[label]
            read = place.good_ns is not None and now_ns - place.good_ns < S_NS // 10
            if self._hands[label].at_rest_from_ns > now_ns or dial.places[-1][1] != self._place(label, now_ns):
                dial.places.append((since_ns, self._place(label, now_ns)))
                dial.still_from_ns = now_ns
            elif not read or place.tracker.turning:
                dial.still_from_ns = now_ns
            elif now_ns - dial.still_from_ns > PATIENCE_NS and dial.places[-1][1] != dial.told_at:
                self._found.unreported += 1
                self._found.example(
                    f"{label} at {now_ns / S_NS:.2f} s: {dial.told_at} to {dial.places[-1][1]} unreported"
                )
                dial.told_at = dial.places[-1][1]

    def reported(self, label: str, turn: Turn) -> None:
        """Hold a turn against the hand."""
        dial, found = self.dials[label], self._found
        stands = next((place for at_ns, place in reversed(dial.places) if at_ns <= turn.end_ns), dial.told_at)
        moved, dial.told_at = stands - dial.told_at, stands
        dial.since.append(turn)
        clicks = round(4096 / self._pitch[label])
        found.turns += 1
        there = turn.to_position in (None, stands % clicks)
        if there and turn.clicks is None:
            found.unknown += 1
        elif there and turn.clicks == moved:
            found.right += 1
        else:
            found.wrong += 1
            found.example(
                f"{label} at {turn.end_ns / S_NS:.2f} s: the hand turned {moved:+d} to {stands % clicks}, reported: "
                f"{turn.from_position} to {turn.to_position}, clicks {turn.clicks}"
            )

    def recorded(self, event: ev.AnyEvent) -> None:
        """A turn in the journal is all that was reported of that dial since the last one there."""
        if isinstance(event, ev.Started):
            self.games += 1
            for dial in self.dials.values():
                dial.since.clear()
        if not isinstance(event, ev.Turned):
            return
        since = self.dials[event.square].since
        clicks = [turn.clicks for turn in since]
        told = None if None in clicks else sum(each or 0 for each in clicks)
        if event.motion.clicks is not None and event.motion.clicks != told:
            self._found.misrecorded += 1
            self._found.example(f"{event.square}: {told} clicks were reported, {event.motion.clicks} written down")
        since.clear()


class WatchedTracker:
    """A tracker whose turns somebody else hears as well."""

    def __init__(self, tracker: Tracker, heard: Callable[[Turn], None]) -> None:
        self._tracker, self._heard = tracker, heard

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tracker, name)

    @property
    def ends_at_rest(self) -> bool:
        return self._tracker.ends_at_rest

    @ends_at_rest.setter
    def ends_at_rest(self, ends: bool) -> None:
        self._tracker.ends_at_rest = ends

    def feed(self, at_ns: int, raw: int | None) -> Turn | None:
        return self._tell(self._tracker.feed(at_ns, raw))

    def end_turn(self, now_ns: int) -> Turn | None:
        return self._tell(self._tracker.end_turn(now_ns))

    def _tell(self, turn: Turn | None) -> Turn | None:
        if turn is not None:
            self._heard(turn)
        return turn


class WatchedJournal:
    """A journal whose entries somebody else hears as well."""

    def __init__(self, journal: Any, heard: Callable[[ev.AnyEvent], None]) -> None:
        self._journal, self._heard = journal, heard

    def __getattr__(self, name: str) -> Any:
        return getattr(self._journal, name)

    def append(self, game_id: str, before: Any, event: ev.AnyEvent) -> Any:
        after = self._journal.append(game_id, before, event)
        self._heard(event)
        return after


def watched(demo: Demo, found: Found) -> Truth:
    """Stand between the dials, the journal and the loop of a demo, and listen."""
    truth = Truth(demo, found)
    for label, place in demo.loop.dials.items():
        heard = _heard_of(truth, label)
        place.tracker = WatchedTracker(place.tracker, heard)  # type: ignore[assignment]
    demo.loop.journal = WatchedJournal(demo.loop.journal, truth.recorded)  # type: ignore[assignment]
    return truth


def _heard_of(truth: Truth, label: str) -> Callable[[Turn], None]:
    return lambda turn: truth.reported(label, turn)


# ---------------------------------------------------------------------------------------------------------- faults


class Troubles:
    """Faults that come and go. `calm`: none is there, and every dial was read since the last one ended."""

    def __init__(self, demo: Demo, truth: Truth, found: Found, draw: random.Random) -> None:
        self._demo, self._found, self._draw = demo, found, draw
        self._tiles = demo.table.tiles
        self._there: list[tuple[int, str, str]] = []
        self._waiting: list[str] = []
        self._ended_ns = 0
        self._over = False
        self._next_ns = self._later(BETWEEN_FAULTS_S)

    @property
    def calm(self) -> bool:
        return not self._there and not self._waiting

    def end(self) -> None:
        """No more of them; those that are there are mended at their time."""
        self._over = True

    def look(self) -> None:
        """Mend what is due, time what recovers, strike what is next."""
        now_ns = self._demo.table.clock.now_ns()
        for due in [each for each in self._there if each[0] <= now_ns]:
            self._there.remove(due)
            self._tiles[due[1]].mend(due[2])
            self._ended_ns = now_ns
        if not self._there and self._waiting:
            self._time(now_ns)
        may = self.calm or (self._there and self._draw.random() < TOGETHER * 0.01)
        if not self._over and may and now_ns >= self._next_ns:
            self._strike(now_ns)

    def _time(self, now_ns: int) -> None:
        loop = self._demo.loop
        playing = loop.moment.game.phase is Phase.PLAYING  # else nobody can write down that a dial is back
        if all(
            place.good_ns is not None and place.good_ns > self._ended_ns and not (playing and place.lost)
            for place in loop.dials.values()
        ):
            took_s = (now_ns - self._ended_ns) / S_NS
            slowest = self._found.slowest_s
            if len(self._waiting) == 1:
                name = self._waiting[0]
                slowest[name] = max(took_s, slowest.get(name, 0.0))
            else:
                self._found.slowest_together_s = max(took_s, self._found.slowest_together_s)
            self._found.recovered += len(self._waiting)
            self._waiting.clear()

    def _strike(self, now_ns: int) -> None:
        name = self._draw.choice(sorted(set(FAULTS) - self._found.unfit - set(NOT_TO_BE_SEEN)))
        label = self._draw.choice(list(self._tiles))
        self._next_ns = self._later(BETWEEN_FAULTS_S)
        if any(there[1] == label for there in self._there):
            return
        try:
            self._tiles[label].strike(name)
        except ValueError:
            self._found.unfit.add(name)
            return
        self._found.struck[name] += 1
        self._waiting.append(name)
        self._ended_ns = now_ns
        if FAULTS[name].mend is not None:
            self._there.append((now_ns + self._lasts_ns(), label, name))

    def _lasts_ns(self) -> int:
        shortest, longest = math.log(SHORTEST_FAULT_S), math.log(LONGEST_FAULT_S)
        return round(math.exp(self._draw.uniform(shortest, longest)) * S_NS)

    def _later(self, mean_s: float) -> int:
        return self._demo.table.clock.now_ns() + round(self._draw.expovariate(1 / mean_s) * S_NS)


# ---------------------------------------------------------------------------------------------------------- memory


class Meter:
    """Memory and open files over virtual time; only sums are kept, so that measuring does not grow itself."""

    def __init__(self, found: Found) -> None:
        self._found = found
        self._mb, self._blocks = Slope(), Slope()
        found.files = open_files()

    def take(self, at_ns: int, part: float) -> None:
        """Measure now, if warm."""
        if part < WARM_PART:
            return
        gc.collect()
        days = at_ns / S_NS / DAY_S
        self._mb.take(days, held_mb())
        self._blocks.take(days, sys.getallocatedblocks())

    def judge(self) -> None:
        self._found.mb_per_day = self._mb.per_unit
        self._found.blocks_per_day = self._blocks.per_unit
        self._found.mb = held_mb()
        self._found.more_files = open_files() - self._found.files


@dataclass(slots=True)
class Slope:
    """A straight line through points, by least squares."""

    n: int = 0
    x: float = 0.0
    y: float = 0.0
    xx: float = 0.0
    xy: float = 0.0
    first: float | None = None

    def take(self, x: float, y: float) -> None:
        """One more point; they are counted from the first one on, for the digits' sake."""
        self.first = x if self.first is None else self.first
        x -= self.first
        self.n += 1
        self.x, self.y = self.x + x, self.y + y
        self.xx, self.xy = self.xx + x * x, self.xy + x * y

    @property
    def per_unit(self) -> float:
        """How much y grows per x; 0 for too few points."""
        spread = self.n * self.xx - self.x * self.x
        return 0.0 if spread <= 0 else (self.n * self.xy - self.x * self.y) / spread


def open_files(folder: Path = Path("/proc/self/fd")) -> int:
    """How many handles this process has open (the one that counts is not)."""
    return len(os.listdir(folder)) - 1
