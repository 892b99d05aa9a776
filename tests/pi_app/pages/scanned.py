"""Reads QR codes as a phone's camera does, with a decoder that knows nothing of the encoder (zxing-cpp)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree

import zxingcpp
from PIL import Image, ImageDraw

SVG = "{http://www.w3.org/2000/svg}"


def scanned(picture: Image.Image) -> list[str]:
    """The texts of the QR codes in a picture, from the top and the left."""
    found = zxingcpp.read_barcodes(picture)
    found = sorted(found, key=lambda each: (each.position.top_left.y // 40, each.position.top_left.x))
    return [each.text for each in found]


def picture_of(rows: Sequence[Sequence[bool]], quiet: int = 4, scale: int = 4) -> Image.Image:
    side = len(rows) + 2 * quiet
    picture = Image.new("L", (side, side), 255)
    for y, row in enumerate(rows):
        for x, dark in enumerate(row):
            if dark:
                picture.putpixel((x + quiet, y + quiet), 0)
    return picture.resize((side * scale, side * scale), Image.Resampling.NEAREST)


def printed(svg: str, per_mm: float = 8.0) -> Image.Image:
    """A page of SVG as a printer draws it: its white and black areas and blocks; no text."""
    root = ElementTree.fromstring(svg)
    width, height = (float(root.attrib[name].removesuffix("mm")) for name in ("width", "height"))
    picture = Image.new("L", (round(width * per_mm), round(height * per_mm)), 255)
    pen = ImageDraw.Draw(picture)
    for path in root.iter(f"{SVG}path"):
        if "f-ink" in path.attrib.get("class", "").split():
            for shape in path.attrib["d"].split("Z"):
                points = [
                    (float(x) * per_mm, float(y) * per_mm) for x, y in re.findall(r"(-?[\d.]+),(-?[\d.]+)", shape)
                ]
                if points:
                    across, down = [x for x, _ in points], [y for _, y in points]
                    pen.rectangle((min(across), min(down), max(across) - 1, max(down) - 1), fill=0)
    return picture
