"""The steps of the guide for leads and plugs, for the printed squares, and for the tiles one by one."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from hardware.encoders import ENCODERS
from pi_app.plans.printed.table import STEPS
from pi_app.plans.wiring.guide_lines import Lines, ask, box, capital, lead_of, page, solder, with_lead, with_settings
from pi_app.plans.wiring.values import Part, PartKind, Wiring

PICTURE: Final = "square.svg"
MAGNETIC: Final = tuple(kind.part for kind in ENCODERS.values() if kind.absolute)
BEFORE_BOARD, AFTER_BOARD = STEPS[:6], STEPS[7:10]
"""Assembling a square until the sensor's board goes in, and after that."""


def leads(wiring: Wiring) -> Lines:
    """Cut and label every lead; fit plugs to those that leave the box."""
    yield "Make all leads before you connect one; the [cables](cables.md) have their lengths and wires."
    yield ""
    yield box("Each lead is cut a tenth longer than listed, and has its label at both ends.")
    yield box(f"Blue is twisted with black, and yellow with red; never blue with yellow ({page('cable')} says why).")
    outside = [kind for kind, mark in (("tiles", "D-"), ("screens", "O-"), ("seats", "S-"))
               if any(lead.label.startswith(mark) for lead in wiring.leads)]  # fmt: skip
    if outside:
        yield box(
            f"The leads of {' and '.join(outside)} have a latched plug and socket where they leave the box, with the "
            "wires in the order of their tables below. The plugs of seats are of another kind than those of tiles, so "
            "that they cannot be mixed up."
        )
    yield box("Meter on ohms: each wire has 0 to 1 Ohm from end to end, and no contact to its neighbours.")


def squares(wiring: Wiring, there: Collection[str], clicks: Sequence[int], file: str) -> Lines:
    """Print and assemble the squares, until their boards go in. `there`: the other files in the guide's folder."""
    count = len(wiring.of(PartKind.TILE))
    pages = sorted(name for name in there if name.startswith("printed/") and name.endswith("/parts.md"))
    if pages:
        links = ", ".join(f"[{name.removesuffix('/parts.md')}]({name})" for name in pages)
        yield f"The parts to print are in {links}: `first.3mf` once, then `square.3mf` for each square."
    else:
        yield f"`trapdial wiring{with_settings(file)} -o DIR --printed` writes the parts to print into DIR:"
        yield f"`first.3mf` once, then `square.3mf` for each square. {page('printed_parts')} shows each part."
    many = f"{count} squares" if count > 1 else "the square"
    yield f"Build {many} upside down: the top plate serves as a tray, and every part drops into its place."
    yield ""
    if PICTURE in there:
        drawn = "" if set(clicks) == {12} else " (drawn with 12 clicks)"
        yield f"![The parts of a square in the order of assembly, upside down]({PICTURE})"
        yield ""
        yield f"The picture shows the order{drawn}. Board and cable, 4 and 5, follow below with the tile's wires."
        yield ""
    first, *each = BEFORE_BOARD
    yield box(first)
    faces = ", ".join(f"[{name}]({name})" for name in sorted(there) if name.startswith("faces_"))
    for step in each:
        yield box(f"{step} The paper faces: {faces}." if faces and step.startswith("Cut out the paper") else step)
    yield box("Check by eye: no magnet stands out of its shaft.")


def capacitors() -> Lines:
    """Where a tile's capacitors sit, and when to leave them out."""
    yield "**Capacitors.** Those below go across VCC and GND on the back of the sensor's board, as near to the chip as"
    yield "you can. Many boards carry both already: look for two small brown parts beside the chip, with VCC and GND at"
    yield "their ends (meter on ohms: 0 Ohm to VCC at one end, and to GND at the other). Then leave them out."


def tiles(wiring: Wiring, own: Sequence[Part], file: str) -> Lines:
    """Solder, close and check each tile of the Pi."""
    if len(own) > 1:
        yield "Connect and check one tile at a time: two tiles on one lead would answer with nonsense, and you find a"
        yield "wrong lead at once."
    else:
        yield "Unplug the supply before you connect the lead."
    yield ""
    yield from capacitors()
    when = "After each tile" if len(own) > 1 else "When the tile is closed"
    yield from ask(file, f"{when}, plug the supply in, run this, and unplug it again:")
    for one in own:
        yield from tile(wiring, one)


def tile(wiring: Wiring, own: Part) -> Lines:
    """Solder, close and check one tile."""
    lead = lead_of(wiring, own)
    yield f"### {capital(own.name)}"
    yield ""
    chips = " and ".join(f"{chip.model} at 0x{chip.address:02X}" for chip in own.chips)
    yield box(f"{chips}{'; ' + own.set_to if own.set_to else ''}.")
    yield from solder([each for each in wiring.fitted if each.at == own.name])
    yield from with_lead(wiring, lead, "Solder the wires to the back of the board, with no pins on the chip's side.")
    if own.model in MAGNETIC:
        yield box("Put the board into the carrier's frame, chip towards the magnet.")
        yield from (box(step) for step in AFTER_BOARD)
    yield box("Meter on ohms at the plug, from red to black: no short.")
    yield box(f"The doctor reports encoder {own.id} as `ok`, with a good magnet.")
    yield ""


def hoods(wiring: Wiring) -> Lines:
    """Put lamps and screens where only their players see them."""
    screens = bool(wiring.of(PartKind.SCREEN))
    yield box("Press each lamp into the tube of a hood" + (", and screw a screen to the back of the same hood's plate "
              "with four M2 screws and nuts." if screens else "."))  # fmt: skip
    yield box("Stand each hood on its long wall, open towards its own player; glue the button beside it.")
