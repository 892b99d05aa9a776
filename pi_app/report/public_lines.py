"""The public lines of a game in every language of a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pi_app.game.state import Game, Phase
from pi_app.report.lines import NOTHING, LineBuilder, in_order, shared_lines
from pi_app.report.visibility import PUBLIC
from pi_app.text.language import words as words_of


class PublicLines:
    """Builds the lines of a language again only when the game has changed, and then those of changed squares alone."""

    def __init__(self, languages: Iterable[str]) -> None:
        self._languages = tuple(dict.fromkeys(languages))
        self._known: dict[str, tuple[Game, Mapping[str, str]]] = {}

    def lines(self, game: Game, language: str) -> Mapping[str, str]:
        """Return the lines of the public report in a language, by their keys, in reading order."""
        if game.phase is Phase.NONE:
            return NOTHING
        before, old = self._known.get(language, (None, NOTHING))
        if game is before:
            return old
        words = words_of(language)
        squares = {} if before is None or not _same_people(game, before) else before.squares
        changed = [label for label, square in game.squares.items() if square is not squares.get(label)]
        kept = {label: old[label] for label in game.squares if label in squares}
        own = LineBuilder(game, words).own(PUBLIC, kept, changed)
        new = in_order(game, shared_lines(game, words), own)
        self._known[language] = game, new
        return new

    def of(self, game: Game, square: str) -> Mapping[str, str]:
        """Return the line of a square by language, the table's first, without its label."""
        return {each: _without_label(square, self.lines(game, each).get(square, "")) for each in self._languages}


def _without_label(label: str, line: str) -> str:
    """A square's line as it stands beside its label."""
    return line.removeprefix(label).lstrip(": \u00a0\u202f").removesuffix(".")


def _same_people(game: Game, before: Game) -> bool:
    """Whether every figure that a line may name has the name that it had."""
    return game.heroes is before.heroes and {key: seat.name for key, seat in game.seats.items()} == {
        key: seat.name for key, seat in before.seats.items()
    }
