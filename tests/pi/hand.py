"""On the board: the chips' registers, the hands on dials and buttons, the eye on a lamp. It is the stage's known truth.

QEMU has no AS5600. Each dial's chip is a 24C02 EEPROM at 0x36: 256 registers behind an 8-bit pointer, written from
here over the same bus. After a read its pointer goes on, where an AS5600's stays at the angle. So the angle is in all
registers up to 0x19, and every write sets the pointer back.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import threading
import time
from collections.abc import Mapping
from typing import Final

from smbus2 import SMBus, i2c_msg

from hardware.sims.hand import COUNTS_PER_TURN, SimHand, SimMagnet

CHIP: Final = 0x36
MUX: Final = 0x70
STATUS, RAW_ANGLE, AGC = 0x0B, 0x0C, 0x1A
ANGLES: Final = 7
"""Pairs of registers from RAW_ANGLE up to 0x19."""
GOOD_FIELD: Final = (0x20, 64)
"""STATUS and gain of a good magnet."""
MAGNITUDE: Final = 2000

TICK_S: Final = 0.003
SELDOM: Final = 20
"""A dial at rest is written once in so many ticks: its noise, and its pointer."""
EDGES: Final = 4


class Dial:
    """One dial: a hand, a magnet, and a chip on a bus of its own, or behind a channel of the mux."""

    def __init__(self, number: int, bus: int, channel: int | None = None) -> None:
        self._bus = SMBus(bus)
        self._select = [] if channel is None else [i2c_msg.write(MUX, [1 << channel])]
        self.hand = SimHand(number)
        self.magnet = SimMagnet(self.hand.angle_counts, number, eccentricity_deg=3.0)
        self._still = SimMagnet(float, number, eccentricity_deg=3.0, noise_sd_deg=0.0)

    def centre(self, detent: int) -> float:
        """The true angle of a detent, in counts: uneven, since the magnet sits beside the middle."""
        return self._still(round(detent * COUNTS_PER_TURN / self.hand.clicks)) % COUNTS_PER_TURN

    def set_field(self, status: int, gain: int) -> None:
        """Write what the chip says about its magnet."""
        self._transfer([STATUS, status])
        self._transfer([AGC, gain, MAGNITUDE >> 8, MAGNITUDE & 0xFF])
        self.show(time.monotonic_ns())

    def show(self, at_ns: int) -> None:
        """Write the angle of this moment in one call, and set the pointer back to it in another.

        A quick read between the two gives the gain, which is no angle, and is repeated with its pointer set.
        """
        raw = round(self.magnet(at_ns)) % COUNTS_PER_TURN
        self._transfer([RAW_ANGLE, *[raw >> 8, raw & 0xFF] * ANGLES], [RAW_ANGLE])

    def _transfer(self, *writes: list[int]) -> None:
        """Each write is a call of its own: QEMU's controller refuses two of them in one."""
        for message in (*self._select, *(i2c_msg.write(CHIP, write) for write in writes)):
            self._bus.i2c_rdwr(message)

    def close(self) -> None:
        self._bus.close()


class Hands(threading.Thread):
    """Moves the dials in real time until `end`."""

    def __init__(self, dials: Mapping[str, Dial]) -> None:
        super().__init__(name="hands", daemon=True)
        self._dials, self._ends = dials, threading.Event()

    def run(self) -> None:
        tick = 0
        while not self._ends.wait(TICK_S):
            tick += 1
            for dial in self._dials.values():
                now_ns = time.monotonic_ns()
                if now_ns < dial.hand.at_rest_from_ns or tick % SELDOM == 0:
                    dial.show(now_ns)

    def turn(self, label: str, clicks: int, gap_ms: float | None = None) -> float:
        """Turn a dial, wait until it rests, and return the seconds that it took."""
        began_ns = time.monotonic_ns()
        rests_ns = self._dials[label].hand.turn(began_ns, clicks, gap_ms)
        time.sleep(max(0.0, (rests_ns - time.monotonic_ns()) / 1e9))
        return (rests_ns - began_ns) / 1e9

    def end(self) -> None:
        self._ends.set()
        self.join()
        for dial in self._dials.values():
            dial.close()


class Pins:
    """The 40-pin header from outside. QEMU's pins have no outside: an input reads what was written to its latch."""

    GPIO: Final = 0x3F20_0000
    SET, CLEAR, LEVEL = 0x1C, 0x28, 0x34

    def __init__(self) -> None:
        memory = os.open("/dev/mem", os.O_RDWR | os.O_SYNC)
        self._registers = (ctypes.c_uint32 * 64).from_buffer(mmap.mmap(memory, mmap.PAGESIZE, offset=self.GPIO))
        os.close(memory)

    def press(self, gpio: int) -> None:
        self._registers[self.CLEAR // 4] = 1 << gpio

    def release(self, gpio: int) -> None:
        self._registers[self.SET // 4] = 1 << gpio

    def level(self, gpio: int) -> bool:
        return bool(self._registers[self.LEVEL // 4] >> gpio & 1)

    def flashes(self, gpio: int, seconds: float) -> int:
        """Watch a lamp until it has gone on and off again some times; return its edges."""
        edges, level, deadline = 0, self.level(gpio), time.monotonic() + seconds
        while edges < EDGES and time.monotonic() < deadline:
            time.sleep(0.005)
            edges, level = edges + (self.level(gpio) != level), self.level(gpio)
        return edges
