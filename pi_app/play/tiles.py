"""The calibration that a tile carries in its memory: taken from there when a table is put together, and written there
by `trapdial calibrate`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from hardware.errors import HardwareError
from pi_app.dials.calibration import Calibration
from pi_app.dials.tile_record import REVISIONS, ROOM, SLOT, DoesNotFitError, newer, pack, unpack
from pi_app.settings.model import SquareSettings

TRIES = 3
"""A glitch while a memory is read must not cost it its word."""


class Memory(Protocol):
    """A tile's memory. All of it may raise HardwareError."""

    def identity(self) -> str: ...
    def read(self, first: int = 0, length: int = ROOM) -> bytes: ...
    def write(self, first: int, data: bytes) -> None: ...


@dataclass(frozen=True, slots=True)
class Carried:
    """What a tile's memory gave. `dial`: the calibration to use, if not the file's; `words`: what the referee should
    know, or nothing."""

    dial: Calibration | None = None
    words: str = ""


def carried(square: SquareSettings, memory: Memory, filed: Calibration | None) -> Carried:
    """The calibration of the tile on this square's lead, if it is good and newer than the one in the file.

    A tile that cannot be read, or that belongs elsewhere, gives nothing here: the scan finds the same and says so.
    """
    for _ in range(TRIES):
        try:
            tile = memory.identity()
            held = unpack(memory.read(), tile)
        except HardwareError:
            continue
        if filed is not None and filed.tile not in ("", tile):
            return Carried()
        if held.newest is None:
            return Carried(words=_spoilt(square.label, filed)) if held.spoilt else Carried()
        if not _fits(held.newest, square):
            return Carried(words=_other_dial(square.label, filed))
        if filed is not None and filed.tile == tile and not newer(held.newest.revision, filed.revision):
            return Carried()
        return Carried(held.newest)
    return Carried()


def _fits(dial: Calibration, square: SquareSettings) -> bool:
    return (dial.clicks, dial.invert, dial.counts_per_turn) == (
        square.table.clicks,
        square.invert,
        square.counts_per_turn,
    )


def _instead(filed: Calibration | None) -> str:
    return "its detents are taken to be even" if filed is None else "what the calibration file says is used"


def _spoilt(label: str, filed: Calibration | None) -> str:
    return (
        f"The calibration in the memory of {label}'s tile is spoilt; {_instead(filed)}. "
        f"Write it anew with `trapdial calibrate --square {label}`."
    )


def _other_dial(label: str, filed: Calibration | None) -> str:
    return (
        f"The calibration in the memory of {label}'s tile is of a dial with other clicks, another direction or "
        f"another encoder; {_instead(filed)}. Write it anew with `trapdial calibrate --square {label}`."
    )


def handed_over(dial: Calibration, memory: Memory, filed: Calibration | None) -> tuple[Calibration, str]:
    """Write what was just learnt into its tile. The calibration with the tile's number and its new revision, for the
    file; and why it is not in the tile, or nothing.

    Raises HardwareError if not even the tile's number can be read: then nobody knows whose calibration it is.
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
    """Other squares whose calibration is of the tile that now belongs to `label`."""
    tile = kept[label].tile
    return [other for other, dial in kept.items() if tile and other != label and dial.tile == tile]
