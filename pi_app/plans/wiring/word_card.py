"""One page for the player at the keyboard: the words of a whole game, in the table's language."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Final

from pi_app.plans.pictures.marks import A4_MM, Mark, Polyline, Text, in_pages
from pi_app.plans.pictures.svg import svg
from pi_app.settings.model import Settings
from pi_app.text.language import N_, Words, words
from pi_app.text.table_words import in_language

TITLE: Final = N_("The table's words for a whole game")
KEYBOARD: Final = N_("Type them at the table's keyboard. Claiming and looking need only the buttons.")
DICE: Final = N_("{roll}: the device rolls. With dice of your own, type their numbers instead.")

LINES: Final[tuple[tuple[str, str], ...]] = (
    ("new", N_("begin a game")),
    ("hero SEAT NAME ABILITY", N_("name a Hero and its abilities")),
    ("activate HERO", N_("a Hero begins its activation and may use an artifact")),
    ("start SQUARE WHO", N_("a turn or a movement starts on a square or beside it")),
    ("enter SQUARE WHO", N_("a figure enters a square, or one beside it")),
    ("pass SQUARE HERO", N_("a Hero cuts the corner of a square")),
    ("expose SQUARE HERO", N_("a second Hero exposes a square too")),
    ("hits roll", N_("the effect of a trap that has gone off, on the figure that set it off")),
    ("jaws SQUARE harmed|unharmed", N_("how the counterattack on the Jaws of Doom ended")),
    ("break SQUARE WHO roll", N_("a figure breaks away from the Hand")),
    ("disarm SQUARE WHO quick|slow roll", N_("an attempt to disarm a square")),
    ("shockwave SQUARE HERO roll ATTACK", N_("a Shockwave at a square, with its attack value")),
    ("chest NUMBER HERO quick|slow roll", N_("a Hero disarms a treasure chest")),
    ("artifact LABEL HERO", N_("a Hero uses an artifact; its player draws a token")),
    ("keep HERO", N_("a Hero keeps the token drawn")),
    ("put HERO", N_("the token goes back into its pile")),
    ("kill SEAT spawn|figure by MEANS", N_("a kill, and its means; a kill by a trap gives no experience")),
    ("fallen HERO", N_("a Hero is out of the game; its ability from a token is lost")),
    ("undo", N_("take back the last word typed at the table")),
    ("end", N_("end the game")),
)
"""Each word as it is typed most often, in the order of a game."""

MOST_WORDS: Final = 20
_LEFT_MM: Final = 14.0
_MEANING_MM: Final = 112.0
_TOP_MM: Final = 20.0
_SIZE_MM: Final = 3.6
_STEP_MM: Final = 4.6
_GAP_MM: Final = 2.6
_LETTERS: Final = 40
"""In a line of each column."""


def sheet(settings: Settings) -> str:
    """An SVG page of A4."""
    speak = words(settings.table.language)
    (page,) = in_pages([tuple(_marks(speak))], 1, f"The table's words of {settings.table.name}")
    return svg(page)


def _marks(speak: Words) -> Iterator[Mark]:
    yield Text((_LEFT_MM, _TOP_MM), speak(TITLE), 6.4, bold=True)
    y = _TOP_MM + 7
    notes = (speak(KEYBOARD), speak(DICE).format(roll=in_language("roll", speak)))
    for number, note in enumerate(notes):
        yield Text((_LEFT_MM, y + number * _STEP_MM), note, 3.2, "grey")
    y += len(notes) * _STEP_MM
    for line, meaning in LINES:
        yield Polyline(((_LEFT_MM, y), (A4_MM[0] - _LEFT_MM, y)), "grey", 0.1)
        y += _GAP_MM + 1.8
        own = in_language(line, speak)
        typed = textwrap.wrap(own, _LETTERS, subsequent_indent="  ", break_on_hyphens=False)
        told = textwrap.wrap(speak(meaning), _LETTERS)
        english = [] if own.split()[0] == line.split()[0] else [line.split()[0]]
        for number, text in enumerate(typed):
            yield Text((_LEFT_MM, y + number * _STEP_MM), text, _SIZE_MM, bold=True)
        for number, text in enumerate(english, len(typed)):
            yield Text((_LEFT_MM, y + number * _STEP_MM - 0.8), text, 2.6, "grey")
        for number, text in enumerate(told):
            yield Text((_MEANING_MM, y + number * _STEP_MM), text, _SIZE_MM)
        y += max(len(typed) + len(english), len(told)) * _STEP_MM - _GAP_MM
