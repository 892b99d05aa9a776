"""What is done for a bus on which nothing can be read: `hardware.recovery_stages` says what comes next, this does it.

Nothing here blocks for longer than nine clocks take: while the power is off the scan goes on and says so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from hardware.clock import Clock
from hardware.errors import BusStuck, HardwareError
from hardware.recovery_stages import MS, BusLadder, Step

POWER_OFF_NS: Final = 300 * MS
"""The capacitors at a tile (10 uF beside the encoder's few milliamperes) are empty long before."""

WAKING_NS: Final = 20 * MS
"""An AS5600 needs 10 ms after power-up (datasheet v1-06 p.7)."""

UNPLUG: Final = "Unplug tile after tile until the bus comes back."


class PowerSwitch(Protocol):
    """Switches the supply of everything that hangs on a bus."""

    def on(self) -> None: ...
    def off(self) -> None: ...


def nothing() -> None:
    """Nothing else has to be started again."""


@dataclass(frozen=True, slots=True)
class Means:
    """What the wiring allows. `clear` gives nine clocks and a STOP, and raises HardwareError if the line stays
    down or its pins cannot be had; `restarted` hears that all of it had no power (screens have to be woken)."""

    clear: Callable[[], None] | None = None
    power: PowerSwitch | None = None
    off_ns: int = POWER_OFF_NS
    restarted: Callable[[], None] = nothing

    @property
    def steps(self) -> tuple[Step, ...]:
        """In the order of the ladder."""
        clear = () if self.clear is None else (Step.CLEAR,)
        return clear if self.power is None else (*clear, Step.POWER)


NONE: Final = Means()
"""Neither pins nor a switch: a bus that is held is given up."""


class Rescue:
    """One bus's ladder, and the means to climb it."""

    def __init__(self, bus_name: str, place: str, clock: Clock, means: Means) -> None:
        self._part, self._place, self._clock, self._means = f"bus {bus_name}", place, clock, means
        self.ladder = BusLadder(means.steps)
        self._news: list[str] = []
        self._power_on_ns: int | None = None

    def news(self) -> str:
        """What the referee has not been told yet."""
        told = " ".join(self._news)
        self._news.clear()
        return told

    @property
    def may_help(self) -> bool:
        """Whether anything can be done for this bus."""
        return bool(self._means.steps)

    @property
    def dark(self) -> bool:
        """Whether the power is off. It comes on again by asking."""
        return self._power_on_ns is not None

    def switch_on_if_due(self) -> bool:
        """True if the power came on just now: everything on the bus has to be started again."""
        if self._power_on_ns is None or self._clock.now_ns() < self._power_on_ns or self._means.power is None:
            return False
        self._means.power.on()
        self._power_on_ns = None
        self._means.restarted()
        return True

    def answered(self) -> None:
        """A lost dial gave an angle."""
        self.ladder = self.ladder.answered(self._clock.now_ns())

    def climb(self, advice: str = UNPLUG) -> bool:
        """Nothing could be read: do what comes next. True if all dials may be probed at once. `advice` is for people,
        once nothing helped; where nothing could be tried, the dials' own words say enough."""
        step, self.ladder = self.ladder.nothing_read(self._clock.now_ns())
        if step is Step.PROBE:
            return False
        if step is Step.GIVE_UP:
            if self.may_help:
                self._say(self._gave_up(advice))
            return False
        if step is Step.CLEAR:
            self._clear()
        else:
            self._switch_off()
        return True

    def _clear(self) -> None:
        assert self._means.clear is not None
        try:
            self._means.clear()
        except HardwareError as error:
            self._news.append(str(error))
            return
        self._say(self._stuck("let no dial be read, so nine clocks were sent to free its lines", "Nothing to do yet."))

    def _switch_off(self) -> None:
        power = self._means.power
        assert power is not None
        power.off()
        self._power_on_ns = self._clock.now_ns() + self._means.off_ns
        seconds = self._means.off_ns / 1e9
        seen = f"let no dial be read, so the power of its tiles is off for {seconds:.1f} s"
        self._say(self._stuck(seen, "Everything on it is started again by itself."))

    def _gave_up(self, advice: str) -> HardwareError:
        tried = {Step.CLEAR: "nine clocks", Step.POWER: "switching the power off and on"}
        after = " and ".join(tried[step] for step in self._means.steps)
        seen = f"still lets no dial be read, after {after}"
        return self._stuck(f"{seen}: it is left alone and tried again now and then, the rest plays on", advice)

    def _stuck(self, seen: str, advice: str) -> HardwareError:
        return BusStuck(self._part, self._place, seen, advice)

    def _say(self, error: HardwareError) -> None:
        self._news.append(str(error))
