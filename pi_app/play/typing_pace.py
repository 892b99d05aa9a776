"""How many typed lines are carried out: a pasted file must neither fill the record nor hold a table up."""

from __future__ import annotations

from typing import Final

from pi_app.journal.budget import Budget
from pi_app.text.language import N_

TYPED: Final = Budget(at_once=600, every_ns=2_000_000_000)
"""The lines that are carried out: 2400 in the worst hour, which is one each 1.5 s. Nobody types that much."""

MOST_WAITING: Final = 1000
"""The typed lines that may wait."""

TOO_MANY: Final = N_(
    "More lines were typed than can be carried out. Those that come too fast do not count. Wait a moment, then type "
    "what is missing again."
)


class TypingPace:
    """The typed lines of one table."""

    def __init__(self) -> None:
        self._lines, self._told = TYPED, False

    def accepts(self, line: str, now_ns: int) -> bool:
        """Return whether one more line is carried out; the end of a game always is."""
        room = self._lines.room(now_ns)
        self._told = self._told and room < TYPED.at_once
        if room < 1 and line.strip().lower() not in ("quit", "end"):
            return False
        self._lines = self._lines.used(now_ns)
        return True

    def to_be_told(self) -> bool:
        """Return whether a line that does not count must be reported: the first one is."""
        told, self._told = self._told, True
        return not told
