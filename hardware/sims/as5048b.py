"""A twin of the AS5048B magnetic encoder (ams OSRAM, "AS5048A/AS5048B", datasheet v1-11).

AGC 0xFA, diagnostics 0xFB (COMP high 0x08: field too weak; COMP low 0x04: too strong; COF 0x02: no valid angle; OCF
0x01: start finished), magnitude 0xFC/0xFD, angle 0xFE (bits 13 to 6) and 0xFF (bits 5 to 0, lower six).
0x03 programs the OTP; it, 0x15 (address) and 0x16/0x17 (zero) are noted as burns when written.

Not modelled: PWM, the OTP itself.
Guesses where the datasheet is silent: registers without a name read 0 when the pointer reaches them; OCF is 0 for
10 ms after power-up.
"""

from __future__ import annotations

from collections.abc import Callable

from hardware.sims.clock import VirtualClock
from hardware.sims.encoder_twin import EncoderTwin, MagnetField, TwinPlace
from hardware.sims.wire import TwinError

OTP = frozenset({0x03, 0x15, 0x16, 0x17})
AGC, DIAGNOSTICS, MAGNITUDE, ANGLE = 0xFA, 0xFB, 0xFC, 0xFE
COMP_HIGH, COMP_LOW, COF, OCF = 0x08, 0x04, 0x02, 0x01
MAGNET = {
    MagnetField.GOOD: (128, OCF, 4000),
    MagnetField.WEAK: (255, OCF | COMP_HIGH, 900),
    MagnetField.STRONG: (0, OCF | COMP_LOW, 9000),
    MagnetField.MISSING: (255, OCF | COMP_HIGH | COF, 20),
}


class As5048bTwin(EncoderTwin):
    """An AS5048B under a magnet, at the address that its pins A1 and A2 give it: 0x40 to 0x43."""

    name = "AS5048B"
    named = OTP | frozenset(range(AGC, 0x100))

    def __init__(self, clock: VirtualClock, angle_at: Callable[[int], float], *, address: int = 0x40) -> None:
        if not 0x40 <= address <= 0x43:
            raise ValueError(f"an AS5048B has an address from 0x40 to 0x43, not 0x{address:02X}")
        super().__init__(clock, angle_at, address, 16384)

    def forget(self) -> None:
        super().forget()
        self._latch = 0

    def store(self, at: int, byte: int) -> None:
        if at not in OTP:
            raise TwinError(f"AS5048B: register 0x{at:02X} cannot be written")
        self.burn_commands.append(byte)

    def register(self, at: int) -> int:
        gain, diagnostics, magnitude = MAGNET[self.field]
        match at:
            case 0xFA:
                return min(max(gain + self._gain_drift, 0), 255)
            case 0xFB:
                return diagnostics & ~OCF if self.waking else diagnostics
            case 0xFC:
                return magnitude >> 6
            case 0xFD:
                return magnitude & 0x3F
            case 0xFE:
                self._latch = self.measured()
                return self._latch >> 6
            case 0xFF:
                return self._latch & 0x3F
        return 0


def make_twin(at: TwinPlace) -> EncoderTwin:
    return As5048bTwin(at.clock, at.magnet, address=at.address)
