"""What the scan asks of any absolute encoder, and in which words.

The scan knows buses and time and no registers; a chip knows its registers and neither time nor other chips.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from hardware.bus import Bus, Transaction
from hardware.readings import Reading, TroubleKind


class Look(enum.Enum):
    """How much one look takes for granted; the cheapest first."""

    QUICK = "the chip still remembers what it was asked"
    FRESH = "the chip is told again what is asked"
    FIELD = "told again, and asked whether it sees its magnet"
    PROVEN = "told again, and shown afterwards to have forgotten nothing"


@dataclass(frozen=True, slots=True)
class Complaint:
    """Why bytes that came well over the wire are no angle. `seen` and `advice` hold no angle."""

    kind: TroubleKind
    seen: str
    advice: str


class DialChip(Protocol):
    """An absolute encoder on a bus, or on a channel of a mux."""

    due: Look
    """The look that its next reading needs."""

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
        """Judge what a look brought. None: believe nothing yet, take a PROVEN look now."""

    def distrust(self) -> None:
        """Let the next look be PROVEN."""

    def forget(self) -> None:
        """It failed: it has to be started again before its angle counts."""
