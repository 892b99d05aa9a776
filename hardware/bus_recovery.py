"""Recovery of a bus on which nothing can be read: takes the steps that `hardware.recovery_stages` chooses.

Nothing here blocks for longer than nine clocks take: while the power is off the scan goes on and reports it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from hardware.clock import Clock
from hardware.errors import BusStuck, HardwareError
from hardware.recovery_stages import MS, BusStages, Step

POWER_OFF_NS: Final = 300 * MS
"""The capacitors at a tile (10 uF beside the encoder's few milliamperes) are empty long before."""

WAKING_NS: Final = 20 * MS
"""An AS5600 needs 10 ms after power-up (datasheet v1-06 p.7)."""

UNPLUG: Final = "Unplug tile after tile until the bus comes back."


class PowerControl(Protocol):
    """Switches the supply of everything on a bus."""

    def on(self) -> None: ...
    def off(self) -> None: ...


def nothing() -> None:
    """Nothing else has to be restarted."""


@dataclass(frozen=True, slots=True)
class RecoveryActions:
    """What the wiring allows. `clear` sends nine clocks and a STOP, and raises HardwareError if the line stays down or
    the pins are not available; `restarted` is called after a power cycle (screens have to be woken)."""

    clear: Callable[[], None] | None = None
    power: PowerControl | None = None
    off_ns: int = POWER_OFF_NS
    restarted: Callable[[], None] = nothing

    @property
    def steps(self) -> tuple[Step, ...]:
        """In the order in which they are tried."""
        clear = () if self.clear is None else (Step.CLEAR,)
        return clear if self.power is None else (*clear, Step.POWER)


NO_ACTIONS: Final = RecoveryActions()
"""Neither pins nor a switch: a bus that is held down is given up."""


class BusRecovery:
    """The recovery of one bus."""

    def __init__(self, bus_name: str, place: str, clock: Clock, actions: RecoveryActions) -> None:
        self._part, self._place, self._clock, self._actions = f"bus {bus_name}", place, clock, actions
        self._stages = BusStages(actions.steps)
        self._notices: list[str] = []
        self._power_on_ns: int | None = None

    def take_notices(self) -> str:
        """What the referee was not told yet."""
        notices = " ".join(self._notices)
        self._notices.clear()
        return notices

    @property
    def given_up(self) -> bool:
        """Whether every step has failed."""
        return self._stages.given_up

    @property
    def may_help(self) -> bool:
        """Whether there is any step for this bus."""
        return bool(self._actions.steps)

    @property
    def power_is_off(self) -> bool:
        """Whether the power is off. `switch_on_if_due` switches it on."""
        return self._power_on_ns is not None

    def switch_on_if_due(self) -> bool:
        """True if the power came on just now: everything on the bus has to be restarted."""
        if self._power_on_ns is None or self._clock.now_ns() < self._power_on_ns or self._actions.power is None:
            return False
        self._actions.power.on()
        self._power_on_ns = None
        self._actions.restarted()
        return True

    def may_probe(self, now_ns: int) -> bool:
        """Whether one hung dial may be probed now."""
        return self._stages.may_probe(now_ns)

    def timed_out(self, now_ns: int, cost_ns: int) -> None:
        """Record a time-out, and the cost of its scan."""
        self._stages = self._stages.hung(now_ns, cost_ns)

    def responded(self) -> None:
        """Record that a hung dial answered."""
        self._stages = self._stages.responded(self._clock.now_ns())

    def answered(self) -> None:
        """Record that a lost dial gave an angle."""
        self._stages = self._stages.answered(self._clock.now_ns())

    def escalate(self, advice: str = UNPLUG) -> bool:
        """Take the next recovery stage, because nothing could be read. Return whether all dials may be probed at once.

        People read `advice` after the last stage failed; a bus without stages has only the dials' own messages."""
        step, self._stages = self._stages.nothing_read(self._clock.now_ns())
        if step is Step.PROBE:
            return False
        if step is Step.GIVE_UP:
            if self.may_help:
                self._report(self._gave_up(advice))
            return False
        if step is Step.CLEAR:
            self._clear()
        else:
            self._switch_off()
        return True

    def _clear(self) -> None:
        assert self._actions.clear is not None
        try:
            self._actions.clear()
        except HardwareError as error:
            self._report(error)
            return
        self._report(
            self._stuck("blocked every dial, so nine clock pulses were sent to free its lines", "No action needed yet.")
        )

    def _switch_off(self) -> None:
        power = self._actions.power
        assert power is not None
        power.off()
        self._power_on_ns = self._clock.now_ns() + self._actions.off_ns
        seconds = self._actions.off_ns / 1e9
        seen = f"blocked every dial, so the power of its tiles is off for {seconds:.1f} s"
        self._report(self._stuck(seen, "Everything on it restarts automatically."))

    def _gave_up(self, advice: str) -> HardwareError:
        tried = {Step.CLEAR: "nine clock pulses", Step.POWER: "a power cycle"}
        after = " and ".join(tried[step] for step in self._actions.steps)
        seen = f"still blocks every dial, after {after}"
        return self._stuck(f"{seen}: it is left alone and retried now and then; the game goes on without it", advice)

    def _stuck(self, seen: str, advice: str) -> HardwareError:
        return BusStuck(self._part, self._place, seen, advice)

    def _report(self, error: HardwareError) -> None:
        self._notices.append(str(error))
