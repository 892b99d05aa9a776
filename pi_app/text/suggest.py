"""A guess at what somebody meant to write."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from pi_app.text.language import N_, OR, QUOTED, Words, listed

LONGEST_WORD = 60
"""Longer words get no guess: comparing them costs time and helps nobody."""

NEAR_ENOUGH = 0.7
"""Share of letters in common. Lower, and `share_by_exposer` would be taken for `reexpose`."""


def guess(word: str, choices: Iterable[str]) -> str | None:
    """The choice that `word` was most likely meant to be, or None if nothing comes near.

    Capitals, blanks and dashes are forgiven: `Buzz Saw` is near to `buzz_saw`.
    """
    if len(word) > LONGEST_WORD:
        return None
    by_plain = {_plain(choice): choice for choice in choices}
    near = difflib.get_close_matches(_plain(word), by_plain, n=1, cutoff=NEAR_ENOUGH)
    return by_plain[near[0]] if near else None


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """The end of a sentence that refuses `word`: a guess, or else everything there is to choose from."""
    known = list(choices)
    meant = guess(word, known)
    if meant is not None:
        return f"did you mean {meant!r}?"
    return f"there is {one_of(known)}" if known else "there is nothing to choose from"


def hint(word: str, choices: Iterable[str], words: Words) -> str:
    """The same in the language of `words`, for a line that somebody said at the table."""
    known = list(choices)
    meant = guess(word, known)
    if meant is not None:
        return words(N_("did you mean '{word}'?")).format(word=meant)
    quoted = (words(QUOTED).format(word=choice) for choice in known)
    return words(N_("there is {choices}.")).format(choices=listed(quoted, words, OR))


def one_of(choices: Iterable[object]) -> str:
    """`'a', 'b' or 'c'`, as a person would list them."""
    words = [repr(choice) for choice in choices]
    return " or ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def _plain(word: str) -> str:
    return word.strip().casefold().replace(" ", "_").replace("-", "_")
