"""A twin of the XE7000, an encoder that nobody makes.

0x00 reads 0x5A, and 0 until the chip is awake. The angle's bits 12 to 5 are in 0x01, its bits 4 to 0 in the upper five
of 0x02, held from the read of 0x01 on. 0x03: 0x80 the field is weak, 0x40 strong, 0x20 missing.

Not modelled: nothing else is known of it.
"""

from __future__ import annotations

from collections.abc import Callable

from hardware.sims.clock import VirtualClock
from hardware.sims.encoder_twin import EncoderTwin, MagnetField, TwinPlace
from hardware.sims.wire import TwinError

FIELD = {MagnetField.GOOD: 0, MagnetField.WEAK: 0x80, MagnetField.STRONG: 0x40, MagnetField.MISSING: 0x20}


class Xe7000Twin(EncoderTwin):
    """An XE7000 under a magnet."""

    name = "XE7000"
    named = frozenset(range(4))

    def __init__(self, clock: VirtualClock, angle_at: Callable[[int], float], address: int) -> None:
        super().__init__(clock, angle_at, address, 8192)

    def forget(self) -> None:
        super().forget()
        self._latch = 0

    def store(self, at: int, byte: int) -> None:
        raise TwinError(f"XE7000: register 0x{at:02X} cannot be written")

    def register(self, at: int) -> int:
        match at:
            case 0x00:
                return 0 if self.waking else 0x5A
            case 0x01:
                self._latch = self.measured()
                return self._latch >> 5
            case 0x02:
                return (self._latch & 0x1F) << 3
            case 0x03:
                return FIELD[self.field]
        return 0


def make_twin(at: TwinPlace) -> EncoderTwin:
    return Xe7000Twin(at.clock, at.magnet, at.address)
