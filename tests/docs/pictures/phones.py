"""The picture of the README's section on phones: `trapdial demo --pages` in Chromium, while Ann holds to look."""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path

from PIL import Image

from tests.demo_terminal import DemoPage, running_demo
from tests.pages.engines import Chromium, engine

WIDTH, HEIGHT = 1280, 860
COLOURS = 128


def photograph() -> bytes:
    """Play a claim by clicking, and return the page as PNG while Ann's phone shows her trap."""
    with tempfile.TemporaryDirectory() as folder, running_demo(Path(folder)) as demo, engine("chromium") as browser:
        assert isinstance(browser, Chromium)
        page = DemoPage(browser)
        page.open(demo.url, WIDTH, HEIGHT)
        browser.run("Math.random = () => 0.55")  # she rolls a 4, which is a trap
        page.expose(0, 2)
        page.hold(0)
        assert browser.until("document.getAnimations().length === 0")
        return browser.picture()


def smaller(png: bytes) -> bytes:
    """Return the picture with fewer colours, so that the package stays small."""
    with Image.open(io.BytesIO(png)) as picture:
        made = io.BytesIO()
        picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(made, "PNG", optimize=True)
    return made.getvalue()


if __name__ == "__main__":
    Path(sys.argv[1]).write_bytes(smaller(photograph()))
