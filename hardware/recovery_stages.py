"""The recovery ladder: which step comes next on one bus, given what happened.

Pure: it is told what happened and when, and says what to do; `hardware.scan` does it. The steps, each only when
the one before did not help:

1. the dial is asked again in the same scan;
2. after three scans without an answer its last angle is called stale, and keeps its age;
3. after a time-out, or a look that lost the lines twice, every mux's RESET is pulsed and the dial started anew;
4. a dial that hangs the bus again is set aside: it is probed ever more rarely, alone, at the end of a scan;
5. if nothing on the bus can be read, nine clocks and a STOP (NXP UM10204 section 3.1.16), where its pins may be
   driven;
6. the power of its tiles is switched off and on, where it can be;
7. the bus is given up: everything else goes on, it is probed still, and steps 5 and 6 come again, ever more rarely.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

MS: Final = 1_000_000

STALE_AFTER: Final = 3
"""Scans in a row in which a dial was asked and gave no angle."""

QUARANTINE_AFTER: Final = 2
"""Hangs in a row: the first may have been a plug that was pulled in the middle of a byte."""

FIRST_PROBE_NS: Final = 160 * MS
LONGEST_PROBE_NS: Final = 640 * MS
"""A probe of a hung segment costs a time-out. Seldom enough for the others to keep nine tenths of their looks,
often enough to have it back within a second of the day it is mended."""

PROBE_SHARE: Final = 10
"""A probe is followed by at least so many times its cost without one: an adapter that keeps its own patience of a
second must not spend it every other second."""

HELD_AFTER: Final = 2
"""Probes in a row with nothing readable at all on the bus, before its pins or its power are touched."""

FIRST_CLIMB_NS: Final = 8_000 * MS
LONGEST_CLIMB_NS: Final = 64_000 * MS
"""Between two climbs: switching power off and on is no game for every second."""


class Rung(enum.IntEnum):
    """How far up its ladder a dial stands."""

    SOUND = 0
    ASKED_AGAIN = 1
    STALE = 2
    RESET = 3
    QUARANTINE = 4


class Step(enum.Enum):
    """What can be done for a whole bus on which nothing can be read."""

    PROBE = "probe it again"
    CLEAR = "nine clocks and a STOP"
    POWER = "tile power off and on"
    GIVE_UP = "leave it, and probe it now and then"


@dataclass(frozen=True, slots=True)
class DialLadder:
    """One dial: how often in a row it gave no angle, and how often it hung its bus."""

    misses: int = 0
    hangs: int = 0

    @property
    def rung(self) -> Rung:
        """Where it stands now."""
        if self.hangs >= QUARANTINE_AFTER:
            return Rung.QUARANTINE
        if self.hangs:
            return Rung.RESET
        if self.misses >= STALE_AFTER:
            return Rung.STALE
        return Rung.ASKED_AGAIN if self.misses else Rung.SOUND

    def missed(self, *, hung: bool) -> DialLadder:
        """No angle, though it was asked twice; `hung` if a transfer to it never ended."""
        return DialLadder(self.misses + 1, self.hangs + 1 if hung else 0)


SOUND: Final = DialLadder()


@dataclass(frozen=True, slots=True)
class BusLadder:
    """One bus. `can` are the steps that its wiring allows, of CLEAR and POWER."""

    can: Sequence[Step] = ()
    probe_delay_ns: int = 0
    next_probe_ns: int = 0
    held: int = 0
    climbed: int = 0
    given_up: bool = False
    climb_delay_ns: int = 0
    next_climb_ns: int = 0

    def may_probe(self, now_ns: int) -> bool:
        """Whether one hung dial may be asked now."""
        return now_ns >= self.next_probe_ns

    def hung(self, now_ns: int, cost_ns: int = 0) -> BusLadder:
        """A probe, or a dial that was well, cost a time-out: so much, with the scan that it was part of."""
        delay_ns = min(max(FIRST_PROBE_NS, 2 * self.probe_delay_ns), LONGEST_PROBE_NS)
        delay_ns = max(delay_ns, PROBE_SHARE * cost_ns if self.probe_delay_ns else 0)
        return replace(self, probe_delay_ns=delay_ns, next_probe_ns=now_ns + delay_ns)

    def let_go(self, now_ns: int) -> BusLadder:
        """A hung dial was heard again: the next one may be asked at once."""
        return replace(self, next_probe_ns=now_ns)

    def answered(self, now_ns: int) -> BusLadder:
        """Some dial that was lost gave an angle, so the bus itself is free."""
        calm = now_ns >= self.next_climb_ns + LONGEST_CLIMB_NS
        return replace(
            self,
            probe_delay_ns=0,
            held=0,
            climbed=0,
            given_up=False,
            climb_delay_ns=0 if calm else self.climb_delay_ns,
        )

    def nothing_read(self, now_ns: int) -> tuple[Step, BusLadder]:
        """A probe failed and no dial of the bus can be read: what comes next, and the ladder after it.

        After CLEAR and POWER everything may be probed at once.
        """
        held = self.held + 1
        begins = self.climbed == 0
        if held < HELD_AFTER or (begins and now_ns < self.next_climb_ns):
            return Step.PROBE, replace(self, held=held)
        if self.climbed == len(self.can):
            step = Step.PROBE if self.given_up else Step.GIVE_UP
            return step, replace(self, held=held, climbed=0, given_up=True)
        delay_ns, next_climb_ns = self.climb_delay_ns, self.next_climb_ns
        if begins:
            delay_ns = min(max(FIRST_CLIMB_NS, 2 * delay_ns), LONGEST_CLIMB_NS)
            next_climb_ns = now_ns + delay_ns
        return self.can[self.climbed], replace(
            self,
            held=held,
            climbed=self.climbed + 1,
            probe_delay_ns=0,
            next_probe_ns=now_ns,
            climb_delay_ns=delay_ns,
            next_climb_ns=next_climb_ns,
        )
