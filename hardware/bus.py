"""The bus contract. Its unit is one transaction, from START to STOP.

A transaction is one or more messages joined by repeated STARTs. It matters where the STOP stands: a
TCA9548A switches only on STOP (TI SCPS207F p.17), and an adapter that takes many messages in one call
does not put STOPs between them unless it knows I2C_M_STOP. So callers say what belongs together, and
the bus decides how many calls that takes.

Addresses are always 7 bits. Failures are `hardware.errors`: NoAnswer, BusStuck, BusGlitch, ShapeRefused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from hardware.errors import HardwareError


@dataclass(frozen=True, slots=True)
class Write:
    """Bytes for a chip: START, address+W, data."""

    address: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Read:
    """Bytes from a chip: START, address+R, `length` bytes (1 to 8192)."""

    address: int
    length: int


Transaction = tuple[Write | Read, ...]
"""What happens between one START and one STOP. At most one Read, and it stands last (bcm2835)."""

Outcome = bytes | HardwareError
"""What one transaction of a prepared sequence gave: the bytes read (empty for a write), or its trouble."""

Prepared = Callable[[], Sequence[Outcome]]
"""A sequence of transactions built once and run often. It returns one Outcome per transaction and raises
nothing for a chip's failure: a scan must go on to the next dial."""


class Bus(Protocol):
    """One segment that chips hang on: an adapter's, or one channel of a mux."""

    @property
    def name(self) -> str:
        """Where it is, as a person finds it: `/dev/i2c-1`, or `/dev/i2c-1 mux 0x70 channel 3`."""

    def transfer(self, transaction: Transaction) -> bytes:
        """Run one transaction and return the bytes of its Read (empty if it has none).

        Raises HardwareError (NoAnswer, BusStuck, BusGlitch, ShapeRefused).
        """

    def prepare(self, transactions: Sequence[Transaction]) -> Prepared:
        """Build transfers once for many runs, in as few adapter calls as the adapter allows."""


WIRE_BITS_PER_BYTE = 9
"""Eight data bits and the acknowledge."""


def wire_bits(transaction: Transaction) -> int:
    """Bit times one transaction takes on the wire: START and STOP and each repeated START one bit each,
    nine per byte, address bytes counted (hardware figures: wiring_docs/story_of_a_click.md)."""
    payload = sum(len(m.data) if isinstance(m, Write) else m.length for m in transaction)
    return 1 + WIRE_BITS_PER_BYTE * (payload + len(transaction)) + len(transaction)
