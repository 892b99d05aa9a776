"""Actions of people at a simulated table, as values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Press:
    """Press a seat's button."""

    seat: str


@dataclass(frozen=True, slots=True)
class Release:
    """Release a seat's button."""

    seat: str


@dataclass(frozen=True, slots=True)
class TurnDial:
    """Turn a dial by signed clicks; `gaps_ms` are the times between them, one fewer than clicks."""

    square: str
    clicks: int
    gaps_ms: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class StopBetween:
    """Creep by part of a click and stay between two detents, as a worn dial does."""

    square: str
    part: float


@dataclass(frozen=True, slots=True)
class TypeLine:
    """Type a line of the table's command language."""

    line: str


@dataclass(frozen=True, slots=True)
class InjectFault:
    """Inject a fault of `hardware.sims.faults` into a tile, by name: a pulled lead, a weak magnet. `amount` None: its
    default."""

    square: str
    fault: str
    amount: float | None = None


@dataclass(frozen=True, slots=True)
class ClearFault:
    """Remove a fault again: the lead is plugged in."""

    square: str
    fault: str


@dataclass(frozen=True, slots=True)
class PlugCable:
    """Pull a hub's USB cable, or plug it in."""

    hub: str
    plugged: bool


HandAction = Press | Release | TurnDial | StopBetween | TypeLine | InjectFault | ClearFault
TableAction = HandAction | PlugCable
