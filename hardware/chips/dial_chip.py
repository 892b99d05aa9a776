"""What the scan asks of any encoder, and the terms for it.

The scan knows buses and time but no registers; a chip knows its registers but neither time nor other chips.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from hardware.bus import Bus, Transaction
from hardware.clock import Clock
from hardware.errors import with_article
from hardware.readings import Magnet, Reading, TroubleKind


class ReadMode(enum.Enum):
    """How much one read takes for granted; the cheapest first."""

    QUICK = "the chip's register pointer is trusted"
    FRESH = "the pointer is set again"
    FIELD = "the pointer is set again, and the magnet's status is read"
    VERIFIED = "as FIELD, and a last register shows that the chip forgot nothing"
    FULL = "as VERIFIED, and its gain and field strength are read"

    __hash__ = object.__hash__  # there is one of each; an Enum's own hash is slow, and plans are found by modes


QUICK, FRESH, FIELD, VERIFIED, FULL = ReadMode
"""Module-level names for the hot path: CPython 3.11 takes longer to look up an Enum member than to decode an angle."""


@dataclass(frozen=True, slots=True)
class Complaint:
    """Why bytes that arrived intact are no angle. `seen` and `advice` hold no angle."""

    kind: TroubleKind
    seen: str
    advice: str


@dataclass(frozen=True, slots=True)
class Health:
    """A chip's own diagnosis; None for what it cannot measure. `agc` is its gain (AS5600: 0 to 128 at 3.3 V, to 255 at
    5 V; AS5048B: 0 to 255), best near the middle. After a colon, `words` gives advice."""

    magnet: Magnet
    agc: int | None
    magnitude: int | None
    words: str


def implausible_bytes(part: str, address: int) -> Complaint:
    """The complaint about bytes that this kind of chip never sends."""
    return Complaint(
        TroubleKind.IMPLAUSIBLE,
        f"sent bytes that {with_article(part)} cannot mean",
        f"Check its plug and SDA; look for a second chip with address 0x{address:02X} on the same wires.",
    )


def magnet_words(magnet: Magnet, gain: str) -> str:
    """A magnet's state for people, with the gain, and after a colon the advice."""
    match magnet:
        case Magnet.MISSING:
            return f"no magnet seen ({gain}): put the dial in, with its magnet 0.5 to 3 mm above the chip"
        case Magnet.TOO_WEAK:
            return f"magnet too weak ({gain}): bring it closer, and check that it is magnetised across its diameter"
        case Magnet.TOO_STRONG:
            return f"magnet too strong ({gain}): move it away from the chip"
    return f"magnet good ({gain})"


class DialChip(Protocol):
    """An encoder on a bus, or on a channel of a mux."""

    due: ReadMode
    """The mode that its next read needs. A scan that wants a full read sets FULL, which is at least as much."""

    @property
    def absolute(self) -> bool:
        """Whether it knows its angle after a power cut. One that does not counts steps from an arbitrary start."""

    @property
    def counts_per_turn(self) -> int:
        """A reading's `raw` is below this."""

    @property
    def wait_ns(self) -> int:
        """If not 0: the first transaction of a read is a request, and the others may follow this much later."""

    def health(self) -> Health:
        """Its own diagnosis; it must be started. Raises HardwareError."""

    @property
    def bus(self) -> Bus:
        """What it is connected to."""

    @property
    def address(self) -> int:
        """Seven bits."""

    @property
    def started(self) -> bool:
        """Whether it was identified and set up, and has not failed since."""

    @property
    def settle_ns(self) -> int:
        """How long after `starting` the first angle may be read."""

    def starting(self) -> Iterator[None]:
        """Identify it and set it up, a few transactions per step. A step may raise HardwareError."""

    def transactions(self, mode: ReadMode) -> Sequence[Transaction]:
        """The transactions of a read; the same every time while it is started."""

    def decode(self, mode: ReadMode, got: Sequence[bytes], at_ns: int) -> Reading | Complaint | None:
        """Decode the bytes of a read. None: accept nothing yet, take a VERIFIED read now. A FULL read that succeeds
        gives a Reading with a `proof`."""

    def decode_quick(self, answer: bytes | bytearray, at_ns: int) -> Reading | None:
        """`decode` for a QUICK read, as nearly all are: its last answer is enough."""

    def invalidate(self) -> None:
        """Make the next read VERIFIED."""

    def forget(self) -> None:
        """Require a new start before its angle counts: it failed."""


def start_up(chip: DialChip, clock: Clock) -> None:
    """Start a chip and wait until its first angle is due. Raises WrongChip or another HardwareError."""
    for _ in chip.starting():
        clock.sleep_until(clock.now_ns() + chip.wait_ns)
    clock.sleep_until(clock.now_ns() + chip.settle_ns)


def read_once(chip: DialChip, mode: ReadMode, clock: Clock) -> list[bytes]:
    """The bytes of one read. Raises HardwareError."""
    got: list[bytes] = []
    for transaction in chip.transactions(mode):
        if got:
            clock.sleep_until(clock.now_ns() + chip.wait_ns)
        got.append(chip.bus.transfer(transaction))
    return got
