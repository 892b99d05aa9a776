"""A small font for 128x64 screens: capitals six pixels high, most letters four wide, Latin-1 accents.

It is drawn here in ASCII art, because no font of the libraries is both small and accented. A letter has eight rows: row
0 for accents on capitals, rows 1 to 6 above the base line, row 7 below it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Final

ROWS: Final = 8
SPACE_WIDTH: Final = 2
GAP: Final = 1
"""Between two letters."""

# Each sheet: the characters, then rows 1 to 7 of all of them side by side (# is lit).
_SHEETS: Final = (
    (
        "ABCDEFGHIJKLM",
        """
.##. ###. .### ###. #### #### .### #..# ### ...# #..# #... #...#
#..# #..# #... #..# #... #... #... #..# .#. ...# #.#. #... ##.##
#..# ###. #... #..# ###. ###. #.## #### .#. ...# ##.. #... #.#.#
#### #..# #... #..# #... #... #..# #..# .#. ...# #.#. #... #...#
#..# #..# #... #..# #... #... #..# #..# .#. #..# #..# #... #...#
#..# ###. .### ###. #### #... .### #..# ### .##. #..# #### #...#
.... .... .... .... .... .... .... .... ... .... .... .... .....
""",
    ),
    (
        "NOPQRSTUVWXYZ",
        """
#..# .##. ###. .##. ###. .### ##### #..# #...# #...# #...# #...# ####
##.# #..# #..# #..# #..# #... ..#.. #..# #...# #.#.# .#.#. #...# ...#
#.## #..# #..# #..# #..# .##. ..#.. #..# #...# #.#.# ..#.. .#.#. ..#.
#..# #..# ###. #..# ###. ...# ..#.. #..# .#.#. #.#.# ..#.. ..#.. .#..
#..# #..# #... #.## #.#. ...# ..#.. #..# .#.#. #.#.# .#.#. ..#.. #...
#..# .##. #... .### #..# ###. ..#.. .##. ..#.. .#.#. #...# ..#.. ####
.... .... .... .... .... .... ..... .... ..... ..... ..... ..... ....
""",
    ),
    (
        "abcdefghijklm",
        """
.... #... ... ...# .... .## .... #... # .# #.. #. .....
.... #... ... ...# .... .#. .... #... . .. #.. #. .....
.### ###. .## .### .##. ### .### ###. # .# #.# #. ##.#.
#..# #..# #.. #..# #### .#. #..# #..# # .# ##. #. #.#.#
#..# #..# #.. #..# #... .#. .### #..# # .# #.# #. #.#.#
.### ###. .## .### .### .#. ...# #..# # .# #.# .# #.#.#
.... .... ... .... .... ... .##. .... . #. ... .. .....
""",
    ),
    (
        "nopqrstuvwxyz",
        """
.... .... .... .... ... .... .#. .... ... ..... ... .... ....
.... .... .... .... ... .... .#. .... ... ..... ... .... ....
###. .##. ###. .### #.# .### ### #..# #.# #...# #.# #..# ####
#..# #..# #..# #..# ##. ##.. .#. #..# #.# #.#.# .#. #..# ..#.
#..# #..# ###. .### #.. ..## .#. #..# #.# #.#.# .#. .### .#..
#..# .##. #... ...# #.. ###. .## .### .#. .#.#. #.# ...# ####
.... .... #... ...# ... .... ... .... ... ..... ... .##. ....
""",
    ),
    (
        "0123456789",
        """
.##. .#. .##. ###. ..#. #### .##. #### .##. .##.
#..# ##. #..# ...# .##. #... #... ...# #..# #..#
#..# .#. ...# .##. #.#. ###. ###. ..#. .##. #..#
#..# .#. ..#. ...# #### ...# #..# ..#. #..# .###
#..# .#. .#.. ...# ..#. ...# #..# .#.. #..# ...#
.##. ### #### ###. ..#. ###. .##. .#.. .##. .##.
.... ... .... .... .... .... .... .... .... ....
""",
    ),
    (
        ".,:;!?+-=/()[]<>",
        """
. .. . .. # .##. ... ... ... ..# .# #. ## ## ... ...
. .. . .. # #..# ... ... ... ..# #. .# #. .# ..# #..
. .. # .# # ..#. .#. ... ### .#. #. .# #. .# .#. .#.
. .. . .. # .#.. ### ### ... .#. #. .# #. .# #.. ..#
. .# . .. . .... .#. ... ### #.. #. .# #. .# .#. .#.
# .# # .# # .#.. ... ... ... #.. .# #. ## ## ..# #..
. #. . #. . .... ... ... ... ... .. .. .. .. ... ...
""",
    ),
    (
        "'\"*&#%_°¿¡«»ßı|@",
        """
