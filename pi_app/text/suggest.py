"""Suggestions for misspelt words."""

from __future__ import annotations

from collections.abc import Iterable

from pi_app.text.language import N_, OR, QUOTED, Words, listed

LONGEST_WORD = 60
"""Longer words get no suggestion: comparing them takes time."""

NEAR_ENOUGH = 0.7
"""The share of letters in common. A lower one would take `share_by_exposer` for `reexpose`."""


def guess(word: str, choices: Iterable[str]) -> str | None:
    """Return the closest choice, or None if none is close enough.

    Capitals, blanks and dashes do not count: `Buzz Saw` is close to `buzz_saw`.
    """
    if len(word) > LONGEST_WORD:
        return None
    import difflib  # only a mistake needs it

    by_plain = {_plain(choice): choice for choice in choices}
    near = difflib.get_close_matches(_plain(word), by_plain, n=1, cutoff=NEAR_ENOUGH)
    return by_plain[near[0]] if near else None


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """Return the end of a sentence that refuses `word`: a suggestion, or all choices."""
    known = list(choices)
    meant = guess(word, known)
    if meant is not None:
        return f"did you mean {meant!r}?"
    return f"there is {one_of(known)}" if known else "there is nothing to choose from"


def hint(word: str, choices: Iterable[str], words: Words) -> str:
    """Do the same in the language of `words`, for a line that was typed at the table."""
    known = list(choices)
    meant = guess(word, known)
    if meant is not None:
        return words(N_("did you mean '{word}'?")).format(word=meant)
    quoted = (words(QUOTED).format(word=choice) for choice in known)
    return words(N_("there is {choices}.")).format(choices=listed(quoted, words, OR))


def one_of(choices: Iterable[object]) -> str:
    """Join choices as `'a', 'b' or 'c'`."""
    words = [repr(choice) for choice in choices]
    return " or ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def _plain(word: str) -> str:
    return word.strip().casefold().replace(" ", "_").replace("-", "_")
