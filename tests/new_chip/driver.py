"""XE7000: a 13-bit absolute magnetic encoder that nobody makes, addresses 0x1A and 0x1B by its pin A0.

0x00 is 0x5A in each of them; the angle is in the upper 13 bits of 0x01 and 0x02, and 0x03 reports its magnet.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hardware.bus import Transaction
from hardware.chips.dial_chip import Complaint, Health, magnet_words
from hardware.chips.register_chip import RegisterChip
from hardware.encoders import EncoderKind
from hardware.readings import Magnet, TroubleKind

WHO, ANGLE, STATUS = 0x00, 0x01, 0x03
IDENTITY = 0x5A
WEAK, STRONG, MISSING = 0x80, 0x40, 0x20

NO_ANGLE = Complaint(
    TroubleKind.NO_MAGNET, "answers without an angle: its magnet is missing", "Put the dial back with its magnet."
)


class Xe7000(RegisterChip):
    """One XE7000."""

    part = "XE7000"
    settle_ns = 5_000_000
    counts_per_turn = 8192

    def identify(self) -> Iterator[None]:
        who = self.registers(WHO, 1)[0]
        yield
        if who != IDENTITY:
            raise self.wrong("answers with ones only" if who == 0xFF else self.implausible_bytes().seen)

    def quick_read(self) -> tuple[Transaction, ...]:
        return (self.ask(ANGLE, 2),)

    def verified_read(self) -> tuple[Transaction, ...]:
        return (self.ask(ANGLE, 2), self.ask(WHO, 4), self.ask(ANGLE, 2))

    def angle(self, got: bytes | bytearray) -> int:
        return got[0] << 5 | got[1] >> 3

    def judge(self, got: Sequence[bytes]) -> Magnet | Complaint:
        if got[1][0] != IDENTITY:
            return self.restarted() if got[1][0] == 0 else self.implausible_bytes()
        magnet = _magnet(got[1][STATUS])
        return NO_ANGLE if magnet is Magnet.MISSING else magnet

    def health(self) -> Health:
        magnet = _magnet(self.registers(STATUS, 1)[0])
        return Health(magnet, None, None, magnet_words(magnet, "no gain reported"))


def _magnet(status: int) -> Magnet:
    if status & MISSING:
        return Magnet.MISSING
    if status & WEAK:
        return Magnet.TOO_WEAK
    return Magnet.TOO_STRONG if status & STRONG else Magnet.GOOD


KIND = EncoderKind(
    part=Xe7000.part,
    driver=lambda at: Xe7000(at.bus, at.address),
    addresses=(0x1A, 0x1B),
    address=0x1A,
    counts_per_turn=Xe7000.counts_per_turn,
    most_ma=9,
    order="a board that nobody sells",
    set_by="its pin A0",
    fastest_hz=400_000,
    source="a datasheet that nobody wrote",
    clashes=((range(0x1A, 0x1C), "a codec that nobody makes"),),
)
