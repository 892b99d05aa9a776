"""MT6701: 14-bit absolute magnetic encoder (MagnTek, datasheet rev. 1.8), address 0x06 and no other.

The angle's upper eight bits are in 0x03, its lower six in the upper six of 0x04: both are read in one transaction, or
they would belong to two measurements. 0x06 lies in the range that I2C reserves (0x00 to 0x07), so `i2cdetect` shows it
only with `-a`.

Over I2C it reports neither its identity nor anything about its magnet (field strength is on SSI alone). The driver
checks instead that its configuration (0x30 to 0x34, loaded from its EEPROM) reads the same twice and is not
what an idle line returns; that it still reads the same in every verified read; and that four angles agree. Without a
magnet they hardly ever do.

The driver writes nothing but register numbers: 0x09 and 0x0A would start the EEPROM.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hardware.bus import Bus, Transaction
from hardware.chips.dial_chip import Complaint, Health
from hardware.chips.register_chip import RegisterChip
from hardware.encoders import EncoderKind
from hardware.readings import Magnet

ADDRESS = 0x06
ANGLE = 0x03
CONFIGURATION, CONFIGURATION_BYTES = 0x30, 5

SETTLE_NS = 40_000_000
"""Longer than any MT6701 takes from power-up to a valid angle."""


class Mt6701(RegisterChip):
    """One MT6701."""

    part = "MT6701"
    settle_ns = SETTLE_NS

    def __init__(self, bus: Bus, address: int = ADDRESS) -> None:
        self._configuration = b""
        super().__init__(bus, address)

    def identify(self) -> Iterator[None]:
        before = self.registers(CONFIGURATION, CONFIGURATION_BYTES)
        if before == b"\xff" * CONFIGURATION_BYTES:
            raise self.wrong("answers with ones only")
        yield
        if self.registers(CONFIGURATION, CONFIGURATION_BYTES) != before:
            raise self.wrong(self.implausible_bytes().seen)
        self._configuration = before

    def quick_read(self) -> tuple[Transaction, ...]:
        return (self.ask(ANGLE, 2),)

    def verified_read(self) -> tuple[Transaction, ...]:
        angle = self.ask(ANGLE, 2)
        return (angle, self.ask(CONFIGURATION, CONFIGURATION_BYTES), angle, angle, angle)

    def angle(self, got: bytes | bytearray) -> int:
        return got[0] << 6 | got[1] >> 2

    def judge(self, got: Sequence[bytes]) -> Magnet | Complaint:
        return Magnet.UNKNOWN if got[1] == self._configuration else self.implausible_bytes()

    def health(self) -> Health:
        """Whether it answers; it reports nothing about its magnet over I2C. Raises HardwareError."""
        self.registers(ANGLE, 2)
        return Health(
            Magnet.UNKNOWN,
            None,
            None,
            "answers, but an MT6701 cannot report over I2C whether it sees its magnet: "
            "check that its magnet sits 0.5 to 3 mm above the chip; i2cdetect shows it with -a only",
        )


KIND = EncoderKind(
    part=Mt6701.part,
    driver=lambda at: Mt6701(at.bus, at.address),
    addresses=(ADDRESS,),
    address=ADDRESS,
    counts_per_turn=Mt6701.counts_per_turn,
    most_ma=10,  # an upper estimate
    order="MT6701 board with its I2C pins led out, sold with a magnet",
    tells_magnet=False,
)
