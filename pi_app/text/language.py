"""Messages in the readers' languages: gettext catalogues, and the texts that displays share.

English is the source: a message is its own key, and a language without a catalogue gets English. A string that people
read is marked with `N_` where it is defined, or with `NN_` if it has a plural form; `pi_app/text/locale/trapdial.pot`
lists all marked strings. A catalogue is loaded when its language is first used.
"""

from __future__ import annotations

import gettext
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

DOMAIN: Final = "trapdial"
LOCALE: Final = Path(__file__).resolve().with_name("locale")
SOURCE_LANGUAGE: Final = "en"
PSEUDO_LANGUAGE: Final = "xx-pseudo"
"""A pseudo-language: every message in brackets, accented and longer, so that unmarked strings stand out."""

Words = Callable[[str], str]
"""Translates a message into one language."""


def N_(message: str) -> str:  # noqa: N802 - the name that gettext's tools look for
    """Mark a message for the catalogue and return it. `words(language)` translates it when it is shown."""
    return message


@dataclass(frozen=True, slots=True)
class Plural:
    """A message for one thing and for several; `{...}` in it stands for the number."""

    one: str
    many: str


def NN_(one: str, many: str) -> Plural:  # noqa: N802 - like N_
    """Mark both forms of a message for the catalogue. `counted` picks and translates one."""
    return Plural(one, many)


class Translator:
    """Translates into one language by its catalogue, read when the first message needs it; an unknown message stays
    English."""

    __slots__ = ("_language", "_read")

    def __init__(self, language: str) -> None:
        self._language = language
        self._read: gettext.NullTranslations | None = None

    @property
    def _catalogue(self) -> gettext.NullTranslations:
        if self._read is None:
            self._read = gettext.translation(DOMAIN, LOCALE, languages=[self._language], fallback=True)
        return self._read

    def __call__(self, message: str) -> str:
        # gettext answers the empty message with the catalogue's own header.
        return self._catalogue.gettext(message) if message else message

    def counted(self, forms: Plural, number: int) -> str:
        """Return the form for this number, by the language's rule (French counts 0 as one)."""
        return self._catalogue.ngettext(forms.one, forms.many, number)


@cache
def words(language: str) -> Words:
    """Return the translator for a language (`en`, `de`); an unknown message stays English."""
    if language == SOURCE_LANGUAGE:
        return _as_written
    if language == PSEUDO_LANGUAGE:
        from pi_app.text.pseudo import pseudo

        return pseudo(LOCALE / f"{DOMAIN}.pot")
    return Translator(language)


def _as_written(message: str) -> str:
    return message


def counted(words: Words, forms: Plural, number: int) -> str:
    """Return the form for this number in the language of `words`, with its placeholders."""
    if isinstance(words, Translator):
        return words.counted(forms, number)
    return words(forms.one if number == 1 else forms.many)


def count_of(number: int, thing: str, things: str = "") -> str:
    """Write a number of things in English: `1 turn`, `1,000 turns`. `things`: a plural with more than an s."""
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"


def count_entries(number: int) -> str:
    """Write a number of entries of a record in English."""
    return count_of(number, "entry", "entries")


def listed(items: Iterable[str], words: Words, end: str | None = None) -> str:
    """Join items as `A`, `A and B`, `A, B and C` in a language, or with another `end` such as OR."""
    *some, last = [*items] or [""]
    return words(end or AND).format(some=", ".join(some), last=last) if some else last


def decimal(number: float, words: Words) -> str:
    """Write a number with one decimal digit in a language: `1.5`, `1,5`."""
    return f"{number:.1f}".replace(".", words(HALF)[1])


AND: Final = N_("{some} and {last}")
"""The end of a list: `some` are all but the last, with commas."""
OR: Final = N_("{some} or {last}")
QUOTED: Final = N_("'{word}'")
LABELLED: Final = N_("{label}: {said}")
HALF: Final = N_("0.5")
"""A half: its second character is the decimal mark."""

CLEAR: Final = N_("Clear")
OTHER: Final = N_("No face")
OTHER_EFFECT: Final = N_("The dial stands on a mark: start or disarmed.")  # T-DIAL-4, T-DIAL-5
LOOK_AGAIN: Final = N_("Look again")

CLICK: Final = N_("click {number}")
XP: Final = N_("XP {xp}")
DISARM: Final = N_("disarm {value}")
QUICK: Final = N_("quick {chance}/36")
SLOW: Final = N_("slow {chance}/36")
BOTH_CHANCES: Final = N_("quick {quick}/36   slow {slow}/36")
"""On one line of a screen."""
SAMPLE: Final = N_("SAMPLE")
SIMULATED: Final = N_("SIMULATED")
SAMPLE_SIMULATED: Final = N_("SAMPLE SIM.")
"""Both, beside a label that leaves little room."""

HELP_TITLE: Final = N_("Tap. Turn. Hold.")
HELP_TAP: Final = N_("Tap your button: the next dial that moves is yours to read.")
HELP_TURN: Final = N_("Turn one dial counter-clockwise by a die.")
HELP_HOLD: Final = N_("Hold your button and look. Only your screen and lamp say what is there.")
"""A turn in three lines, for a card and for a help page."""

CARD_TITLE: Final = N_("What the lamp says")
CARD_LEGEND: Final = N_("Five flashes, always two long (▬) and three short (·), then a pause.")
