"""The stages of recovery: which step comes next on one bus, given what happened.

Pure: callers pass in what happened and when, and `hardware.scan` takes the steps. The steps, each only when
the one before did not help:

1. the dial is read again in the same scan;
2. after three scans without an answer its last angle is stale, and keeps its age;
3. after a time-out, or a read that lost the lines twice, every mux's RESET is pulsed and the dial restarted;
4. a dial that hangs the bus again is quarantined: it is probed ever more rarely, alone, at the end of a scan;
5. if nothing on the bus can be read, nine clocks and a STOP (NXP UM10204 section 3.1.16), where its pins may be
   driven;
6. its tiles are power-cycled, where they can be;
7. the bus is given up: everything else goes on, it is still probed, and steps 5 and 6 are repeated ever more rarely.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

MS: Final = 1_000_000

STALE_AFTER: Final = 3
"""Scans in a row in which a dial gave no angle."""

QUARANTINE_AFTER: Final = 2
"""Hangs in a row: the first may have been a plug that was pulled in the middle of a byte."""

FIRST_PROBE_NS: Final = 160 * MS
LONGEST_PROBE_NS: Final = 640 * MS
"""A probe of a hung segment costs a time-out: rare enough that the others keep nine tenths of their reads,
often enough that a repaired segment is back within a second."""

PROBE_SHARE: Final = 10
"""A probe is followed by at least so many times its cost without one: an adapter with its own time-out of a
second must not spend it every other second."""

HELD_AFTER: Final = 2
"""Failed probes in a row, with nothing readable on the bus, before its pins or its power are touched."""

FIRST_ROUND_NS: Final = 8_000 * MS
LONGEST_ROUND_NS: Final = 64_000 * MS
"""Between two rounds of steps 5 and 6: power is not switched every second."""


class RecoveryStage(enum.IntEnum):
    """How far a dial's recovery has come."""

    HEALTHY = 0
    RETRIED = 1
    STALE = 2
    RESET = 3
    QUARANTINE = 4


class Step(enum.Enum):
    """The steps for a whole bus on which nothing can be read."""

    PROBE = "probe it again"
    CLEAR = "nine clocks and a STOP"
    POWER = "tile power off and on"
    GIVE_UP = "leave it, and probe it now and then"


@dataclass(frozen=True, slots=True)
class DialStages:
    """One dial: how often in a row it gave no angle, and how often it hung its bus."""

    misses: int = 0
    hangs: int = 0

    @property
    def stage(self) -> RecoveryStage:
        """Its stage now."""
        if self.hangs >= QUARANTINE_AFTER:
            return RecoveryStage.QUARANTINE
        if self.hangs:
            return RecoveryStage.RESET
        if self.misses >= STALE_AFTER:
            return RecoveryStage.STALE
        return RecoveryStage.RETRIED if self.misses else RecoveryStage.HEALTHY

    def missed(self, *, hung: bool) -> DialStages:
        """After two reads without an angle; `hung` if a transfer to it timed out."""
        return DialStages(self.misses + 1, self.hangs + 1 if hung else 0)


HEALTHY: Final = DialStages()


@dataclass(frozen=True, slots=True)
class BusStages:
    """One bus. `can`: the steps that its wiring allows, of CLEAR and POWER."""

    can: Sequence[Step] = ()
    probe_delay_ns: int = 0
    next_probe_ns: int = 0
    held: int = 0
    steps_done: int = 0
    given_up: bool = False
    round_delay_ns: int = 0
    next_round_ns: int = 0

    def may_probe(self, now_ns: int) -> bool:
        """Whether one hung dial may be probed now."""
        return now_ns >= self.next_probe_ns

    def hung(self, now_ns: int, cost_ns: int = 0) -> BusStages:
        """After a time-out; `cost_ns`: of the scan in which it happened."""
        delay_ns = min(max(FIRST_PROBE_NS, 2 * self.probe_delay_ns), LONGEST_PROBE_NS)
        delay_ns = max(delay_ns, PROBE_SHARE * cost_ns if self.probe_delay_ns else 0)
        return replace(self, probe_delay_ns=delay_ns, next_probe_ns=now_ns + delay_ns)

    def responded(self, now_ns: int) -> BusStages:
        """After a hung dial answered: the next one may be probed at once."""
        return replace(self, next_probe_ns=now_ns)

    def answered(self, now_ns: int) -> BusStages:
        """After a lost dial gave an angle: the bus itself is free."""
        calm = now_ns >= self.next_round_ns + LONGEST_ROUND_NS
        return replace(
            self,
            probe_delay_ns=0,
            held=0,
            steps_done=0,
            given_up=False,
            round_delay_ns=0 if calm else self.round_delay_ns,
        )

    def nothing_read(self, now_ns: int) -> tuple[Step, BusStages]:
        """After a failed probe with no readable dial on the bus: the next step, and the stages after it.

        After CLEAR and POWER everything may be probed at once.
        """
        held = self.held + 1
        begins = self.steps_done == 0
        if held < HELD_AFTER or (begins and now_ns < self.next_round_ns):
            return Step.PROBE, replace(self, held=held)
        if self.steps_done == len(self.can):
            step = Step.PROBE if self.given_up else Step.GIVE_UP
            return step, replace(self, held=held, steps_done=0, given_up=True)
        delay_ns, next_round_ns = self.round_delay_ns, self.next_round_ns
        if begins:
            delay_ns = min(max(FIRST_ROUND_NS, 2 * delay_ns), LONGEST_ROUND_NS)
            next_round_ns = now_ns + delay_ns
        return self.can[self.steps_done], replace(
            self,
            held=held,
            steps_done=self.steps_done + 1,
            probe_delay_ns=0,
            next_probe_ns=now_ns,
            round_delay_ns=delay_ns,
            next_round_ns=next_round_ns,
        )
