"""What can be wrong with a file that a person gave us: settings, tables, traces, calibrations, journals.

The command line prints the message and exits with 2. Every problem of a file is reported at once, and each
has four parts: which file, where in it, what was seen, what to do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self


class UserFileError(Exception):
    """A user's file cannot be used as it is.

    `file` as the user wrote it; `place` inside it ("line 7", "[squares.T03]", or "" for the whole file);
    `seen` and `advice` without a full stop at the end. `problems` holds this error alone, or all those
    that `UserFileError.together` joined; the text has one line for each.
    """

    def __init__(self, file: str, place: str, seen: str, advice: str) -> None:
        self.file, self.place, self.seen, self.advice = file, place, seen, advice
        self.problems: tuple[UserFileError, ...] = (self,)
        super().__init__(f"{file} {place}".rstrip() + f": {seen}. {advice}.")

    @classmethod
    def together(cls, problems: Sequence[UserFileError]) -> Self:
        """One error for all `problems` of a file (at least one), one line each, in their order."""
        first = problems[0]
        joined = cls(first.file, first.place, first.seen, first.advice)
        joined.problems = tuple(problems)
        joined.args = ("\n".join(str(problem) for problem in problems),)
        return joined
