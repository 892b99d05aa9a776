"""The calibration in a tile's memory: read when a table is built, and written by `trapdial calibrate`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from hardware.errors import HardwareError
from pi_app.dials.calibration import Calibration
from pi_app.dials.tile_record import REVISIONS, ROOM, SLOT, DoesNotFitError, newer, pack, unpack
from pi_app.settings.model import SquareSettings

TRIES = 3
"""Retries of a memory that cannot be read."""


class Memory(Protocol):
    """A tile's memory. All of it may raise HardwareError."""

    def identity(self) -> str: ...
    def read(self, first: int = 0, length: int = ROOM) -> bytes: ...
    def write(self, first: int, data: bytes) -> None: ...


@dataclass(frozen=True, slots=True)
class TileCalibration:
    """The content of a tile's memory. `dial`: the calibration to use instead of the file's; `note`: for the referee."""

    dial: Calibration | None = None
    note: str = ""


def carried(square: SquareSettings, memory: Memory, filed: Calibration | None) -> TileCalibration:
    """Return the calibration of the tile on this square's lead, if it is good and newer than the one in the file.

    A tile that cannot be read, or that belongs elsewhere, gives nothing: the scan reports it.
    """
    for _ in range(TRIES):
        try:
            tile = memory.identity()
            held = unpack(memory.read(), tile)
        except HardwareError:
            continue
        if filed is not None and filed.tile not in ("", tile):
            return TileCalibration()
        if held.newest is None:
            return TileCalibration(note=_damaged(square.label, filed)) if held.spoilt else TileCalibration()
        if not _fits(held.newest, square):
            return TileCalibration(note=_other_dial(square.label, filed))
        if filed is not None and filed.tile == tile and not newer(held.newest.revision, filed.revision):
            return TileCalibration()
        return TileCalibration(held.newest)
    return TileCalibration()


def _fits(dial: Calibration, square: SquareSettings) -> bool:
    return (dial.clicks, dial.invert, dial.counts_per_turn) == (
        square.table.clicks,
        square.invert,
        square.counts_per_turn,
    )


def _instead(filed: Calibration | None) -> str:
    return "even detents are assumed" if filed is None else "the calibration file is used"


def _damaged(label: str, filed: Calibration | None) -> str:
    return (
        f"The calibration in the memory of {label}'s tile is damaged; {_instead(filed)}. "
        f"Write it again with `trapdial calibrate --square {label}`."
    )


def _other_dial(label: str, filed: Calibration | None) -> str:
    return (
        f"The calibration in the memory of {label}'s tile is of a dial with other clicks, another direction or "
        f"another encoder; {_instead(filed)}. Write it again with `trapdial calibrate --square {label}`."
    )


def handed_over(dial: Calibration, memory: Memory, filed: Calibration | None) -> tuple[Calibration, str]:
    """Write a new calibration into its tile. Return it with the tile's number and its new revision, for the file; and
    why it is not in the tile, or nothing.

    Raises HardwareError if the tile's number cannot be read: the calibration would belong to no tile.
    """
    tile = memory.identity()
    held = unpack(memory.read(), tile)
    known = [each.revision for each in (held.newest, filed) if each is not None and each.tile == tile]
    last = known[0] if known else 0
    for revision in known[1:]:
        last = revision if newer(revision, last) else last
    dial = replace(dial, tile=tile, revision=(last + 1) % REVISIONS)
    try:
        memory.write(held.next_slot * SLOT, pack(dial))
    except DoesNotFitError as why:
        return dial, f"It is not in the tile's memory: {why}."
    except HardwareError as error:
        return dial, f"It is not in the tile's memory: {error}"
    return dial, ""


def moved_away(kept: Mapping[str, Calibration], label: str) -> list[str]:
    """Return the other squares whose calibration is of the tile that now belongs to `label`."""
    tile = kept[label].tile
    return [other for other, dial in kept.items() if tile and other != label and dial.tile == tile]
