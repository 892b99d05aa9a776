"""The journal of a demo, and whether it stays: the record of a game that ended does, whatever then ends the demo."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pi_app.text.language import Words


@dataclass
class DemoRecord:
    """The journal of a demo. `is_temporary`: its folder was made for this demo; `has_ended`: a game in it has ended."""

    journal: Path
    is_temporary: bool = False
    has_ended: bool = False

    def after_game(self, game_id: str, letters: str, words: Words, *, qr: bool = True) -> tuple[str, ...]:
        """Return the lines to show after a game, and keep the record that they name; none if the game has not ended.

        Raises JournalFileError, and keeps the record then too: the error names its file.
        """
        from pi_app.cli.after_game import after_game
        from pi_app.journal import JournalFileError

        try:
            lines = after_game(self.journal, game_id, letters, words, qr=qr, temporary=self.is_temporary)
        except JournalFileError:
            self.has_ended = True
            raise
        self.has_ended = self.has_ended or bool(lines)
        return lines


@contextlib.contextmanager
def demo_record(given: Path | None) -> Iterator[DemoRecord]:
    """Without a file of the player's own, make a temporary folder. It stays if a game ended, to be audited."""
    if given is not None:
        yield DemoRecord(given)
        return
    from pi_app.cli.stopping import requesting

    folder = Path(tempfile.mkdtemp(prefix="trapdial-"))
    record = DemoRecord(folder / "journal.db", is_temporary=True)
    try:
        yield record
    finally:
        if not record.has_ended:
            with requesting():  # a signal does not leave half of it
                shutil.rmtree(folder, ignore_errors=True)
