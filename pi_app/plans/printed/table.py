"""How to print the parts, what to buy, how to assemble a square, and the checks: as Markdown. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from pi_app.plans.printed.square import CLAMP_SCREW_LENGTH, SCREW_LENGTH, PrintedSquare

if TYPE_CHECKING:
    from pi_app.plans.printed.checks import MeshCheck


def bought(square: PrintedSquare) -> tuple[tuple[int, str], ...]:
    """The shopping list for one square: counts and items."""
    magnet = f"{square.magnet_diameter:g} x {square.magnet_height:g} mm"
    return (
        (1, f"AS5600 board, {square.board:g} x {square.board:g} mm, four holes {square.board_holes:g} mm apart"),
        (1, f"disc magnet {magnet}, magnetised across (diametrically), usually sold with the board"),
        (4, f"countersunk screw M2.5 x {SCREW_LENGTH}, brass or steel"),
        (2, f"pan head screw M2.5 x {CLAMP_SCREW_LENGTH}, brass or steel"),
    )


STEPS: Final = (
    "Print the comb and the gauge. The gauge must turn freely in the bore with two notches (0.2 mm) and fit tightly in "
    "the one with one notch (0.1 mm). The magnet must slide by hand into the second pocket (6.1 mm). A screw must bite "
    "in the third hole (2.1 mm). If other sizes fit better, change `running_gap`, `bead_fit`, `pocket_diameter` or "
    "`screw_pilot` by the difference, in `trap_square.scad`.",
    "Find the magnet's poles: move a second magnet around its rim; the pull is strongest at one place. Align that "
    "place with the groove in the shaft's end, using the same end of the second magnet for every square. Glue the "
    "magnet to the bottom of the pocket.",
    "Cut out the paper face and glue it to the disc, its black mark at the notch in the disc's rim.",
    "Lay the top plate on its face. Put the dial in, face down, its notch at the window.",
    "Press the flexure's beads into the two sockets, with its nose in a valley of the cam.",
    "Set the carrier over the shaft, the opening of its frame on the side where the cable leaves. Hold plate and "
    "carrier together and turn the dial with a coin: it must click.",
    "Solder the wires to the back of the board, with no pins on the chip's side, and DIR to 3.3 V. Put the board into "
    "the carrier's frame, chip towards the magnet.",
    "Lay the cable on the base under the clamp, the wires towards the middle, and screw the clamp down.",
    "Close the square with the base: its four small posts press the board against the pads. Put in the four screws "
    "from below.",
    "Turn the dial one full turn with a coin: it must click once per position and never stay between two.",
    "Run `trapdial doctor` to check the magnet's field and `trapdial calibrate` to learn the detents.",
)
"""Assembling one square, in order."""


def parts_md(square: PrintedSquare, checks: Sequence[MeshCheck]) -> str:
    """The page for the files' folder."""
    return "\n".join(_lines(square, checks)) + "\n"


def _lines(square: PrintedSquare, checks: Sequence[MeshCheck]) -> Iterator[str]:
    from pi_app.plans.printed.parts import PARTS

    yield f"# Printed parts of a trap square with {square.clicks} clicks\n"
    yield "These parts have not been printed yet. They were checked only on the mesh, as listed below.\n"
    yield "Use a 0.4 mm nozzle, no supports, and a brim only for the flexure. Each file is in its printing position.\n"
    rows = (
        (f"{name}.stl", one.what, one.material, f"{one.layer_mm:g} mm", str(one.walls), one.orientation)
        for name, one in PARTS.items()
    )
    yield from _table(("file", "part", "material", "layer", "walls", "orientation"), rows)
    yield f"\nThe square is {square.outline:g} mm wide and {square.height:g} mm high. Print comb and gauge once per"
    yield "printer (`first.3mf` has both), the hood once per seat, all others once per square (`square.3mf`); print the"
    yield "flexure alone if its material differs. `trap_square.scad` makes the same parts with OpenSCAD.\n"
    yield "## Buy for one square\n"
    yield from _table(("how many", "item"), ((str(count), what) for count, what in bought(square)))
    yield "\n## Assemble it\n"
    yield from (f"{number}. {step}" for number, step in enumerate(STEPS, 1))
    yield "\n## Checked on the mesh\n"
    rows_checked = ((one.part, one.what, _measured(one), one.limit or "for information") for one in checks)
    yield from _table(("part", "check", "measured", "limit"), rows_checked)


def _measured(check: MeshCheck) -> str:
    return f"{check.value:.2f}".rstrip("0").rstrip(".") + f" {check.unit}".rstrip()


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"|{' --- |' * len(heads)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)
