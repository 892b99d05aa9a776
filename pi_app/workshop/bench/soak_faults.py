"""Faults of `hardware.sims.faults` that befall a table at random, and how soon it has recovered from each."""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from pi_app.game.game import Phase
from pi_app.simulated.table import FAULTS

if TYPE_CHECKING:
    from pi_app.simulated.demo import Demo

S_NS: Final = 1_000_000_000

WHILE_PLAYED_S: Final = 6.0
WHILE_QUIET_S: Final = 7_200.0
"""From one fault to the next, on average."""

SHORTEST_FAULT_S: Final = 0.02
LONGEST_FAULT_S: Final = 20.0
TOGETHER: Final = 0.15
"""How often the next fault strikes while another is there."""

NO_NUMBERS: Final = "leads-swapped"
"""A tile that has no memory with a number cannot be told from another one that hangs in its place."""


@dataclass(slots=True)
class Befell:
    """The faults that struck, by name. `slowest_s`: the longest that the table took to recover from each when it was
    there alone; `unfit`: what this table cannot have."""

    struck: Counter[str] = field(default_factory=Counter)
    recovered: Counter[str] = field(default_factory=Counter)
    unfit: set[str] = field(default_factory=set)
    slowest_s: dict[str, float] = field(default_factory=dict)
    together: int = 0
    slowest_together_s: float = 0.0
    killed: int = 0
    """Faults that were there, or not recovered from yet, when the program was killed: they count as struck alone."""

    @property
    def unrecovered(self) -> int:
        return self.struck.total() - self.recovered.total() - self.killed


class Troubles:
    """Faults that come and go. `calm`: none is there, and every dial was read since the last one ended."""

    def __init__(self, demo: Demo, befell: Befell, draw: random.Random) -> None:
        self._demo, self._befell, self._draw = demo, befell, draw
        self._tiles, self._clock = demo.table.tiles, demo.table.clock
        numbered = all(square.memory is not None for square in demo.settings.squares.values())
        self._fit = [name for name in FAULTS if numbered or name != NO_NUMBERS]
        befell.unfit.update(set(FAULTS) - set(self._fit))
        self._deck: list[str] = []
        self._there: list[tuple[int, str, str]] = []
        self._waiting: list[str] = []
        self._ended_ns = 0
        self._over = False
        self.quiet = False
        self._next_ns = self._later()

    @property
    def calm(self) -> bool:
        return not self._there and not self._waiting

    def end(self) -> None:
        """No more of them; those that are there are mended at their time."""
        self._over = True

    def goes_quiet(self, quiet: bool) -> None:
        """The table is played from now on, or is not: faults are as frequent as then."""
        self.quiet = quiet
        self._next_ns = self._later()

    def let_go(self) -> None:
        """The program that was watched is no more."""
        del self._demo

    def again(self, demo: Demo) -> None:
        """Another program plays the same table; what is there stays there, and nothing is timed."""
        self._demo = demo
        self._befell.killed += len(self._waiting)
        self._waiting.clear()
        self._next_ns = self._later()

    def look(self) -> None:
        """Mend what is due, time what recovers, strike what is next."""
        now_ns = self._clock.now_ns()
        if self._there:
            self._mend(now_ns)
        if not self._there and self._waiting:
            self._time(now_ns)
        if self._over or now_ns < self._next_ns:
            return
        if self.calm or (self._there and self._draw.random() < TOGETHER * 0.01):
            self._strike(now_ns)

    def _mend(self, now_ns: int) -> None:
        for due in [each for each in self._there if each[0] <= now_ns]:
            self._there.remove(due)
            self._tiles[due[1]].mend(due[2])
            self._ended_ns = now_ns

    def _time(self, now_ns: int) -> None:
        loop = self._demo.loop
        playing = loop.moment.game.phase is Phase.PLAYING  # else nobody can write down that a dial is back
        if not all(
            place.good_ns is not None and place.good_ns > self._ended_ns and not (playing and place.lost)
            for place in loop.sitting.dials.values()
        ):
            return
        took_s = (now_ns - self._ended_ns) / S_NS
        befell = self._befell
        if len(self._waiting) == 1:
            name = self._waiting[0]
            befell.slowest_s[name] = max(took_s, befell.slowest_s.get(name, 0.0))
        else:
            befell.slowest_together_s = max(took_s, befell.slowest_together_s)
        befell.recovered.update(self._waiting)
        self._waiting.clear()

    def _strike(self, now_ns: int) -> None:
        self._next_ns = self._later()
        label = self._draw.choice(list(self._tiles))
        if any(there[1] == label for there in self._there):
            return
        name = self._drawn()
        try:
            self._tiles[label].strike(name)
        except ValueError:
            self._fit.remove(name)
            self._befell.unfit.add(name)
            return
        self._befell.together += bool(self._waiting)
        self._befell.struck[name] += 1
        self._waiting.append(name)
        self._ended_ns = now_ns
        if FAULTS[name].mend is not None:
            self._there.append((now_ns + self._lasts_ns(), label, name))

    def _drawn(self) -> str:
        """From a shuffled deck of them all, so that a run of moderate length has each kind."""
        if not self._deck:
            self._deck = self._draw.sample(self._fit, len(self._fit))
        return self._deck.pop()

    def _lasts_ns(self) -> int:
        shortest, longest = math.log(SHORTEST_FAULT_S), math.log(LONGEST_FAULT_S)
        return round(math.exp(self._draw.uniform(shortest, longest)) * S_NS)

    def _later(self) -> int:
        mean_s = WHILE_QUIET_S if self.quiet else WHILE_PLAYED_S
        return self._clock.now_ns() + round(self._draw.expovariate(1 / mean_s) * S_NS)
