"""Wires in real time for `trapdial bench cpu`: AS5600s and screens that answer, each call as long as it would take.

A call sleeps for its bits on the wire and for its cost in the kernel, as a program does that waits for a real
controller. A sleep that was too long makes the next one shorter, so that many calls together take the right time.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from firmware_host.source import HubSource
from hardware.adapter import I2C_M_RD, KernelMessage
from hardware.bus_clear import Pinctrl
from hardware.chips.as5600 import ADDRESS
from hardware.clock import MachineClock
from hardware.sims.pins import SimPins
from pi_app.settings.hubs import HubSettings
from pi_app.settings.model import BusSettings, Settings
from pi_app.workshop.bench.stub_adapter import RAW_ANGLE, REGISTERS, StubAdapter, first_register

CALL_NS: Final = 100_000
"""The time of one call beside its bits: the middle of what a Pi's kernel needs, and some more."""

RESTS_AT: Final = 0x0800
NOISE: Final = (0, 1, 0, 0, -1, 0, 1, 0, -1)
"""In counts, one after the other: even at rest a sensor's angle varies."""

PITCH: Final = 4096 / 12
CLICK_NS: Final = 180_000_000
SNAP_NS: Final = 30_000_000
THERE: Final = 5
"""A hand turns five clicks one way and five back, with short pauses only."""


def hand_counts(at_ns: int) -> int:
    """Return the angle of a dial whose hand never stops: at rest in a detent, then a snap."""
    clicks, into_ns = divmod(at_ns, CLICK_NS)
    turned, back = clicks % (2 * THERE), clicks % (2 * THERE) >= THERE
    part = min(1.0, into_ns / SNAP_NS)
    way = (1 - math.cos(math.pi * part)) / 2
    return round(PITCH * ((2 * THERE - turned - way) if back else (turned + way)))


class SleepingAdapter(StubAdapter):
    """One controller with AS5600s behind muxes, and screens that accept everything. Nothing fails."""

    def __init__(self, name: str, speed_hz: int, turned: Callable[[int], int]) -> None:
        """`turned`: the counts by which the dial behind this channel mask was turned."""
        super().__init__(name)
        self._speed_hz, self._turned = speed_hz, turned
        self._late_ns = self._reads = 0

    def prepare(self, messages: Sequence[KernelMessage]) -> Callable[[], None]:
        bits = 1 + sum(1 + 9 * (1 + len(message.buffer)) for message in messages)
        cost_ns = bits * 1_000_000_000 // self._speed_hz + CALL_NS
        act = self._act(messages)

        def call() -> None:
            self._sleep(cost_ns)
            act()

        return call

    def _sleep(self, cost_ns: int) -> None:
        began_ns = time.monotonic_ns()
        if (left_ns := cost_ns - self._late_ns) > 0:
            time.sleep(left_ns / 1e9)
        self._late_ns = min(time.monotonic_ns() - began_ns - left_ns, CALL_NS)

    def _act(self, messages: Sequence[KernelMessage]) -> Callable[[], None]:
        last = messages[-1]
        if last.address != ADDRESS or not last.flags & I2C_M_RD:
            return super().prepare(messages)
        first = first_register(messages)

        def read() -> None:
            last.buffer[:] = self._registers()[first : first + len(last.buffer)]

        return read

    def _registers(self) -> bytes:
        self._reads += 1
        mask = next((mask for mask in self._masks.values() if mask), 0)
        angle = (RESTS_AT + self._turned(mask) + NOISE[self._reads % len(NOISE)]) % 4096
        return REGISTERS[:RAW_ANGLE] + angle.to_bytes(2, "big") + REGISTERS[RAW_ANGLE + 2 :]


class SleepingParts:
    """The parts of a table in real time, without wires. `turning`: whether a hand turns the dial on channel 0."""

    simulated = True

    def __init__(self) -> None:
        self.clock = MachineClock()
        self._sim_pins = SimPins(self.clock)
        self._began_ns: int | None = None

    @property
    def turning(self) -> bool:
        return self._began_ns is not None

    @turning.setter
    def turning(self, turning: bool) -> None:
        self._began_ns = self.clock.now_ns() if turning else None

    def _turned(self, mask: int) -> int:
        began_ns = self._began_ns
        return 0 if began_ns is None or mask != 1 else hand_counts(self.clock.now_ns() - began_ns)

    def adapter(self, name: str, bus: BusSettings) -> SleepingAdapter:
        return SleepingAdapter(name, bus.speed_hz, self._turned)

    def hub(self, name: str, hub: HubSettings, channels: Mapping[str, int], settings: Settings) -> HubSource:
        raise ValueError("a table whose dials hang on hubs has no wires of its own to measure")

    def pins(self) -> Any:
        return self._sim_pins.factory

    def line_pins(self, name: str) -> Any:
        return self._sim_pins.factory

    def pinctrl(self) -> Pinctrl:
        return Pinctrl()

    def close(self) -> None:
        self._sim_pins.close()