# #.# ... .#.. .#.#. #..# .... .#. .#.. . ...... ...... .##. . # .##.
# #.# #.# #.#. ##### ...# .... #.# .... # ...... ...... #..# . # #..#
. ... .#. .#.. .#.#. ..#. .... .#. .#.. . ..#..# #..#.. #.#. # # #.##
. ... #.# #.## .#.#. .#.. .... ... #... # .#..#. .#..#. #..# # # #.##
. ... ... #.#. ##### #... .... ... #..# # ..#..# #..#.. #..# # # #...
. ... ... .#.# .#.#. #..# .... ... .##. # ...... ...... #.#. # # .###
. ... ... .... ..... .... #### ... .... # ...... ...... .... . # ....
""",
    ),
    (
        "’“”„œŒ",
        """
.# .#.# #.#. .... ...... .######
.# #.#. .#.# .... ...... #..#...
#. .... .... .... .##.#. #..###.
.. .... .... .... #..#.# #..#...
.. .... .... .... #..##. #..#...
.. .... .... .#.# .##.## .######
.. .... .... #.#. ...... .......
""",
    ),
)

# Bold letters whose gaps would close if their uprights were just doubled.
_BOLD_SHEETS: Final = (
    (
        "KMNRVWXY",
        """
##..## ##...## ##..## ####. ##..## ##.#.## ##..## ##..##
##.##. ###.### ###.## ##.## ##..## ##.#.## ##..## ##..##
####.. ##.#.## ###### ##.## ##..## ##.#.## .####. .####.
####.. ##.#.## ##.### ####. ##..## ##.#.## .####. ..##..
##.##. ##...## ##..## ####. .####. ##.#.## ##..## ..##..
##..## ##...## ##..## ##.## ..##.. .##.##. ##..## ..##..
...... ....... ...... ..... ...... ....... ...... ......
""",
    ),
    (
        "kmrvwx",
        """
