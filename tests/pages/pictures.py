"""Pictures of the page in every state, for the docs and for your eyes: `python -m tests.pages.pictures [FOLDER]`.

Writes `phone_dark.png` and `phone_light.png` (every state side by side) and `phone_sizes.png` (320 pixels, a phone on
its side, a tablet, and 400 % zoom) into `wiring_docs/`, made in Chromium with the words of tests/pages/contents.py.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from PIL import Image

from tests.pages.engines import Engine, engine
from tests.pages.states import STATES, Show, at_table

FOLDER: Final = Path(__file__).resolve().parents[2] / "wiring_docs"
PHONE: Final = Show("en", 360, 740)
SIZES: Final = (
    ("face", Show("de", 320, 568)),
    ("playing", Show("de", 320, 568)),
    ("face", Show("en", 667, 375)),
    ("face", Show("de", 320, 256)),  # 1280 by 1024 at 400 %
    ("playing", Show("de", 320, 256)),
    ("face", Show("it", 768, 1024)),
)
COLUMNS: Final = 5
GAP: Final = 16
COLOURS: Final = 96


def shot(browser: Engine, state: str, show: Show, theme: str) -> Image.Image:
    """The page as it is seen in this state."""
    browser.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
    browser.cdp(
        "Emulation.setDeviceMetricsOverride", width=show.width, height=show.height, deviceScaleFactor=1, mobile=False
    )
    with at_table(browser, state, show):
        return Image.open(io.BytesIO(browser.picture())).convert("RGB")


def sheet(pictures: Sequence[Image.Image], columns: int) -> Image.Image:
    """The pictures in rows, each row as high as its highest."""
    rows = [pictures[at : at + columns] for at in range(0, len(pictures), columns)]
    wide = max(sum(each.width + GAP for each in row) for row in rows) + GAP
    high = sum(max(each.height for each in row) + GAP for row in rows) + GAP
    made = Image.new("RGB", (wide, high), "#808080")
    y = GAP
    for row in rows:
        x = GAP
        for each in row:
            made.paste(each, (x, y))
            x += each.width + GAP
        y += max(each.height for each in row) + GAP
    return made


def write(folder: Path) -> None:
    with engine("chromium") as browser:
        for theme in ("dark", "light"):
            shots = [shot(browser, state, PHONE, theme) for state in STATES]
            _save(sheet(shots, COLUMNS), folder / f"phone_{theme}.png")
        _save(sheet([shot(browser, state, show, "dark") for state, show in SIZES], 3), folder / "phone_sizes.png")


def _save(picture: Image.Image, file: Path) -> None:
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(file, optimize=True)


if __name__ == "__main__":
    write(Path(sys.argv[1]) if sys.argv[1:] else FOLDER)
