"""Where text stands in a drawn page."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree

SVG = "{http://www.w3.org/2000/svg}"
WIDEST_LETTER = 0.62
"""Of its size: more than the mean of any letters in a row."""


def texts(svg: str) -> Iterator[tuple[float, float, float, str]]:
    """Place, size and words of every line."""
    for text in ElementTree.fromstring(svg).iter(f"{SVG}text"):
        yield float(text.attrib["x"]), float(text.attrib["y"]), float(text.attrib["font-size"]), text.text or ""
