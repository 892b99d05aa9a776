"""Where text stands in a drawn page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree

from pi_app.plans.pictures.marks import SCALE

SVG = "{http://www.w3.org/2000/svg}"
WIDEST_LETTER = 0.62
"""Of its size: more than the mean of any letters in a row."""


def texts(svg: str) -> Iterator[tuple[float, float, float, str]]:
    """Place, size and words of every line."""
    for text in ElementTree.fromstring(svg).iter(f"{SVG}text"):
        yield float(text.attrib["x"]), float(text.attrib["y"]), float(text.attrib["font-size"]), text.text or ""


def above_the_bar(svg: str) -> list[tuple[float, float, float, str]]:
    """The texts of a page, without those beside the bar that checks its scale. The bar is below all of them."""
    found = list(texts(svg))
    bar = [each for each in found if each[3] in ("50 mm", SCALE)]
    others = [each for each in found if each not in bar]
    assert len(bar) == 2
    assert max(y for _, y, _, _ in others) < min(y for _, y, _, _ in bar) - 4
    return others


def bar_mm(svg: str) -> float:
    """The length of the bar on a page in millimetres, by its longest straight line of 0.3."""
    root = ElementTree.fromstring(svg)
    wide = float(root.attrib["width"].removesuffix("mm")) / float(root.attrib["viewBox"].split()[2])
    lines = [path.attrib["d"] for path in root.iter(f"{SVG}path") if path.attrib.get("stroke-width") == "0.3"]
    ends = [[float(number) for number in re.findall(r"[\d.]+", line)] for line in lines]
    return wide * max(abs(x1 - x0) for x0, _, x1, _ in ends)
