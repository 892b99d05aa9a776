"""24AA02UID and 24AA025E48: 256 bytes of EEPROM with a number that no other tile has (Microchip, "24AA02UID/24AA025UID"
DS20005202A and "24AA02E48/24AA025E48/24AA02E64/24AA025E64" DS20002124H).

The upper half is written at the factory and read-only: at 0xFA the 24AA02UID holds the maker's code
0x29, the device's code 0x41 and a 32-bit serial number (DS20005202A p.13), the 24AA025E48 an EUI-48 (DS20002124H
p.14). The lower half is ours: 128 bytes, written in pages of 8 or 16, each of which takes up to 5 ms. A chip that
writes acknowledges nothing, which shows when it has finished.

The first three bytes of an EUI-48 will change once the maker's present ones are used up (p.14), so the driver accepts
every EUI-48 that is neither a group address nor locally administered.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hardware.bus import Bus, Read, Write
from hardware.clock import Clock
from hardware.errors import BusGlitch, NoAnswer, WrongChip

ADDRESS: Final = 0x50
IDENTITY: Final = 0xFA
IDENTITY_BYTES: Final = 6
ROOM: Final = 128
"""Writable bytes, from 0x00 on."""

WRITE_CYCLE_NS: Final = 5_000_000
"""The longest write cycle of a page."""

POLL_NS: Final = 500_000
PATIENCE_NS: Final = 4 * WRITE_CYCLE_NS
"""A chip that has not answered by then is not writing: it is gone."""

UID_CODES: Final = b"\x29\x41"
NO_SERIAL: Final = (b"\x00" * 4, b"\xff" * 4)
"""The bytes of an empty memory, or of none."""

GROUP_OR_LOCAL: Final = 0x03
"""Bits of an EUI-48's first byte: group address, locally administered address."""


@dataclass(frozen=True, slots=True)
class MemoryKind:
    """One of the two; `page`: how many bytes it writes at once."""

    name: str
    part: str
    page: int


KINDS: Final = {
    kind.name: kind for kind in (MemoryKind("24aa02uid", "24AA02UID", 8), MemoryKind("24aa025e48", "24AA025E48", 16))
}
"""By their names in settings."""


class TileMemory:
    """The memory of one tile, on the lead of its encoder. Sends nothing until it is used."""

    def __init__(self, bus: Bus, kind: str, clock: Clock, address: int = ADDRESS) -> None:
        """Raises KeyError for a kind that is not in KINDS."""
        self.bus, self.kind, self.address = bus, KINDS[kind], address
        self._clock = clock

    def identity(self) -> str:
        """`number`, if the memory is of the kind in the settings. Raises WrongChip if it is of the other."""
        return self.of_its_kind(self.number())

    def number(self) -> str:
        """The tile's number, of either kind: `24aa02uid:12345678` or `24aa025e48:0004A3123456`.

        It is read twice: a corrupted number would name a tile that does not exist. Raises
        BusGlitch if the two differ, WrongChip if this is no such memory, and the other HardwareErrors.
        """
        first, again = self._numbers(), self._numbers()
        if first != again:
            raise BusGlitch(self._part, self.bus.name, "gave two different numbers of its tile", "Check its plug.")
        if first[len(UID_CODES) :] not in NO_SERIAL:
            if first.startswith(UID_CODES):
                return f"24aa02uid:{first[len(UID_CODES) :].hex().upper()}"
            if not first[0] & GROUP_OR_LOCAL and any(first[:3]):
                return f"24aa025e48:{first.hex().upper()}"
        raise self._wrong()

    def of_its_kind(self, number: str) -> str:
        """The number unchanged, if it is of the kind in the settings; otherwise raise WrongChip."""
        if not number.startswith(f"{self.kind.name}:"):
            raise self._wrong()
        return number

    def read(self, first: int = 0, length: int = ROOM) -> bytes:
        """Bytes from `first` on. Raises HardwareError."""
        return self.bus.transfer((Write(self.address, bytes((first,))), Read(self.address, length)))

    def write(self, first: int, data: bytes) -> None:
        """Write page after page, in the order of addresses, and read everything back.

        Raises ValueError outside the 128 writable bytes; NoAnswer if the tile is pulled meanwhile;
        WrongChip if the memory differs afterwards.
        """
        if not 0 <= first <= first + len(data) <= ROOM:
            raise ValueError(f"{len(data)} bytes at {first}: only the {ROOM} bytes from 0 on are writable")
        done = 0
        while done < len(data):
            at = first + done
            piece = data[done : done + self.kind.page - at % self.kind.page]
            self.bus.transfer((Write(self.address, bytes((at,)) + piece),))
            self._wait_until_written()
            done += len(piece)
        if data and self.read(first, len(data)) != data:
            raise WrongChip(
                self._part,
                self.bus.name,
                "does not hold what was written to it",
                "Check its supply; a worn-out memory must be replaced.",
            )

    @property
    def _part(self) -> str:
        return f"chip 0x{self.address:02X}"

    def _numbers(self) -> bytes:
        return self.read(IDENTITY, IDENTITY_BYTES)

    def _wrong(self) -> WrongChip:
        return WrongChip(
            self._part,
            self.bus.name,
            f"answers, but is no {self.kind.part}",
            f"Check that the tile's memory is a {self.kind.part}, or set `memory` in the settings to what it is.",
        )

    def _wait_until_written(self) -> None:
        """Acknowledge polling: set its address pointer until it acknowledges. An empty message would do, but not
        every adapter can send one."""
        until_ns = self._clock.now_ns() + PATIENCE_NS
        while True:
            self._clock.sleep_until(self._clock.now_ns() + POLL_NS)
            try:
                self.bus.transfer((Write(self.address, b"\x00"),))
            except NoAnswer:
                if self._clock.now_ns() >= until_ns:
                    raise
            else:
                return
