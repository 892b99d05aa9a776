"""AS5048B: 14-bit absolute magnetic encoder (ams OSRAM, "AS5048A/AS5048B", datasheet v1-11), addresses 0x40 to 0x43.

Its address is 0x40 plus its pins A1 and A2. The angle is read from 0xFE (bits 13 to 6) and 0xFF (bits 5 to 0, the
lower six). 0xFB is its status: OCF means that it has finished its start, COF that there is no valid angle, COMP
high that the field is too weak and COMP low that it is too strong; 0xFA is its gain, 0 to 255, best near the middle.

The driver writes nothing but register numbers, so never its OTP memory (0x03, and with it address 0x15 and zero
0x16/0x17). The calibration keeps the zero.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hardware.bus import Bus, Transaction
from hardware.chips.dial_chip import Complaint, Health, magnet_words
from hardware.chips.register_chip import RegisterChip
from hardware.encoders import EncoderKind
from hardware.readings import Magnet, Proof, TroubleKind

ADDRESS = 0x40
GAIN, DIAGNOSTICS, MAGNITUDE, ANGLE = 0xFA, 0xFB, 0xFC, 0xFE

OCF, COF, COMP_LOW, COMP_HIGH = 0x01, 0x02, 0x04, 0x08
UNUSED = 0xF0
UNUSED_LOW = 0xC0

SETTLE_NS = 12_000_000
"""Start-up takes up to 10 ms."""

NO_ANGLE = Complaint(
    TroubleKind.NO_MAGNET,
    "answers without an angle: its magnet is missing or far off centre",
    "Put the dial back, or check that its magnet sits 0.5 to 3 mm above the middle of the chip.",
)


class As5048b(RegisterChip):
    """One AS5048B."""

    part = "AS5048B"
    settle_ns = SETTLE_NS

    def __init__(self, bus: Bus, address: int = ADDRESS) -> None:
        super().__init__(bus, address)

    def identify(self) -> Iterator[None]:
        diagnostics = self.registers(DIAGNOSTICS, 1)[0]
        if diagnostics == 0xFF:
            raise self.wrong("answers with ones only")
        yield
        angle = self.angle(self.registers(ANGLE, 2))
        if angle is None or not _possible(diagnostics):
            raise self.wrong(self.implausible_bytes().seen)
        if not diagnostics & OCF:
            raise self.wrong("does not report that it has finished its start")

    def quick_read(self) -> tuple[Transaction, ...]:
        return (self.ask(ANGLE, 2),)

    def verified_read(self) -> tuple[Transaction, ...]:
        return (self.ask(ANGLE, 2), self.ask(DIAGNOSTICS, 1), self.ask(ANGLE, 2))

    def field_read(self) -> tuple[Transaction, ...]:
        return (self.ask(GAIN, 1), self.ask(MAGNITUDE, 2))

    def field(self, got: Sequence[bytes]) -> Proof:
        return Proof(got[0][0], got[1][0] << 6 | got[1][1] & 0x3F)

    def angle(self, got: bytes | bytearray) -> int | None:
        return None if got[1] & UNUSED_LOW else got[0] << 6 | got[1]

    def judge(self, got: Sequence[bytes]) -> Magnet | Complaint:
        diagnostics = got[1][0]
        if not _possible(diagnostics):
            return self.implausible_bytes()
        if not diagnostics & OCF:
            return self.restarted()
        return NO_ANGLE if diagnostics & COF else _magnet(diagnostics)

    def health(self) -> Health:
        """The field in numbers and words. Raises HardwareError."""
        gain = self.registers(GAIN, 1)[0]
        diagnostics = self.registers(DIAGNOSTICS, 1)[0]
        high, low = self.registers(MAGNITUDE, 2)
        magnet = Magnet.MISSING if diagnostics & COF else _magnet(diagnostics)
        return Health(magnet, gain, high << 6 | low & 0x3F, magnet_words(magnet, f"gain {gain} of 255"))


def _possible(diagnostics: int) -> bool:
    """Whether unused bits are 0, and the field is not too weak and too strong at once."""
    return not diagnostics & UNUSED and diagnostics & (COMP_LOW | COMP_HIGH) != COMP_LOW | COMP_HIGH


def _magnet(diagnostics: int) -> Magnet:
    if diagnostics & COMP_HIGH:
        return Magnet.TOO_WEAK
    return Magnet.TOO_STRONG if diagnostics & COMP_LOW else Magnet.GOOD


KIND = EncoderKind(
    part=As5048b.part,
    driver=lambda at: As5048b(at.bus, at.address),
    addresses=(0x40, 0x41, 0x42, 0x43),
    address=ADDRESS,
    counts_per_turn=As5048b.counts_per_turn,
    most_ma=15,
    order="ams OSRAM AS5048B adapter board",
    set_by="its pins A1 and A2",
    clashes=((range(0x40, 0x41), "PCA9685, INA219, HTU21D"), (range(0x41, 0x44), "PCA9685, INA219")),
)