##... ........ .... ..... ....... .....
##... ........ .... ..... ....... .....
##.## #######. ##.# ##.## ##.#.## ##.##
####. ##.##.## ###. ##.## ##.#.## .###.
####. ##.##.## ##.. .###. ##.#.## .###.
##.## ##.##.## ##.. ..#.. .##.##. ##.##
..... ........ .... ..... ....... .....
""",
    ),
)

_ALIKE: Final = {
    "‘": "'",
    "–": "-",
    "—": "-",
    "−": "-",
    "…": "...",
    "·": ".",
    "×": "*",
    "æ": "ae",
    "Æ": "AE",
    "ø": "o",
    "Ø": "O",
    "\u00a0": " ",
    "\u202f": " ",
    "\u00ad": "",
}

# Accents in two rows, centred over the letter. A capital has one row left for its accent: (narrow, wide).
_ACCENTS: Final = {
    "\u0300": ("#..", ".#."),
    "\u0301": ("..#", ".#."),
    "\u0302": (".#.", "#.#"),
    "\u0303": (".#.#", "#.#."),
    "\u0308": ("...", "#.#"),
    "\u030a": (".#.", ".#."),
}
_CAPITAL_ACCENTS: Final = {
    "\u0300": ("#..", ".#.."),
    "\u0301": ("..#", "..#."),
    "\u0302": (".#.", ".##."),
    "\u0303": ("###", "####"),
    "\u0308": ("#.#", "#..#"),
    "\u030a": (".#.", "#.#."),
}
_CEDILLA: Final = "\u0327"

Rows = tuple[str, ...]
"""Eight rows of one letter, all of its width, `#` for a lit pixel."""


@cache
def _drawn(*, bold: bool) -> dict[str, Rows]:
    """Every letter of the sheets, and the space."""
    drawn: dict[str, Rows] = {} if bold else {" ": ("." * SPACE_WIDTH,) * ROWS}
    for characters, art in _BOLD_SHEETS if bold else _SHEETS:
        lines = [line.split() for line in art.split("\n") if line]
        for character, *rows in zip(tuple(characters), *lines, strict=True):
            drawn[character] = ("." * len(rows[0]), *rows)
    return drawn


def every() -> str:
    """Every character of the font: those of the sheets, and the accented ones of Latin-1."""
    drawn = _drawn(bold=False)
    latin = (chr(code) for code in range(0xC0, 0x100))
    return "".join((*drawn, *(each for each in latin if each not in drawn and letter(each) != BOX)))


BOX: Final[Rows] = ("....", *("####", "#..#", "#..#", "#..#", "#..#", "####"), "....")
"""Replaces a character that the font does not have."""


@cache
def letter(character: str) -> Rows:
    """The rows of one character; an empty box if the font does not have it."""
    drawn = _drawn(bold=False)
    if character in drawn:
        return drawn[character]
    base, *marks = tuple(unicodedata.normalize("NFD", character))
    if base not in drawn or not all(mark in _ACCENTS or mark == _CEDILLA for mark in marks):
        return BOX
    rows = drawn["ı" if base == "i" else base]
    for mark in marks:
        rows = _cedilla(rows) if mark == _CEDILLA else _accented(rows, mark, capital=base.isupper())
    return rows


def _accented(rows: Rows, mark: str, *, capital: bool) -> Rows:
    if capital:  # five rows high, so that the accent has a free row below it
        doubled = next((n for n in range(2, 6) if rows[n] == rows[n + 1]), 3)
        narrow, wide = _CAPITAL_ACCENTS[mark]
        accent = _centred(narrow if len(rows[0]) < len(wide) else wide, len(rows[0]))
        return (accent, rows[0], *rows[1:doubled], *rows[doubled + 1 :])
    upper, lower = _ACCENTS[mark]
    width = max(len(rows[0]), len(upper))
    body = [_centred(row, width) for row in rows]
    body[0:2] = _centred(upper, width), _centred(lower, width)
    return tuple(body)


def _cedilla(rows: Rows) -> Rows:
    return (*rows[:-1], _centred(".#", len(rows[0])))


def _centred(row: str, width: int) -> str:
    return row.center(width).replace(" ", ".")[:width]


def plain(text: str) -> str:
    """The text in characters of the font: round quotes become straight, œ becomes oe."""
    if text.isascii():
        return text
    composed = unicodedata.normalize("NFC", text)
    return "".join(_ALIKE.get(character, character) for character in composed)


@cache
def bits(character: str, *, bold: bool) -> tuple[int, tuple[int, ...]]:
    """A character's width and its eight rows as numbers, the leftmost pixel in the highest bit.

    Bold doubles each vertical stroke to the right, but never closes a gap of one pixel.
    """
    fat = _drawn(bold=True).get(character) if bold else None
    drawn = fat or letter(character)
    wide, rows = len(drawn[0]), [int(row.replace("#", "1").replace(".", "0"), 2) for row in drawn]
    if not bold or fat is not None:
        return wide, tuple(rows)
    return wide + 1, tuple(row << 1 | row & ~(row << 2) for row in rows)


class _Steps(dict[str, int]):
    """The advance of each character, cached: a face needs thousands."""

    def __init__(self, *, bold: bool) -> None:
        super().__init__()
        self.bold = bold

    def __missing__(self, character: str) -> int:
        step = self[character] = bits(character, bold=self.bold)[0] + GAP
        return step


_STEPS: Final = {bold: _Steps(bold=bold) for bold in (False, True)}


def width(text: str, *, bold: bool = False) -> int:
    """The width of a line in pixels; bold letters are one pixel wider."""
    return max(0, sum(map(_STEPS[bold].__getitem__, plain(text))) - GAP)


def wrapped(text: str, width_px: int, *, bold: bool = False) -> tuple[str, ...]:
    """Wrap text to `width_px`, at spaces; a word that is too wide is broken behind its hyphen or where the line is
    full."""
    return tuple(_lines(text, width_px, bold))


_BLANKS: Final = re.compile(r"[ \n\t\r]+")
"""Where a line may be broken: not at the no-break space before a French colon."""


def words_in(text: str) -> list[str]:
    """Return the parts of a text between which a line may be broken."""
    return [word for word in _BLANKS.split(text) if word]


def _lines(text: str, width_px: int, bold: bool) -> Iterator[str]:
    line, filled, space = "", 0, _STEPS[bold][" "] + GAP
    for word in words_in(text):
        wide = width(word, bold=bold)
        if line and filled + space + wide <= width_px:
            line, filled = f"{line} {word}", filled + space + wide
            continue
        if line:
            yield line
        line, filled = word, wide
        while filled > width_px:
            cuts = [n for n in range(1, len(line)) if n == 1 or width(line[:n], bold=bold) <= width_px]
            cut = max((n for n in cuts if line[n - 1] == "-"), default=cuts[-1])
            yield line[:cut]
            line = line[cut:]
            filled = width(line, bold=bold)
    if line:
        yield line
