"""The style of wiring drawings: colours, letters for colours, text widths. Units: quarter millimetres. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pi_app.plans.pictures.marks import Rect, Style, Text
from pi_app.plans.wiring.values import Colour

UNITS_PER_MM: Final = 4
PITCH: Final = 12
"""Distance between rows of pins, and so between adjacent wires."""
HALF: Final = PITCH // 2

_LIGHT: Final = {
    "paper": "#ffffff", "board": "#f3f5f8", "ink": "#17202b", "soft": "#56616f", "rim": "#8a94a1", "rule": "#c4cbd4",
    "edge": "#3a434f", "good": "#1c7f56", "bad": "#c21f27", "doubt": "#b26a00", "unseen": "#6b7684", "glow": "#ffd24a",
    "red": "#d8232a", "black": "#15191f", "blue": "#2166d1", "yellow": "#f2c500", "white": "#ffffff",
    "green": "#239a4b", "orange": "#f08019", "violet": "#8b45c9", "grey": "#9aa3ae", "brown": "#8a5a33",
}  # fmt: skip
_DARK: Final = {
    "paper": "#12161d", "board": "#1d242e", "ink": "#e9edf2", "soft": "#a3aebb", "rim": "#6d7988", "rule": "#3a4452",
    "edge": "#c3ccd6", "good": "#4fc48d", "bad": "#ff6f70", "doubt": "#ffb648", "unseen": "#93a0af", "glow": "#8a6a00",
    "red": "#ff4d4f", "black": "#000000", "blue": "#4a94ff", "yellow": "#ffdb3a", "white": "#ffffff",
    "green": "#3fc06b", "orange": "#ff9a3c", "violet": "#b57bf0", "grey": "#8b949f", "brown": "#a9713f",
}  # fmt: skip
STYLE: Final = Style(_LIGHT, _DARK, "'DejaVu Sans', Verdana, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif")
"""A wire has the colour of its insulation; its edge makes it stand out from the paper."""

CODE: Final[Mapping[Colour, str]] = {
    Colour.RED: "RD", Colour.BLACK: "BK", Colour.BLUE: "BU", Colour.YELLOW: "YE", Colour.WHITE: "WH",
    Colour.GREEN: "GN", Colour.ORANGE: "OG", Colour.VIOLET: "VT", Colour.GREY: "GY", Colour.BROWN: "BN",
}  # fmt: skip
"""Letters for colours (IEC 60757), for readers who cannot see the colours."""

_NARROW: Final = frozenset("iljI.,:;'|!()[] ftr-/")
_BROAD: Final = frozenset("CDGHNOQRU+=<>")
_WIDE: Final = frozenset("mwMW@%")


def wrapped(text: str, size: float, width: float) -> list[str]:
    """Wrap text to this width, between words."""
    lines: list[str] = []
    for word in text.split():
        if lines and text_width(f"{lines[-1]} {word}", size) <= width:
            lines[-1] = f"{lines[-1]} {word}"
        else:
            lines.append(word)
    return lines


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Width of a text in DejaVu Sans, which is wider than most fonts."""
    return sum(map(_ems, text)) * size * (1.11 if bold else 1.0)


def _ems(char: str) -> float:
    if char in _NARROW:
        return 0.41
    if char in _WIDE:
        return 0.99
    return 0.79 if char in _BROAD else 0.7 if char.isupper() else 0.645


def extent(text: Text) -> Rect:
    """The space that a line of text takes in any common font."""
    wide = text_width(text.text, text.size, bold=text.bold)
    x, y = text.at
    left = {"start": x, "middle": x - wide / 2, "end": x - wide}[text.anchor]
    return Rect(left, y - 0.78 * text.size, wide, text.size)
