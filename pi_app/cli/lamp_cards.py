"""Writes the card of each lamp code that is dealt to a seat without a screen: a page for its player's eyes alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pi_app.text.errors import UserFileError
from pi_app.text.private_files import make_folder

if TYPE_CHECKING:
    from pi_app.settings.model import Settings

FOLDER: Final = "lamp_cards"
"""Beside the journal. Only the user who runs the program may read it."""


class LampCards:
    """The cards of one game. `dealt` is called for every seat when a game begins or resumes."""

    def __init__(self, settings: Settings, journal: Path, say: Callable[[str], None]) -> None:
        """`say` takes a sentence for the table, which never holds a word of a card. Raises UserFileError if the folder
        cannot be made: a player without a card could not read the lamp."""
        self._settings, self._folder, self._say = settings, journal.parent / FOLDER, say
        if not any(seat.lamp_kind == "dealt" and seat.screen is None for seat in settings.seats.values()):
            return
        try:
            self._make_folder()
        except OSError as error:
            seen = f"this folder for lamp cards cannot be made ({error.strerror})"
            raise UserFileError.at(str(self._folder), "", seen, "Check who may write there, and the disk") from error

    def _make_folder(self) -> None:
        make_folder(self._folder)

    def dealt(self, key: str, lamp: str) -> None:
        """Write the card of a seat's dealt code, if no screen shows it."""
        from pi_app.cli.whole_file import write_whole
        from pi_app.plans.wiring.cards import dealt_sheet
        from pi_app.report.lamp_code import dealt_code

        code, seat = dealt_code(lamp), self._settings.seats[key]
        if code is None or seat.screen is not None:
            return
        path = self._folder / f"lamp_card_{key}.svg"
        try:
            self._make_folder()  # a game that resumes may have a code that the settings no longer name
            path.unlink(missing_ok=True)  # an older one may be readable for others
            write_whole(path, dealt_sheet(self._settings, seat, code))
        except UserFileError as error:
            self._say(str(error))
        except OSError as error:
            self._say(f"{path}: it cannot be written ({error.strerror}). Check who may write there.")
        else:
            self._say(f"{path}: {seat.name}'s lamp card for this game. Print it for {seat.name} alone.")
