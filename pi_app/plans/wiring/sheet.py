"""A table of words, as Markdown for people and as CSV for programs."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TextTable:
    """Columns with a heading each, and rows with as many words."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def markdown(self) -> str:
        """Lines of a Markdown table, without a line after it."""
        lines = [_line(self.columns), _line(["---"] * len(self.columns)), *map(_line, self.rows)]
        return "\n".join(lines)

    def csv(self) -> str:
        """RFC 4180 with a heading, lines ending in a line feed. What a spreadsheet would take for a formula is quoted
        by an apostrophe."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([[_harmless(word) for word in row] for row in self.rows])
        return text.getvalue()


def _line(words: tuple[str, ...] | list[str]) -> str:
    return f"| {' | '.join(word.replace('|', chr(92) + '|') for word in words)} |"


def _harmless(word: str) -> str:
    return f"'{word}" if word[:1] in "=+-@" and word[1:] else word
