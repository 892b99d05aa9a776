"""A twin of the MT6701 magnetic encoder (MagnTek, datasheet rev. 1.8), on its I2C pins.

The angle's bits 13 to 6 are in 0x03, its bits 5 to 0 in the upper six of 0x04; reading 0x03 holds the low byte until
the end of the transaction. 0x09 and 0x0A start the EEPROM; writing there is noted as a burn.

Not modelled: SSI, ABZ, UVW, PWM and the analogue output, and the EEPROM itself (its copies in the
registers keep their values). Field strength and the push button are reported only over SSI, so here a missing magnet
shows only as an angle that jumps.
Guesses where the datasheet is silent: the two low bits of 0x04 are 0; other registers of the map read 0.
"""

from __future__ import annotations

from collections.abc import Callable

from hardware.sims.clock import VirtualClock
from hardware.sims.encoder_twin import EncoderTwin, TwinPlace
from hardware.sims.wire import TwinError

HIGH, LOW = 0x03, 0x04
PROGRAM = frozenset({0x09, 0x0A})
FROM_EEPROM = {0x25: 0x00, 0x29: 0x00, 0x30: 0x03, 0x31: 0xFF, 0x32: 0x00, 0x33: 0x00, 0x34: 0xC0, 0x38: 0x00}
NOT_LATCHED = -1


class Mt6701Twin(EncoderTwin):
    """An MT6701 under a magnet. `eeprom` changes the content of its configuration registers."""

    name = "MT6701"
    named = frozenset({HIGH, LOW}) | PROGRAM | frozenset(FROM_EEPROM)

    def __init__(
        self, clock: VirtualClock, angle_at: Callable[[int], float], *, eeprom: dict[int, int] | None = None
    ) -> None:
        self._eeprom = FROM_EEPROM | (eeprom or {})
        super().__init__(clock, angle_at, 0x06, 16384)

    def begins(self, reading: bool) -> None:
        if not reading:
            self._latch = NOT_LATCHED

    def forget(self) -> None:
        super().forget()
        self._latch = NOT_LATCHED

    def store(self, at: int, byte: int) -> None:
        if at not in PROGRAM and at not in self._eeprom:
            raise TwinError(f"MT6701: register 0x{at:02X} cannot be written")
        self.burn_commands.append(byte)

    def register(self, at: int) -> int:
        if at == HIGH:
            self._latch = self.measured()
            return self._latch >> 6
        if at == LOW:
            raw = self.measured() if self._latch == NOT_LATCHED else self._latch
            return (raw & 0x3F) << 2
        return self._eeprom.get(at, 0)


def make_twin(at: TwinPlace) -> EncoderTwin:
    return Mt6701Twin(at.clock, at.magnet)
