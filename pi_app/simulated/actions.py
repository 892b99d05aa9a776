"""What people do at a simulated table, as values: thumbs, hands, words, and pulled leads."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Press:
    """A thumb goes down on a seat's button."""

    seat: str


@dataclass(frozen=True, slots=True)
class Release:
    """The thumb lets go."""

    seat: str


@dataclass(frozen=True, slots=True)
class Turn:
    """A hand turns a dial by signed clicks; `gaps_ms` from click to click, one fewer than clicks."""

    square: str
    clicks: int
    gaps_ms: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Word:
    """Somebody says a line of the table's command language."""

    line: str


@dataclass(frozen=True, slots=True)
class Strike:
    """A fault befalls a tile, by its name in `hardware.sims.faults`: a pulled lead, a weak magnet. `amount` None: the
    fault's own."""

    square: str
    fault: str
    amount: float | None = None


@dataclass(frozen=True, slots=True)
class Mend:
    """A fault is taken away again: the lead is put back."""

    square: str
    fault: str


@dataclass(frozen=True, slots=True)
class Cable:
    """A hub's USB cable is pulled, or put back."""

    hub: str
    plugged: bool


Hand = Press | Release | Turn | Word | Strike | Mend
Act = Hand | Cable
