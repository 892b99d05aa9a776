"""Copies the output to one seat, byte by byte: for streams and for pictures of a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from hardware.bus import Bus, Prepared, Transaction, Write


class SeatTap(Protocol):
    """Receives the output to seats: for streams and for the demo's picture of the table."""

    def screen(self, seat: str, data: bytes, at_ns: int) -> None: ...
    def lamp(self, seat: str, on: bool, at_ns: int) -> None: ...


@dataclass(frozen=True, slots=True)
class TappedBus:
    """A bus that copies every write."""

    bus: Bus
    copy: Callable[[bytes], None]

    @property
    def name(self) -> str:
        return self.bus.name

    def transfer(self, transaction: Transaction) -> bytes:
        got = self.bus.transfer(transaction)
        for message in transaction:
            if isinstance(message, Write):
                self.copy(message.data)
        return got

    def prepare(self, transactions: Sequence[Transaction]) -> Prepared:
        return self.bus.prepare(transactions)


@dataclass(frozen=True, slots=True)
class TappedLamp:
    """A lamp that copies every edge."""

    lamp: Any
    copy: Callable[[bool], None]

    def on(self) -> None:
        self.lamp.on()
        self.copy(True)

    def off(self) -> None:
        self.lamp.off()
        self.copy(False)
