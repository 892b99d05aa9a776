"""Errors in files that a person gave us: settings, tables, traces, calibrations, journals.

The command line prints the message and exits with 2. Every problem of a file is reported at once, and each has four
parts: the file, the place in it, what was seen, what to do.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

from pi_app.text.printed import shown


class UserFileError(Exception):
    """A user's file cannot be used. `problems` are whole sentences; the text has one line for each, and what may not
    be printed in it is shown."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(map(shown, problems))
        super().__init__("\n".join(self.problems))

    @classmethod
    def at(cls, file: str, place: str, seen: str, advice: str) -> Self:
        """Make the error for one problem at a `place` of a file ("line 7", or "" for the whole file)."""
        return cls([problem(file, place, seen, advice)])


def problem(file: str, place: str, seen: str, advice: str) -> str:
    """Write the sentence for one problem; `seen` and `advice` have no full stop at the end."""
    return f"{file} {place}".rstrip() + f": {seen}. {advice}."


class WiringRefusedError(Exception):
    """The table's wiring prevents play. `problems` are whole sentences; the text has one line for each."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))


class BrokenInstallationError(Exception):
    """A part of the program is missing or broken. The message says which one, and how to repair it."""
