"""The square as OpenSCAD source: the shipped file with the numbers of one square."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import Final

from pi_app.plans.printed.square import PrintedSquare

SOURCE: Final = Path(__file__).with_name("trap_square.scad")
_NUMBER: Final = r"^({name} = )[^;]+(;)"


def scad(square: PrintedSquare) -> str:
    """The text of `trap_square.scad` for this square; it needs no other file."""
    text = SOURCE.read_text(encoding="utf-8")
    for field in fields(square):
        value = f"{getattr(square, field.name):.12g}"
        text, found = re.subn(_NUMBER.format(name=field.name), rf"\g<1>{value}\g<2>", text, flags=re.MULTILINE)
        assert found == 1, field.name
    return text
