"""Checks for another kind of encoder, or another tile, in place of a square's own."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import Final

from hardware.chips.dial_chip import DialChip
from hardware.chips.known_tile import TileRegister
from hardware.chips.tile_memory import TileMemory
from hardware.encoders import ENCODERS
from hardware.errors import with_article
from pi_app.dials.tile_record import unpack
from pi_app.plans.check import Check, Sign, Symptom
from pi_app.play.dial_shapes import calibrations
from pi_app.play.wires import register
from pi_app.settings.model import Settings
from pi_app.text.errors import UserFileError
from pi_app.workshop.doctor.bus_wiring import BusWiring, answers

SCREEN_ADDRESSES: Final = (0x3C, 0x3D)


@cache
def encoders_at() -> Mapping[int, tuple[str, ...]]:
    """The kinds of encoder at each address, each with its article. One that is given any address is at its first."""
    at: dict[int, tuple[str, ...]] = {}
    for kind in ENCODERS.values():
        for address in kind.addresses if kind.wakes_at is None else (kind.wakes_at,):
            at[address] = (*at.get(address, ()), with_article(kind.part))
    return at


def another_kind(wiring: BusWiring, label: str, chip: DialChip, on_trunk: Collection[int]) -> Check | None:
    """Check whether another kind of encoder answers in place of a silent one, where no other square has one.

    `on_trunk`: addresses that answer whichever channel is open."""
    square = wiring.squares[label]
    place = (square.mux, square.channel)
    taken = {other.address for other in wiring.squares.values() if (other.mux, other.channel) == place}
    taken |= {*on_trunk, *wiring.on_trunk()}
    for address, kinds in encoders_at().items():
        if address not in taken and address not in SCREEN_ADDRESSES and answers(chip.bus, address):
            return Check(
                Sign.FAILS,
                f"encoder of {label}",
                chip.bus.name,
                f"nothing answers at 0x{chip.address:02X}, but something does at 0x{address:02X} "
                f"({' or '.join(kinds)})",
                f"Plug the right tile in, or write its `chip` and `address` into [square.{label}].",
                refuses=True,
                found=Symptom.ELSEWHERE,
                address=address,
            )
    return None


def tile_register(settings: Settings) -> TileRegister:
    """Return which tile belongs where; empty if the calibration cannot be read, which has its own line."""
    try:
        return register(calibrations(settings.beside(settings.table.calibration)))
    except UserFileError:
        return register({})


def examine_memory(tiles: TileRegister, label: str, memory: TileMemory) -> Iterator[Check]:
    """Check whose tile is on this lead and whether its calibration can be read. Raises HardwareError."""
    part, place = f"memory of {label}", memory.bus.name
    tile = memory.number()
    refusal = tiles.refusal(label, tile)
    if refusal is not None:
        yield Check(Sign.FAILS, part, place, *refusal)
        return
    held = unpack(memory.read(), memory.of_its_kind(tile))
    advice = f"Write it again with `trapdial calibrate --square {label}`."
    if held.newest is not None:
        words = f"{tile}, with its calibration (revision {held.newest.revision})"
        yield Check(Sign.GOOD, part, place, words)
    elif held.spoilt:
        yield Check(Sign.UNSURE, part, place, f"{tile}, but its calibration is damaged", advice)
    else:
        yield Check(Sign.GOOD, part, place, f"{tile}, without a calibration")
