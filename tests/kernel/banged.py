"""A simulated wire at the other end of two bare GPIO lines, which the kernel's i2c-gpio driver bit-bangs.

The levels of SDA and SCL are decoded as START, bits, acknowledge and STOP (NXP UM10204 section 3.1), and the wire
answers on SDA. Both lines are open drain: low wins.
"""

from __future__ import annotations

import enum

from hardware.sims.wire import ArbitrationLost, LineHeld, SimWire, TransferGlitch

BITS = 8
ACKNOWLEDGE_BIT = 9


class Phase(enum.Enum):
    """The direction of the byte on the line."""

    IDLE = enum.auto()
    ADDRESS = enum.auto()
    WRITE = enum.auto()
    READ = enum.auto()
    DEAF = enum.auto()
    """Refused, or ended by the controller: until the next START or STOP."""


class BangedWire:
    """The chips' side of SDA and SCL. `answer` is their current SDA level: 0 pulls it low, 1 leaves it alone."""

    def __init__(self, wire: SimWire) -> None:
        self.wire = wire
        self.answer = 1
        self.stops = self.starts = 0
        self._sda = self._scl = 1
        self._phase = Phase.IDLE
        self._bits = self._byte = 0
        self._out = 0xFF
        self._wants_more = True

    def drive(self, sda: int, scl: int) -> None:
        """Set the controller's levels; at most one of them has changed."""
        before, self._sda = self._sda, sda
        rose, fell = scl > self._scl, scl < self._scl
        self._scl = scl
        if rose:
            self._sample(sda & self.answer)
        elif fell:
            self._shift()
        elif scl and sda < before:
            self._begin()
        elif scl and sda > before:
            self._end()

    def _begin(self) -> None:
        self.starts += 1
        self._phase, self._bits, self._byte, self.answer = Phase.ADDRESS, 0, 0, 1

    def _end(self) -> None:
        if self._phase is not Phase.IDLE:
            self.stops += 1
            self.wire.stop()
        self._phase, self.answer = Phase.IDLE, 1

    def _sample(self, level: int) -> None:
        """SCL rose: sample the bit on SDA."""
        self._bits += 1
        if self._bits <= BITS:
            self._byte = (self._byte << 1 | level) & 0xFF
        else:
            self._wants_more = level == 0

    def _shift(self) -> None:
        """SCL fell: SDA may change."""
        if self._phase in (Phase.IDLE, Phase.DEAF):
            self.answer = 1
            return
        if self._bits == BITS:
            self.answer = 1 if self._phase is Phase.READ else self._taken()
        elif self._bits == ACKNOWLEDGE_BIT:
            self._next_byte()
        elif self._phase is Phase.READ:
            self._put_bit()

    def _taken(self) -> int:
        """The level of the acknowledge for a received byte."""
        try:
            if self._phase is Phase.WRITE:
                accepted = self.wire.write(self._byte)
            else:
                accepted = self.wire.start(self._byte >> 1, bool(self._byte & 1))
        except (LineHeld, TransferGlitch, ArbitrationLost):
            accepted = False
        if accepted and self._phase is Phase.ADDRESS and self._byte & 1:
            self._phase = Phase.READ
        elif accepted:
            self._phase = Phase.WRITE
        else:
            self._phase = Phase.DEAF
        return 0 if accepted else 1

    def _next_byte(self) -> None:
        self._bits = 0
        self.answer = 1
        if self._phase is Phase.READ and self._wants_more:  # after an address, our own acknowledge was low
            self._out = self.wire.read()
            self._put_bit()
        elif self._phase is Phase.READ:
            self._phase = Phase.DEAF
        self._byte = 0

    def _put_bit(self) -> None:
        self.answer = self._out >> (BITS - 1 - self._bits) & 1
