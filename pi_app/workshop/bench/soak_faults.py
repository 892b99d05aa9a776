"""Random faults of `hardware.sims.faults` on a table's tiles, and how soon the program recovers from each."""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from pi_app.game.state import Phase
from pi_app.simulated.table import FAULTS, faults

if TYPE_CHECKING:
    from pi_app.simulated.demo import Demo

S_NS: Final = 1_000_000_000

WHILE_PLAYED_S: Final = 6.0
WHILE_QUIET_S: Final = 7_200.0
"""From one fault to the next, on average."""

SHORTEST_FAULT_S: Final = 0.02
LONGEST_FAULT_S: Final = 20.0
TOGETHER: Final = 0.15
"""How often the next fault starts during another."""

NO_NUMBERS: Final = "leads-swapped"
"""Only a memory with a number tells a tile from another one on its lead."""


@dataclass(slots=True)
class FaultCounts:
    """The injected faults, by name. `slowest_s`: the longest recovery from each as the only fault; `unfit`: faults that
    this table cannot have; `killed`: faults present, or not recovered from, when the program was killed."""

    injected: Counter[str] = field(default_factory=Counter)
    recovered: Counter[str] = field(default_factory=Counter)
    unfit: set[str] = field(default_factory=set)
    slowest_s: dict[str, float] = field(default_factory=dict)
    together: int = 0
    slowest_together_s: float = 0.0
    killed: int = 0

    @property
    def unrecovered(self) -> int:
        return self.injected.total() - self.recovered.total() - self.killed


class RandomFaults:
    """Faults that come and go. `calm`: none is present, and every dial was read since the last one ended."""

    def __init__(self, demo: Demo, counts: FaultCounts, draw: random.Random) -> None:
        self._demo, self._counts, self._draw = demo, counts, draw
        self._tiles, self._clock = demo.table.tiles, demo.table.clock
        numbered = all(square.memory is not None for square in demo.settings.squares.values())
        self._fit = [name for name in FAULTS if numbered or name != NO_NUMBERS]
        counts.unfit.update(set(FAULTS) - set(self._fit))
        self._deck: list[str] = []
        self._present: list[tuple[int, str, str]] = []
        self._unrecovered: list[str] = []
        self._ended_ns = 0
        self._over = False
        self._quiet = False
        self._next_ns = self._later()

    @property
    def calm(self) -> bool:
        return not self._present and not self._unrecovered

    def end(self) -> None:
        """Inject no more; those that are present end in their time."""
        self._over = True

    def set_quiet(self, quiet: bool) -> None:
        """Faults are rare at a table where nobody plays."""
        self._quiet = quiet
        self._next_ns = self._later()

    def release(self) -> None:
        """Drop the program that was killed."""
        del self._demo

    def watch(self, demo: Demo) -> None:
        """Go on with another program on the same table. Faults stay; their recovery is not timed."""
        self._demo = demo
        self._counts.killed += len(self._unrecovered)
        self._unrecovered.clear()
        self._next_ns = self._later()

    def step(self) -> None:
        """End what is due, time recoveries, inject the next fault."""
        now_ns = self._clock.now_ns()
        if self._present:
            self._mend(now_ns)
        if not self._present and self._unrecovered:
            self._time(now_ns)
        if self._over or now_ns < self._next_ns:
            return
        if self.calm or (self._present and self._draw.random() < TOGETHER * 0.01):
            self.inject(now_ns)

    def _mend(self, now_ns: int) -> None:
        for due in [each for each in self._present if each[0] <= now_ns]:
            self._present.remove(due)
            faults.mend(self._tiles[due[1]], due[2])
            self._ended_ns = now_ns

    def _time(self, now_ns: int) -> None:
        loop = self._demo.loop
        playing = loop.moment.game.phase is Phase.PLAYING  # only a game records that a dial is back
        if not all(
            place.good_ns is not None and place.good_ns > self._ended_ns and not (playing and place.lost)
            for place in loop.session.dials.values()
        ):
            return
        took_s = (now_ns - self._ended_ns) / S_NS
        counts = self._counts
        if len(self._unrecovered) == 1:
            name = self._unrecovered[0]
            counts.slowest_s[name] = max(took_s, counts.slowest_s.get(name, 0.0))
        else:
            counts.slowest_together_s = max(took_s, counts.slowest_together_s)
        counts.recovered.update(self._unrecovered)
        self._unrecovered.clear()

    def inject(self, now_ns: int) -> None:
        """Inject the next fault into a random tile, unless that tile has one."""
        self._next_ns = self._later()
        label = self._draw.choice(list(self._tiles))
        if any(present[1] == label for present in self._present):
            return
        name = self.next_fault()
        try:
            faults.strike(self._tiles[label], name)
        except ValueError:
            self._fit.remove(name)
            self._counts.unfit.add(name)
            return
        self._counts.together += bool(self._unrecovered)
        self._counts.injected[name] += 1
        self._unrecovered.append(name)
        self._ended_ns = now_ns
        if FAULTS[name].mend is not None:
            self._present.append((now_ns + self._lasts_ns(), label, name))

    def next_fault(self) -> str:
        """Draw from a shuffled deck of all faults, so that a run of moderate length has each kind."""
        if not self._deck:
            self._deck = self._draw.sample(self._fit, len(self._fit))
        return self._deck.pop()

    def _lasts_ns(self) -> int:
        shortest, longest = math.log(SHORTEST_FAULT_S), math.log(LONGEST_FAULT_S)
        return round(math.exp(self._draw.uniform(shortest, longest)) * S_NS)

    def _later(self) -> int:
        mean_s = WHILE_QUIET_S if self._quiet else WHILE_PLAYED_S
        return self._clock.now_ns() + round(self._draw.expovariate(1 / mean_s) * S_NS)
