"""The problems of a map's file, collected until all are known. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from pi_app.text.errors import UserFileError, problem

MOST_PROBLEMS: Final = 20
"""Reported for one file; more are only counted."""


@dataclass(slots=True)
class MapProblems:
    """Collect the problems of one file."""

    file: str
    problems: list[str] = field(default_factory=list)
    more: int = 0

    def add(self, place: str, seen: str, advice: str) -> None:
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(problem(self.file, place, seen, advice))
        else:
            self.more += 1

    def error(self) -> UserFileError:
        rest = [f"{self.file}: and {self.more} more problems. Correct the first ones and check again."]
        return UserFileError([*self.problems, *(rest if self.more else [])])


def all_show(rows: Sequence[tuple[int, str]], trouble: MapProblems) -> bool:
    """Whether every letter of these lines is visible."""
    good = True
    for number, line in rows:
        if line.isprintable():
            continue
        good = False
        column, letter = next((n, letter) for n, letter in enumerate(line, 1) if not letter.isprintable())
        seen, advice = "there is a tab, whose width is unknown", "Use spaces; most editors can convert tabs"
        if letter != "\t":
            seen = f"there is an invisible character (U+{ord(letter):04X})"
            advice = "Delete it and type the line again"
        trouble.add(f"line {number}, column {column}", seen, advice)
    return good
