"""SIMULATED: the firmware's own sampling on a simulated wire in virtual time, for benches and tests.

The wire takes its time by the bits at 400 kHz. The time of an RP2040's Python is calculated, not measured: see
`wiring_docs/hub.md`. Not modelled: USB, and garbage collection.
"""

from __future__ import annotations

import errno
import functools
from collections.abc import Callable
from typing import Final

from firmware_host.hub import wire
from firmware_host.hub.dials import DialBank
from firmware_host.hub.muxes import Muxes
from firmware_host.hub.sampler import Sampler
from firmware_host.reports import parse_report
from firmware_host.sims.i2c_blocks import TIMED_OUT, I2cBlocks
from hardware.sims.adapter import SimAdapter
from hardware.sims.clock import VirtualClock
from hardware.sims.table import tiles_on_mux
from hardware.sims.wire import SimWire

SPEED_HZ: Final = 400_000
TRANSFER_NS: Final = 120_000
"""Python's time per transfer; the cost of a sample is spread over its three transfers."""
LINE_NS: Final = 300_000
"""For sending a report."""
SEAL_NS: Final = 1_000_000
"""For its keyed check: six or more blocks of SHA-256, in C."""
RUN_NS: Final = 330_000
ONE_NS: Final = 680_000
"""For building a record of a dial at rest, and one of a moving dial."""
LOOP_NS: Final = 50_000
"""Between two sweeps: feeding the watchdog and polling USB."""
PERIOD_US: Final = 20_000
GAP_US: Final = 35_000


class TwinBus:
    """The interface of `hub.bus.I2cBus` above twins. Calls `charge` for each transfer."""

    def __init__(self, blocks: I2cBlocks, charge: Callable[[], None] = lambda: None) -> None:
        self._blocks, self._charge = blocks, charge
        self.failed = self.freed = self.transfers = 0
        self.resets_muxes = False

    def write(self, address: int, data: bytes | bytearray) -> None:
        self._run(bytes((0, address, 0, len(data))) + data)

    def read(self, address: int, into: bytearray) -> None:
        into[:] = self._run(bytes((0, address, 1, len(into))))

    def read_register(self, address: int, register: int, into: bytearray) -> None:
        into[:] = self._run(bytes((0, address, 0, 1, register, address, 1, len(into))))

    def free(self) -> None:
        self.freed += 1
        if self.resets_muxes:
            self._blocks.reset_muxes()
        for _ in range(9):
            self._blocks.clock(0)

    def _run(self, asked: bytes) -> bytes:
        self.transfers += 1
        self._charge()
        status, got = self._blocks.transfer(asked)
        if status:
            raise OSError(errno.ETIMEDOUT if status == TIMED_OUT else errno.EIO, "simulated")
        return got


class WireHub:
    """A hub with this many dials, without a Pi. `angles`: the angle of each at a time in ns; at first all rest."""

    def __init__(self, dials: int) -> None:
        self.clock = VirtualClock(start_ns=1_000_000_000)
        bus = SimWire(self.clock, SPEED_HZ)
        addresses = tuple(0x70 + mux for mux in range(-(-dials // 8)))
        tiles = [tile for address in addresses for tile in tiles_on_mux(bus, address, ideal=True).tiles]
        self.angles = [_standing(200.0 + 100 * n) for n in range(dials)]
        for n, tile in enumerate(tiles[:dials]):
            tile.encoder.angle_at = functools.partial(self._angle, n)
        self.clock.advance(20_000_000)
        twin_bus = TwinBus(I2cBlocks([SimAdapter(bus, self.clock)]), lambda: self.clock.advance(TRANSFER_NS))
        every = DialBank(twin_bus, Muxes(twin_bus, addresses), 8 * len(addresses), range(dials), self.hub_us)
        self.sent: list[bytes] = []
        self._sampler = Sampler(every, self.hub_us, self._send)
        self._sampler.start(PERIOD_US, GAP_US, again=False)

    def hub_us(self) -> int:
        return self.clock.now_ns() // 1000 % wire.TICKS

    def _angle(self, dial: int, at_ns: int) -> float:
        return self.angles[dial](at_ns)

    def run(self, seconds: float) -> list[bytes]:
        """Let time pass; return the bodies of the sent reports."""
        before, until_ns = len(self.sent), self.clock.now_ns() + round(seconds * 1e9)
        while self.clock.now_ns() < until_ns:
            self._sampler.sweep()
            self.clock.advance(LOOP_NS)
        return self.sent[before:]

    def _send(self, body: bytes | bytearray) -> None:
        report = parse_report(bytes(body))
        records = () if report is None else report.records
        moving = self._sampler.records.moving
        self.clock.advance(LINE_NS + SEAL_NS + sum(ONE_NS if record.dial in moving else RUN_NS for record in records))
        self.sent.append(bytes(body))


def _standing(angle: float) -> Callable[[int], float]:
    return lambda _: angle
