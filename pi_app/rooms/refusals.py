"""A command that is refused, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pi_app.text.language import Words, words
from pi_app.text.suggest import hint


class RoomsRefusedError(Exception):
    """The command is refused, and nothing changes. `reason` says why in a language."""

    def __init__(self, reason: Callable[[Words], str]) -> None:
        self.reason = reason
        super().__init__(reason(words("en")))


def refused(reason: str, **names: str) -> RoomsRefusedError:
    """Return the refusal for a marked sentence with these names in it."""
    return RoomsRefusedError(lambda words: words(reason).format(**names))


def guessing(reason: str, word: str, choices: Iterable[str]) -> RoomsRefusedError:
    """Return the refusal of an unknown word, with a guess at what was meant."""
    return RoomsRefusedError(
        lambda words: words(reason).format(word=word[:20], verb=word[:20], guess=hint(word, choices, words))
    )
