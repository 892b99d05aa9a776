"""What can be wrong with a file that a person gave us: settings, tables, traces, calibrations, journals.

The command line prints the message and exits with 2. Every problem of a file is reported at once, and each
has four parts: which file, where in it, what was seen, what to do.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self


class UserFileError(Exception):
    """A user's file cannot be used as it is. `problems` are whole sentences; the text has one line for each."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))

    @classmethod
    def at(cls, file: str, place: str, seen: str, advice: str) -> Self:
        """One problem of a file as the user named it, at a `place` in it ("line 7", or "" for the whole file)."""
        return cls([problem(file, place, seen, advice)])


def problem(file: str, place: str, seen: str, advice: str) -> str:
    """The sentence for one problem; `seen` and `advice` without a full stop at the end."""
    return f"{file} {place}".rstrip() + f": {seen}. {advice}."


class WiringRefusedError(Exception):
    """The table cannot be played as it is wired. `problems` are whole sentences; the text has one line for each."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))


class BrokenInstallationError(Exception):
    """Something that comes with the program is missing or broken. The message says what, and how to mend it."""


def printable(text: str) -> str:
    """What a file says, fit for a terminal: one line of characters that only show."""
    return text if text.isprintable() else "".join(letter if letter.isprintable() else " " for letter in text)
