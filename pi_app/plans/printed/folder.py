"""All files of one kind of square: parts to print, their OpenSCAD source, and the page with instructions. Everything is
made and checked before anything is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pi_app.plans.printed.scad import scad
from pi_app.plans.printed.square import BED, PrintedSquare, check
from pi_app.plans.printed.table import parts_md
from pi_app.text.errors import UserFileError
from pi_app.text.progress import Progress, no_progress

if TYPE_CHECKING:
    from pi_app.plans.printed.checks import MeshCheck
    from pi_app.plans.printed.solid import Solid

NEEDS: Final = ("manifold3d", "numpy")
SCAD: Final = "trap_square.scad"
PAGE: Final = "parts.md"

STEPS: Final = 3
"""Shapes, checks, files: the steps that progress counts."""


@dataclass(frozen=True, slots=True)
class PrintedReport:
    """The names of the written files, and the measurements."""

    square: PrintedSquare
    files: tuple[str, ...]
    checks: tuple[MeshCheck, ...]


def write_parts(
    folder: Path, clicks: int = 12, *, invert: bool = False, square: PrintedSquare | None = None, bed: float = BED
) -> PrintedReport:
    """Make, check and write the parts of a square with this many clicks.

    `invert`: from the settings. `square`: other numbers than the usual ones; its clicks are replaced. `bed`: side of
    the printer's bed in mm. Raises UserFileError if the extra is not installed, the numbers make no square, a check
    fails, or the disk refuses; the folder is then unchanged, unless the disk refused halfway.
    """
    numbers = replace(square or PrintedSquare(), clicks=clicks)
    if folder.exists() and not folder.is_dir():
        raise UserFileError.at(str(folder), "", "it is a file", "Name a folder for the parts")
    files, found = made(numbers, invert=invert, bed=bed)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            (folder / name).write_bytes(data)
    except OSError as trouble:
        seen = f"the parts cannot be written ({trouble.strerror or trouble})"
        raise UserFileError.at(str(folder), "", seen, "Check the folder, its permissions and the disk") from None
    return PrintedReport(numbers, tuple(files), found)


def made(
    square: PrintedSquare, *, invert: bool = False, bed: float = BED, progress: Progress = no_progress
) -> tuple[Mapping[str, bytes], tuple[MeshCheck, ...]]:
    """Every file by name, and every check. Raises UserFileError as `write_parts` does."""
    needs_extra()
    check(square)
    from pi_app.plans.printed.checks import checks, failures
    from pi_app.plans.printed.parts import assembled

    kind = f"printed parts for {square.clicks} clicks"
    progress(f"{kind}: shapes", 0, STEPS)
    parts = assembled(square)
    progress(f"{kind}: checks", 1, STEPS)
    found = checks(square, parts, invert=invert, bed=bed)
    if missed := failures(found):
        raise UserFileError(missed)
    page = parts_md(square, found).encode()
    progress(f"{kind}: files", 2, STEPS)
    return {**dict(_printable(parts, bed)), SCAD: scad(square).encode(), PAGE: page}, found


def _printable(parts: Mapping[str, Solid], bed: float) -> Iterator[tuple[str, bytes]]:
    from pi_app.plans.printed.files import placed, stl, three_mf
    from pi_app.plans.printed.parts import PLATES, on_bed

    lying = {name: on_bed(name, solid) for name, solid in parts.items()}
    yield from ((f"{name}.stl", stl(solid)) for name, solid in lying.items())
    for plate, names in PLATES.items():
        try:
            yield plate, three_mf(placed({name: lying[name] for name in names}, bed))
        except ValueError as trouble:
            raise UserFileError.at("plate", f"({plate})", str(trouble), "Use a larger bed") from None


def source(square: PrintedSquare) -> Mapping[str, bytes]:
    """What needs no geometry library: the parts as OpenSCAD source. Raises UserFileError for numbers that make no
    square."""
    check(square)
    return {SCAD: scad(square).encode()}


def missing_libraries() -> tuple[str, ...]:
    """Return the libraries of the extra `parts` that shapes need and that are not installed."""
    return tuple(name for name in NEEDS if find_spec(name) is None)


def needs_extra() -> None:
    """Raises UserFileError if the geometry library is missing."""
    if missing := missing_libraries():
        seen = f"the geometry library is not installed ({', '.join(missing)})"
        raise UserFileError.at("printed parts", "", seen, "Install it with `trapdial extras install parts`")
