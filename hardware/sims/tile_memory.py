"""Twins of the 24AA02UID and the 24AA025E48, from Microchip DS20005202A and DS20002124H.

A write waits in the page buffer and begins at the STOP; bytes beyond the end of a page go to its beginning. While it
lasts (3 ms typically, 5 ms at most) the control byte is not acknowledged. The upper half cannot be written: its bytes
are acknowledged and dropped. Reads advance through the addresses, from 0xFF to 0x00. The 24AA02UID has no address
pins and answers at 0x50 to 0x57; the 24AA025E48 answers at one of them.

Not modelled: wear, the supply below which writes are blocked, and a clock that is too fast for the supply.
A guess where the datasheets are silent: power lost in a write leaves the first half of the data written and
the rest erased.
"""

from __future__ import annotations

from dataclasses import dataclass

from hardware.sims.clock import VirtualClock
from hardware.sims.wire import IDLE_HIGH, BusSegment, TransferGlitch, TwinError

SIZE = 256
OURS = range(0x80)
IDENTITY_AT = 0xFA
ERASED = 0xFF
LONGEST_CYCLE_NS = 5_000_000
PAGES = {"24aa02uid": 8, "24aa025e48": 16}
ANSWERS = {"24aa02uid": range(0x50, 0x58), "24aa025e48": range(0x50, 0x51)}


class TileMemoryTwin:
    """A memory with `serial` (32 bits; the 24AA025E48 takes the lower 24 of them behind its OUI).

    Connect it with `hang_on`: it may answer to more than one address.
    """

    def __init__(
        self,
        clock: VirtualClock,
        kind: str = "24aa02uid",
        serial: int = 0x12345678,
        *,
        oui: bytes = b"\x00\x04\xa3",
        cycle_ns: int = LONGEST_CYCLE_NS,
    ) -> None:
        self._clock = clock
        self._page = PAGES[kind]
        self._cycle_ns = cycle_ns
        self.addresses = ANSWERS[kind]
        self.bytes = bytearray([ERASED]) * SIZE
        number = b"\x29\x41" + serial.to_bytes(4, "big") if kind == "24aa02uid" else oui + serial.to_bytes(4, "big")[1:]
        self.bytes[IDENTITY_AT:] = number
        self.writes = 0
        """Write cycles begun."""
        self.powered = True
        self._pointer = 0
        self._busy_until_ns = 0
        self._before = bytes(self.bytes)
        self._pending: list[tuple[int, int]] = []
        self._pointer_next = False
        self._glitches = 0

    def hang_on(self, segment: BusSegment) -> None:
        """Connect it at each of its addresses."""
        for address in self.addresses:
            segment.hang(_AtAddress(self, address))

    def unplug(self) -> None:
        """Cut the power; an unfinished write stays half done."""
        self.powered = False
        if self._clock.now_ns() < self._busy_until_ns:
            changed = [at for at in OURS if self.bytes[at] != self._before[at]]
            for at in changed[len(changed) // 2 :]:
                self.bytes[at] = ERASED
        self._busy_until_ns = 0

    def plug_in(self) -> None:
        """Power up with the bytes intact."""
        self.powered = True
        self._pointer = 0
        self._pending.clear()

    def glitch_once(self) -> None:
        """Break off the next transfer after the address."""
        self._glitches += 1

    # --- the pins

    def start(self, reading: bool) -> bool:
        if not self.powered or self._clock.now_ns() < self._busy_until_ns:
            return False
        if self._glitches:
            self._glitches -= 1
            raise TransferGlitch
        self._pointer_next = not reading
        self._pending.clear()  # no STOP came: nothing is written
        return True

    def write(self, byte: int) -> bool:
        if not self.powered:
            return False
        if self._pointer_next:
            self._pointer, self._pointer_next = byte, False
            return True
        self._pending.append((self._pointer, byte))
        page = self._pointer - self._pointer % self._page
        self._pointer = page + (self._pointer + 1 - page) % self._page
        return True

    def read(self) -> int:
        if not self.powered:
            return IDLE_HIGH
        if self._pending:
            raise TwinError("24AA02UID: a read in the middle of a write is not described")
        byte = self.bytes[self._pointer]
        self._pointer = (self._pointer + 1) % SIZE
        return byte

    def stop(self) -> None:
        ours = [(at, byte) for at, byte in self._pending if at in OURS]
        self._pending.clear()
        if not ours or not self.powered:
            return
        self._before = bytes(self.bytes)
        for at, byte in ours:
            self.bytes[at] = byte
        self.writes += 1
        self._busy_until_ns = self._clock.now_ns() + self._cycle_ns


@dataclass(frozen=True, slots=True, eq=False)
class _AtAddress:
    """The memory at one of its addresses."""

    memory: TileMemoryTwin
    address: int

    def start(self, reading: bool) -> bool:
        return self.memory.start(reading)

    def write(self, byte: int) -> bool:
        return self.memory.write(byte)

    def read(self) -> int:
        return self.memory.read()

    def stop(self) -> None:
        self.memory.stop()
