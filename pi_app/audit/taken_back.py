"""The words that the table took back: each with its own entry and that of the correction. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field

from pi_app.audit.values import WordTakenBack, clock_text
from pi_app.game import events as ev
from pi_app.game.state import Game
from pi_app.journal.record.entry import PublicPart


@dataclass(slots=True)
class TakenBack:
    """Takes every event in order, and keeps the words that were taken back."""

    words: list[WordTakenBack] = field(default_factory=list)
    last: int = 0
    """The entry of the word that `undo` would take back."""

    def take(self, before: Game, event: ev.AnyEvent, after: Game, part: PublicPart, at_s: float) -> None:
        """Take one more event."""
        if isinstance(event, ev.Undone) and before.undo is not None:
            told = f"Entry {self.last}, '{before.undo.line}', was taken back in entry {part.seq} ({clock_text(at_s)})."
            self.words.append(
                WordTakenBack(typed=self.last, entry=part.seq, wall=part.wall, at_s=round(at_s, 3), words=told)
            )
        elif after.undo is not None and (before.undo is None or after.undo.line is not before.undo.line):
            self.last = part.seq
