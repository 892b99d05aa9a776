"""Write `pi_app/pages/page/symbols.js` from the shapes of the screens: `python -m tests.pages.symbols`.

`pi_app.pages` may not import `pi_app.displays`, and a phone needs the shapes as text, so this file is kept, and
compared by a test.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pi_app.displays.symbols import SYMBOLS, Ellipse, Shape

FILE: Final = Path(__file__).resolve().parents[2] / "pi_app/pages/page/symbols.js"


def _figure(value: float) -> str:
    return f"{round(value, 1):g}"


def _shape(shape: Shape) -> str:
    if isinstance(shape, Ellipse):
        letter, figures = "e", [shape.x, shape.y, shape.rx, shape.ry]
    else:
        letter, figures = "p", [figure for point in shape.points for figure in point]
    return (letter if shape.ink else letter.upper()) + " ".join(map(_figure, figures))


def text() -> str:
    """The file, whole."""
    lines = [f'  {name}: "{"".join(map(_shape, shapes))}",' for name, shapes in SYMBOLS.items()]
    return "\n".join(
        [
            "// The symbols of the screens (pi_app/displays/symbols.py), made by `python -m tests.pages.symbols`.",
            '"use strict";',
            "",
            "const SYMBOLS = {",
            *lines,
            "};",
            "",
        ]
    )


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
