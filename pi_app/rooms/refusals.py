"""A command that is refused, and why."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from pi_app.text.language import N_, Words, words
from pi_app.text.suggest import guess, hint
from pi_app.text.table_words import LISTS_ALL


class RoomsRefusedError(Exception):
    """The command is refused, and nothing changes. `reason` says why in a language."""

    def __init__(self, reason: Callable[[Words], str]) -> None:
        self.reason = reason
        super().__init__(reason(words("en")))


def refused(reason: str, **names: str) -> RoomsRefusedError:
    """Return the refusal for a marked sentence with these names in it."""
    return RoomsRefusedError(lambda words: words(reason).format(**names))


def unknown_verb(verb: str, known: Collection[str]) -> RoomsRefusedError:
    """Return the refusal of a line that begins with no command, with a guess, or the command that lists them."""
    reason = N_("There is no command '{verb}'; {guess}")
    if guess(verb, known) is not None:
        return guessing(reason, verb, known)
    return RoomsRefusedError(
        lambda words: words(reason).format(verb=verb[:20], guess=words(LISTS_ALL).format(help="help"))
    )


def guessing(reason: str, word: str, choices: Iterable[str]) -> RoomsRefusedError:
    """Return the refusal of an unknown word, with a guess at what was meant."""
    return RoomsRefusedError(
        lambda words: words(reason).format(word=word[:20], verb=word[:20], guess=hint(word, choices, words))
    )
