"""Words for people, in their language: gettext catalogues, and the texts that displays share.

English is the source: a message is its own key, and a language without a catalogue speaks English. A string
that people read is marked with `N_` where it stands, or `NN_` if a number in it decides its form;
`pi_app/text/locale/trapdial.pot` lists all marked strings. A catalogue is loaded when somebody first speaks its
language.
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
"""No language: every message in brackets, accented and longer, so that what was not marked stands out."""

Words = Callable[[str], str]
"""Says a message in one language."""


def N_(message: str) -> str:  # noqa: N802 - the name that gettext's tools look for
    """The message itself; marks it for the catalogue. `words(language)` translates it when it is shown."""
    return message


@dataclass(frozen=True, slots=True)
class Plural:
    """A message for one thing and the same for several; `{...}` in it holds the number, if it is to be read."""

    one: str
    many: str


def NN_(one: str, many: str) -> Plural:  # noqa: N802 - like N_
    """A message whose form follows from a number; marks both for the catalogue. `counted` picks and translates."""
    return Plural(one, many)


class Tongue:
    """Speaks one language by its catalogue; a message that it does not know stays English."""

    __slots__ = ("_catalogue",)

    def __init__(self, catalogue: gettext.NullTranslations) -> None:
        self._catalogue = catalogue

    def __call__(self, message: str) -> str:
        # gettext answers the empty message with the catalogue's own header.
        return self._catalogue.gettext(message) if message else message

    def counted(self, forms: Plural, number: int) -> str:
        """The form for this number, by the language's own rule (French counts 0 as one)."""
        return self._catalogue.ngettext(forms.one, forms.many, number)


@cache
def words(language: str) -> Words:
    """The translator of one language (`en`, `de`); a message that it does not know stays English."""
    if language == SOURCE_LANGUAGE:
        return _as_written
    if language == PSEUDO_LANGUAGE:
        from pi_app.text.pseudo import pseudo

        return pseudo(LOCALE / f"{DOMAIN}.pot")
    return Tongue(gettext.translation(DOMAIN, LOCALE, languages=[language], fallback=True))


def _as_written(message: str) -> str:
    return message


def counted(words: Words, forms: Plural, number: int) -> str:
    """The form for this number in the language of `words`; its placeholders are still to be filled in."""
    if isinstance(words, Tongue):
        return words.counted(forms, number)
    return words(forms.one if number == 1 else forms.many)


def listed(items: Iterable[str], words: Words, end: str | None = None) -> str:
    """`A`, `A and B`, `A, B and C` in a language, or with another `end` such as OR; nothing for nothing."""
    *some, last = [*items] or [""]
    return words(end or AND).format(some=", ".join(some), last=last) if some else last


def decimal(number: float, words: Words) -> str:
    """A number with one digit after the decimal mark of a language: `1.5`, `1,5`."""
    return f"{number:.1f}".replace(".", words(HALF)[1])


def languages() -> tuple[str, ...]:
    """The languages that can be spoken: English, and every one with a catalogue here."""
    found = (path.parent.parent.name for path in LOCALE.glob(f"*/LC_MESSAGES/{DOMAIN}.mo"))
    return (SOURCE_LANGUAGE, *sorted(found))


AND: Final = N_("{some} and {last}")
"""The end of a list: `some` are all but the last, with commas."""
OR: Final = N_("{some} or {last}")
QUOTED: Final = N_("'{word}'")
LABELLED: Final = N_("{label}: {said}")
HALF: Final = N_("0.5")
"""A half as people write it: its second character is the decimal mark."""

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
