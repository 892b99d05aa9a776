"""Texts that act on a terminal or deceive its reader, and a check that none of them was printed.

The check has its own list: it knows nothing of the program's rule.
"""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]

TITLE: Final = "\x1b]0;owned\x07"
RED: Final = "\x1b[31m"
C1: Final = "\x9b31m\x9d0;owned\x9c"
BIDI: Final = "\u202e\u2066\u061c\u200f"
UNSEEN: Final = "\u200b\u2060\ufeff\u00ad\u3164\ufe0f\U000e0041\u034f"
LINES: Final = "\nGENUINE.\r\x0b\x0c\x85\u2028\u2029"
LONE: Final = "\udcff\ud800"
ODD: Final = "\ue000\U0010ffff\x7f\x00"

EVERY: Final = (TITLE, RED, C1, BIDI, UNSEEN, LINES, LONE, ODD)
DIRTY: Final = "".join(EVERY)

NAME: Final = "".join(EVERY).replace("\x00", "").replace("\ud800", "").replace("\n", "") + "<b>*x*|"
"""A file's name: no NUL, no slash, and a byte that is not UTF-8."""

ARGUMENT: Final = f"{TITLE}{RED}{C1}{BIDI}{UNSEEN}{LINES}\udcff\ue000\x7f"
"""What a shell can hand over."""

_ACTS: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_UNSEEN: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\ufe00\ufe0f")
_ENDS: Final = (".json", ".jsonl", ".csv", ".md", ".html", ".svg", ".txt", ".toml", ".yaml", ".scad")


def raw_letters(text: str | bytes) -> set[str]:
    """The letters of a text that act on a terminal or are not seen."""
    text = text.decode(errors="surrogateescape") if isinstance(text, bytes) else text
    return {
        f"U+{ord(letter):04X}"
        for letter in set(text) - {"\n", "\t"}
        if unicodedata.category(letter) in _ACTS or letter in _UNSEEN or 0xE0000 <= ord(letter) <= 0xE0FFF
    }


def raw_files(folder: Path) -> dict[str, set[str]]:
    """The text files in a folder that have such letters."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name.endswith(_ENDS))
    return {repr(path): found for path in files if (found := raw_letters(path.read_bytes()))}


def environment(**more: str) -> dict[str, str]:
    """The environment of a program that is started in another folder."""
    return {
        **{key: value for key, value in os.environ.items() if key in ("PATH", "TMPDIR")},
        "PYTHONPATH": str(ROOT),
        **more,
    }
