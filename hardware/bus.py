"""The bus contract. Its unit is one transaction, from START to STOP.

A transaction is one or more messages joined by repeated STARTs. The position of the STOP matters: a
TCA9548A switches only on STOP (TI SCPS207F p.17), and an adapter that takes many messages in one call
puts no STOPs between them unless it knows I2C_M_STOP. So callers define the transactions, and
the bus decides how many calls they take.

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
"""The messages between one START and one STOP. At most one Read, and it is the last message (bcm2835)."""

Outcome = bytes | HardwareError
"""The result of one transaction of a prepared sequence: the bytes read (empty for a write), or the error."""

Prepared = Callable[[], Sequence[Outcome]]
"""A sequence of transactions, built once and run often. It returns one Outcome per transaction and raises
nothing for a chip's failure: a scan must go on to the next dial."""


@dataclass(frozen=True, slots=True, eq=False)
class PreparedRun:
    """A prepared sequence that reuses its buffers: no allocation per run.

    `attempt` runs it. It returns None if nothing failed: then `answers` hold what was read (None: a write) until the
    next run. Otherwise it returns an Outcome per transaction.
    """

    attempt: Callable[[], Sequence[Outcome] | None]
    answers: Sequence[bytearray | None]

    def __call__(self) -> Sequence[Outcome]:
        failed = self.attempt()
        return self.outcomes() if failed is None else failed

    def outcomes(self) -> list[bytes]:
        """Copies of what the last run read, if nothing failed in it."""
        return [b"" if answer is None else bytes(answer) for answer in self.answers]


def prepared_run(prepared: Prepared, transactions: Sequence[Transaction]) -> PreparedRun:
    """Turn any Prepared of these transactions into a PreparedRun."""
    if isinstance(prepared, PreparedRun):
        return prepared
    answers = [bytearray(last.length) if isinstance(last := each[-1], Read) else None for each in transactions]

    def attempt() -> Sequence[Outcome] | None:
        outcomes = prepared()
        for answer, outcome in zip(answers, outcomes, strict=True):
            if isinstance(outcome, HardwareError):
                return outcomes
            if answer is not None:
                answer[:] = outcome
        return None

    return PreparedRun(attempt, answers)


class Bus(Protocol):
    """One segment with chips on it: an adapter's, or one channel of a mux."""

    @property
    def name(self) -> str:
        """Its place, for people: `/dev/i2c-1`, or `/dev/i2c-1 mux 0x70 channel 3`."""

    def transfer(self, transaction: Transaction) -> bytes:
        """Run one transaction and return the bytes of its Read (empty if it has none).

        Raises HardwareError (NoAnswer, BusStuck, BusGlitch, ShapeRefused).
        """

    def prepare(self, transactions: Sequence[Transaction]) -> Prepared:
        """Build transfers once for many runs, in as few adapter calls as the adapter allows."""


WIRE_BITS_PER_BYTE = 9
"""Eight data bits and the acknowledge."""


def wire_bits(transaction: Transaction) -> int:
    """Bit times of one transaction on the wire: START and STOP and each repeated START one bit each,
    nine per byte, address bytes counted (hardware figures: wiring_docs/story_of_a_click.md)."""
    payload = sum(len(m.data) if isinstance(m, Write) else m.length for m in transaction)
    return 1 + WIRE_BITS_PER_BYTE * (payload + len(transaction)) + len(transaction)
