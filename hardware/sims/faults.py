"""Faults by name, done to one simulated tile: the worst ones look like good data.

Lasting faults stay until they are mended; the others happen once. Some take an amount.

What it does not model: a single byte torn by noise, two swapped leads, arbitration lost, AGC drift.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hardware.sims.as5600 import Field

if TYPE_CHECKING:
    from hardware.sims.table import Tile


class UnknownFault(ValueError):
    """No fault has this name; the message guesses which was meant."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What a fault is, what it does to a tile, and what takes it away again.

    `amount` is the default of its one number, None if it has none; `mend` is None for what happens once.
    """

    name: str
    line: str
    strike: Callable[[Tile, float], None]
    mend: Callable[[Tile], None] | None = None
    amount: float | None = None


def _unplug(tile: Tile, _: float) -> None:
    tile.unplug()


def _replug(tile: Tile, _: float) -> None:
    tile.unplug()
    tile.plug_in()


def _hold(tile: Tile, _: float) -> None:
    tile.segment.held = True


def _let_go(tile: Tile) -> None:
    tile.segment.held = False


def _keep_open(tile: Tile, _: float) -> None:
    if tile.mux is None:
        raise ValueError("the fault 'two-channels-open' needs a tile behind a mux")
    tile.mux.keeps |= 1 << tile.channel


def _keep_no_longer(tile: Tile) -> None:
    if tile.mux is not None:
        tile.mux.keeps &= ~(1 << tile.channel)


def _spike(tile: Tile, counts: float) -> None:
    tile.encoder.spike_once(round(counts))


def _repeat(tile: Tile, _: float) -> None:
    tile.encoder.repeat_once()


def _slow(tile: Tile, factor: float) -> None:
    tile.wire.set_slowness(factor)


def _full_speed(tile: Tile) -> None:
    tile.wire.set_slowness(1.0)


def _nack(tile: Tile, _: float) -> None:
    tile.encoder.nack_once()


def _spoil(tile: Tile, _: float) -> None:
    tile.encoder.spoil_once()


def _magnet(field: Field) -> Callable[[Tile, float], None]:
    def strike(tile: Tile, _: float) -> None:
        tile.encoder.field = field

    return strike


def _good_magnet(tile: Tile) -> None:
    tile.encoder.field = Field.GOOD


FAULTS: dict[str, Fault] = {
    fault.name: fault
    for fault in (
        Fault("unplugged", "the tile's lead is pulled: it does not acknowledge", _unplug, lambda tile: tile.plug_in()),
        Fault("re-plugged", "the lead was out and in again: pointer 0, no settings, 10 ms without an angle", _replug),
        Fault(
            "stuck-low", "the tile holds its lead low: while its channel is open nothing gets through", _hold, _let_go
        ),
        Fault(
            "two-channels-open",
            "the mux never closes this tile's channel: other tiles read as a wired-AND",
            _keep_open,
            _keep_no_longer,
        ),
        Fault("spike", "one sample is off by this many counts", _spike, amount=569),
        Fault("stale-repeat", "one read gives the bytes of the read before", _repeat),
        Fault(
            "slow-bus",
            "the whole wire runs at this part of its speed (a Pi 3 or 4: 0.5 or 0.625)",
            _slow,
            _full_speed,
            amount=0.625,
        ),
        Fault("nack-once", "one address byte is not acknowledged", _nack),
        Fault("eio-once", "one transfer breaks off half way", _spoil),
        Fault("magnet-weak", "the magnet is too far away", _magnet(Field.WEAK), _good_magnet),
        Fault("magnet-strong", "the magnet is too near", _magnet(Field.STRONG), _good_magnet),
        Fault("magnet-missing", "there is no magnet: the angle is garbage", _magnet(Field.MISSING), _good_magnet),
    )
}


def find(name: str) -> Fault:
    """The fault of that name. Raises UnknownFault with a guess."""
    if name in FAULTS:
        return FAULTS[name]
    near = difflib.get_close_matches(name, FAULTS, n=1, cutoff=0.4)
    guess = f"; did you mean '{near[0]}'?" if near else ""
    raise UnknownFault(f"no fault called '{name}'{guess} (known: {', '.join(FAULTS)})")


def strike(tile: Tile, name: str, amount: float | None = None) -> None:
    """Do a fault to a tile. Raises UnknownFault, and ValueError for an amount that it does not take."""
    fault = find(name)
    if amount is not None and fault.amount is None:
        raise ValueError(f"the fault '{name}' takes no amount")
    chosen = fault.amount if amount is None else amount
    fault.strike(tile, 0.0 if chosen is None else chosen)


def mend(tile: Tile, name: str) -> None:
    """Take a lasting fault away; one that happens once needs no mending. Raises UnknownFault."""
    fault = find(name)
    if fault.mend is not None:
        fault.mend(tile)
