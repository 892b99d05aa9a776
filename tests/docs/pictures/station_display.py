"""The picture of the public display: four of its states in Chromium. `python -m tests.docs.pictures.station_display`
writes wiring_docs/station_display.png, with the words of tests/station/states.py."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Final

from PIL import Image

from tests.pages.engines import engine
from tests.station.shown import shown_public
from tests.station.states import state

FILE: Final = Path(__file__).resolve().parents[3] / "wiring_docs" / "station_display.png"
STATES: Final = ("attract", "joining", "guided", "free")
WIDTH, HEIGHT = 960, 540
GAP: Final = 12
COLOURS: Final = 256


def photographs() -> list[Image.Image]:
    """The display in each state, with its dial at rest."""
    shots = []
    with shown_public() as page, engine("chromium") as browser:
        browser.cdp("Emulation.setDeviceMetricsOverride", width=WIDTH, height=HEIGHT, deviceScaleFactor=1, mobile=False)
        browser.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": "reduce"}])
        for name in STATES:
            page.show(state(name))
            browser.go(page.address)
            assert browser.until("scene && document.fonts.status === 'loaded'")
            shots.append(Image.open(io.BytesIO(browser.picture())).convert("RGB"))
    return shots


def sheet(shots: list[Image.Image]) -> Image.Image:
    """The states two by two."""
    made = Image.new("RGB", (2 * WIDTH + 3 * GAP, 2 * HEIGHT + 3 * GAP), "#4a463d")
    for number, shot in enumerate(shots):
        made.paste(shot, (GAP + number % 2 * (WIDTH + GAP), GAP + number // 2 * (HEIGHT + GAP)))
    return made.resize((made.width * 2 // 3, made.height * 2 // 3), Image.Resampling.LANCZOS)


if __name__ == "__main__":
    sheet(photographs()).quantize(COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(
        Path(sys.argv[1]) if sys.argv[1:] else FILE, optimize=True
    )
