"""A table of text, as Markdown for people and as CSV for programs."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

from pi_app.text.printed import in_csv


@dataclass(frozen=True, slots=True)
class TextTable:
    """Column headings, and rows with a text for each column."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def markdown(self) -> str:
        """A Markdown table, without a final line feed."""
        lines = [_line(self.columns), _line(["---"] * len(self.columns)), *map(_line, self.rows)]
        return "\n".join(lines)

    def csv(self) -> str:
        """RFC 4180 with a heading and line feeds. An apostrophe keeps a spreadsheet from reading text as a formula."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([[in_csv(word) for word in row] for row in self.rows])
        return text.getvalue()


def _line(words: tuple[str, ...] | list[str]) -> str:
    return f"| {' | '.join(word.replace('|', chr(92) + '|') for word in words)} |"
