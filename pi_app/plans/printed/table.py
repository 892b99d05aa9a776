"""What to print how, what to buy, how to put a square together, and what was checked: as Markdown. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from pi_app.plans.printed.bought import CLAMP_SCREW_LENGTH, SCREW_LENGTH
from pi_app.plans.printed.square import PrintedSquare

if TYPE_CHECKING:
    from pi_app.plans.printed.checks import MeshCheck


def bought(square: PrintedSquare) -> tuple[tuple[int, str], ...]:
    """How many of what, for one square."""
    magnet = f"{square.magnet_diameter:g} x {square.magnet_height:g} mm"
    return (
        (1, f"AS5600 board, {square.board:g} x {square.board:g} mm, four holes {square.board_holes:g} mm apart"),
        (1, f"disc magnet {magnet}, magnetised across (diametrically), usually sold with the board"),
        (4, f"countersunk screw M2.5 x {SCREW_LENGTH}, brass or steel"),
        (2, f"pan head screw M2.5 x {CLAMP_SCREW_LENGTH}, brass or steel"),
    )


STEPS: Final = (
    "Print comb and gauge. The gauge must turn freely in the bore with two notches (0.2 mm), and go hard into the one "
    "with one notch (0.1 mm). The magnet must go by hand into the second pocket (6.1 mm). A screw must bite in the "
    "third hole (2.1 mm). If others fit better, change `running_gap`, `bead_fit`, `pocket_diameter` or `screw_pilot` "
    "by the difference, in `trap_square.scad`.",
    "Find the magnet's poles: hold a second magnet to its rim, one place pulls most. Lay that place to the groove in "
    "the shaft's end, with the same end of the second magnet for every square. Glue it in to the pocket's bottom.",
    "Cut the paper face out and glue it on the disc, its black mark to the notch in the disc's rim.",
    "Lay the top plate on its face. Lay the dial in, face down, its notch to the window.",
    "Press the flexure's beads into the two sockets, its nose into a valley of the cam.",
    "Set the carrier over the shaft, the opening of its frame to the side where the cable leaves. Hold plate and "
    "carrier together and turn the dial with a coin: it clicks.",
    "Solder the wires to the board from behind, with no pins on the chip's side, and DIR to 3.3 V. Lay the board into "
    "the carrier's frame, chip towards the magnet.",
    "Lay the cable under the clamp on the base, the wires towards the middle, and screw the clamp down.",
    "Close with the base: its four small posts press the board to the pads. Four screws from below.",
    "Turn the dial once round with a coin: as many clicks as positions, and no place where it stays between two.",
    "`trapdial doctor` reads the field, `trapdial calibrate` learns the detents.",
)
"""Putting one square together, in order."""


def parts_md(square: PrintedSquare, checks: Sequence[MeshCheck]) -> str:
    """The page that lies beside the files."""
    return "\n".join(_lines(square, checks)) + "\n"


def _lines(square: PrintedSquare, checks: Sequence[MeshCheck]) -> Iterator[str]:
    from pi_app.plans.printed.parts import PARTS

    yield f"# Printed parts of a trap square with {square.clicks} clicks\n"
    yield "Nobody has printed these parts yet. They were checked on the mesh, as below, and on no printer.\n"
    yield "Nozzle 0.4 mm, no supports, no brim but for the flexure. Each file lies as it is to be printed.\n"
    rows = (
        (f"{name}.stl", one.what, one.material, f"{one.layer_mm:g} mm", str(one.walls), one.lies)
        for name, one in PARTS.items()
    )
    yield from _table(("file", "part", "material", "layer", "walls", "lies"), rows)
    yield f"\nThe square is {square.outline:g} mm wide and {square.height:g} mm high. Comb and gauge are printed once"
    yield "for a printer (`first.3mf` has both), the hood once for a seat, all others once for a square (`square.3mf`);"
    yield "the flexure is best printed by itself, of its own material. `trap_square.scad` makes the same parts with"
    yield "OpenSCAD.\n"
    yield "## To buy for one square\n"
    yield from _table(("how many", "what"), ((str(count), what) for count, what in bought(square)))
    yield "\n## Put it together\n"
    yield from (f"{number}. {step}" for number, step in enumerate(STEPS, 1))
    yield "\n## Checked on the mesh\n"
    rows_checked = ((one.part, one.what, _measured(one), one.limit or "told only") for one in checks)
    yield from _table(("part", "what", "measured", "limit"), rows_checked)


def _measured(check: MeshCheck) -> str:
    return f"{check.value:.2f}".rstrip("0").rstrip(".") + f" {check.unit}".rstrip()


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"|{' --- |' * len(heads)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)
