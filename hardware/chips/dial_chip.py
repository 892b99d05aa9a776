"""What the scan asks of any encoder, and in which words.

The scan knows buses and time and no registers; a chip knows its registers and neither time nor other chips.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from hardware.bus import Bus, Transaction
from hardware.clock import Clock
from hardware.readings import Magnet, Reading, TroubleKind


class Look(enum.Enum):
    """How much one look takes for granted; the cheapest first."""

    QUICK = "the chip still remembers what it was asked"
    FRESH = "the chip is told again what is asked"
    FIELD = "told again, and asked whether it sees its magnet"
    PROVEN = "told again, and shown afterwards to have forgotten nothing"
    FULL = "proven, and asked for its gain and the strength of its field as well"

    __hash__ = object.__hash__  # there is one of each; an Enum's own hash is slow, and plans are found by looks


QUICK, FRESH, FIELD, PROVEN, FULL = Look
"""The same by themselves, for what is asked many thousand times a second: CPython 3.11 takes longer to find a member in
its class than to judge an angle."""


@dataclass(frozen=True, slots=True)
class Complaint:
    """Why bytes that came well over the wire are no angle. `seen` and `advice` hold no angle."""

    kind: TroubleKind
    seen: str
    advice: str


@dataclass(frozen=True, slots=True)
class Health:
    """How a chip says that it is; None for what it cannot say. `agc` is its gain (AS5600: 0 to 128 at 3.3 V, to 255 at
    5 V; AS5048B: 0 to 255), best near the middle. After a colon, `words` says what to do."""

    magnet: Magnet
    agc: int | None
    magnitude: int | None
    words: str


def nonsense(part: str, address: int) -> Complaint:
    """Bytes that this kind of chip cannot mean."""
    return Complaint(
        TroubleKind.IMPLAUSIBLE,
        f"sent bytes that an {part} cannot mean",
        f"Check its plug and SDA; look for a second chip with address 0x{address:02X} on the same wires.",
    )


class DialChip(Protocol):
    """An encoder on a bus, or on a channel of a mux."""

    due: Look
    """The look that its next reading needs. A scan that wants a full read sets FULL, which is at least as much."""

    @property
    def absolute(self) -> bool:
        """Whether it knows after a power cut where it stands. One that does not counts steps from anywhere."""

    @property
    def counts_per_turn(self) -> int:
        """A reading's `raw` is below this."""

    @property
    def wait_ns(self) -> int:
        """If not 0: the first of a look's transactions is a request, and the others may follow this much later."""

    def health(self) -> Health:
        """How it is; it must be started. Raises HardwareError."""

    @property
    def bus(self) -> Bus:
        """What it hangs on."""

    @property
    def address(self) -> int:
        """Seven bits."""

    @property
    def started(self) -> bool:
        """Whether it was identified and set up, and nothing speaks against its still being so."""

    @property
    def settle_ns(self) -> int:
        """How long after `starting` the first angle may be asked for."""

    def starting(self) -> Iterator[None]:
        """Identify it and set it up, a few transactions per step. A step may raise HardwareError."""

    def transactions(self, look: Look) -> Sequence[Transaction]:
        """What a look says on the wire; the same every time while it is started."""

    def hear(self, look: Look, got: Sequence[bytes], at_ns: int) -> Reading | Complaint | None:
        """Judge what a look brought. None: believe nothing yet, take a PROVEN look now. A FULL look that succeeds
        gives a Reading with a `proof`."""

    def hear_quick(self, answer: bytes | bytearray, at_ns: int) -> Reading | None:
        """`hear` for a QUICK look, of which nearly all are: its last answer is enough."""

    def distrust(self) -> None:
        """Let the next look be PROVEN."""

    def forget(self) -> None:
        """It failed: it has to be started again before its angle counts."""


def set_up(chip: DialChip, clock: Clock) -> None:
    """Start a chip by itself and wait until its first angle is due. Raises WrongChip or another HardwareError."""
    for _ in chip.starting():
        clock.sleep_until(clock.now_ns() + chip.wait_ns)
    clock.sleep_until(clock.now_ns() + chip.settle_ns)


def taken(chip: DialChip, look: Look, clock: Clock) -> list[bytes]:
    """What one look by itself brings. Raises HardwareError."""
    got: list[bytes] = []
    for transaction in chip.transactions(look):
        if got:
            clock.sleep_until(clock.now_ns() + chip.wait_ns)
        got.append(chip.bus.transfer(transaction))
    return got
