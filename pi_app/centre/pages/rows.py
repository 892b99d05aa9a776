"""What the page shows of a table in one row, which of these a reader sees, and their order. Pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import Final

from pi_app.centre.findings.tables import RowLevel, TableRow
from pi_app.centre.roles import ReaderRights

LEVELS: Final[tuple[RowLevel, ...]] = ("stop", "look", "well")
"""The worst first."""

LEVEL_WORDS: Final[dict[RowLevel, str]] = {
    "stop": "needs a person now",
    "look": "needs a look",
    "well": "is well",
}
MANY_WORDS: Final[dict[RowLevel, str]] = {
    "stop": "need a person now",
    "look": "need a look",
    "well": "are well",
}

FEWEST: Final = 5
"""The public is given no smaller number."""

PLAYS: Final = "plays"
"""The word of a table at which a game is on."""


def seen_by(rights: ReaderRights, rows: Iterable[TableRow]) -> list[TableRow]:
    """Return the rows that a reader may see, those that need a person first."""
    return sorted((row for row in rows if rights.sees(row.shop)), key=_order)


def _order(row: TableRow) -> tuple[int, list[tuple[int, str]], list[tuple[int, str]]]:
    return LEVELS.index(row.level), _natural(row.shop), _natural(row.name)


def _natural(text: str) -> list[tuple[int, str]]:
    """Return a key under which Table 2 comes before Table 10."""
    parts = re.split(r"([0-9]{1,18})", text.casefold())
    return [(int(part), "") if part.isdecimal() and part.isascii() else (-1, part) for part in parts]


def plays(row: TableRow) -> bool:
    """Return whether a game is on at a table."""
    return PLAYS in row.words


def hashed(origin: str) -> str:
    """Return a table's name in addresses: the SHA-256 of its origin, in hex."""
    return hashlib.sha256(origin.encode()).hexdigest()


def capital(text: str) -> str:
    """Return words as they stand at the beginning of a sentence."""
    return f"{text[:1].upper()}{text[1:]}"


def counted(count: int, one: str, many: str = "") -> str:
    """Return a number with its word: `1 table`, `4,312 tables`."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def ago(since_s: float) -> str:
    """Return how long ago something was, in one unit."""
    for size_s, word in ((86_400, "day"), (3_600, "h"), (60, "min")):
        if since_s >= size_s:
            number = int(since_s // size_s)
            return f"{number} {word}{'s' if word == 'day' and number > 1 else ''} ago"
    return f"{max(0, int(since_s))} s ago"
