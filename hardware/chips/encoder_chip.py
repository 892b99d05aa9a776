"""What the drivers of all encoders share: where the chip is, whether it is started, and reads of its registers."""

from __future__ import annotations

from hardware.bus import Bus, Read, Transaction, Write
from hardware.chips.dial_chip import VERIFIED, Complaint, implausible_bytes
from hardware.errors import WrongChip, with_article


class EncoderChip:
    """One encoder. Sends nothing until it is started."""

    part = "encoder"
    absolute = True
    settle_ns = 0
    wait_ns = 0

    def __init__(self, bus: Bus, address: int) -> None:
        self._bus = bus
        self._address = address
        self.due = VERIFIED
        self._started = False
        self.last: int | None = None
        """The last accepted count; None since it was started."""

    @property
    def bus(self) -> Bus:
        return self._bus

    @property
    def address(self) -> int:
        return self._address

    @property
    def started(self) -> bool:
        return self._started

    @property
    def expected(self) -> str:
        """What should be wired here, for messages."""
        return with_article(self.part)

    def forget(self) -> None:
        self._started = False
        self.last = None
        self.due = VERIFIED

    def invalidate(self) -> None:
        self.due = VERIFIED

    def ask(self, register: int, length: int) -> Transaction:
        """The transaction that reads consecutive registers."""
        return (Write(self._address, bytes((register,))), Read(self._address, length))

    def registers(self, first: int, length: int) -> bytes:
        """Read consecutive registers now. Raises HardwareError."""
        return self._bus.transfer(self.ask(first, length))

    def wrong(self, seen: str) -> WrongChip:
        """The error for another chip that answered."""
        return WrongChip(
            f"chip 0x{self._address:02X}",
            self._bus.name,
            seen,
            f"Check that {self.expected} is wired here and nothing else has its address.",
        )

    def implausible_bytes(self) -> Complaint:
        """The complaint about bytes that this kind of chip never sends."""
        return implausible_bytes(self.part, self._address)
