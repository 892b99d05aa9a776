"""The public lines of the squares in every language of a table."""

from __future__ import annotations

from collections.abc import Mapping

from pi_app.game.state import Game
from pi_app.report.lines import report
from pi_app.report.visibility import PUBLIC
from pi_app.settings.model import Settings
from pi_app.text.language import words as words_of


class PublicLines:
    """Builds the lines again only when the game has changed."""

    def __init__(self, settings: Settings) -> None:
        seats = (seat.language for seat in settings.seats.values())
        self._languages = tuple(dict.fromkeys((settings.table.language, *seats)))
        self._game: Game | None = None
        self._lines: dict[str, Mapping[str, str]] = {}

    def of(self, game: Game, square: str) -> Mapping[str, str]:
        """Return the line of a square by language, the table's first, without its label."""
        if game is not self._game:
            self._game = game
            self._lines = {each: report(game, PUBLIC, words_of(each)).lines for each in self._languages}
        return {language: _without(square, lines.get(square, "")) for language, lines in self._lines.items()}


def _without(label: str, line: str) -> str:
    return line.removeprefix(label).lstrip(": \u00a0\u202f").removesuffix(".")
