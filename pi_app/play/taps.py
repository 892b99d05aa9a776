"""Hears what one seat is given, byte by byte: for streams and for pictures of a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from hardware.bus import Bus, Prepared, Transaction, Write

if TYPE_CHECKING:
    pass


class SeatTap(Protocol):
    """Hears what one seat is given, byte by byte: for streams and for the demo's picture of the table."""

    def screen(self, seat: str, data: bytes, at_ns: int) -> None: ...
    def lamp(self, seat: str, on: bool, at_ns: int) -> None: ...


@dataclass(frozen=True, slots=True)
class TappedBus:
    """A bus that tells somebody every write that went over it."""

    bus: Bus
    heard: Callable[[bytes], None]

    @property
    def name(self) -> str:
        return self.bus.name

    def transfer(self, transaction: Transaction) -> bytes:
        got = self.bus.transfer(transaction)
        for message in transaction:
            if isinstance(message, Write):
                self.heard(message.data)
        return got

    def prepare(self, transactions: Sequence[Transaction]) -> Prepared:
        return self.bus.prepare(transactions)


@dataclass(frozen=True, slots=True)
class TappedLamp:
    """A lamp that tells somebody every edge."""

    lamp: Any
    heard: Callable[[bool], None]

    def on(self) -> None:
        self.lamp.on()
        self.heard(True)

    def off(self) -> None:
        self.lamp.off()
        self.heard(False)
