"""A card for each seat, in its player's language: a turn in three lines, and the lamp code. It is made from the same
table as the lamp's flashes, so the two always agree."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import Final

from pi_app.game.lamp_deal import LampKind
from pi_app.plans.pictures.marks import A4_MM, Block, Mark, Rect, Text, in_pages
from pi_app.plans.pictures.svg import svg
from pi_app.report.lamp_code import CODE, Code, Flashes, spoken
from pi_app.settings.model import SeatSettings, Settings
from pi_app.text.language import CARD_LEGEND, CARD_TITLE, HELP_HOLD, HELP_TAP, HELP_TITLE, HELP_TURN, N_, words

WIDTH_MM: Final = 88.0
HEIGHT_MM: Final = 130.0
COLUMNS: Final = 2
PER_PAGE: Final = 4
_LONG_MM: Final = 7.0
_SHORT_MM: Final = 2.2
_ROW_MM: Final = 6.0
_CODE_AT_MM: Final = 54.0
_WORDS_AT_MM: Final = 68.5
_NOTE_AT_MM: Final = 127.5

_NOTES: Final[Mapping[LampKind, str]] = {
    "public": "",
    "dealt": N_("Each game deals these patterns again: fill in the words."),
    "once": N_("Use this card only while your screen is out."),
}
_THIS_GAME: Final = N_("For this game only. Keep it to yourself.")


def sheets(settings: Settings) -> list[str]:
    """SVG pages of A4, to print 1:1, a card for each seat that has a lamp. A code that is dealt for each game is left
    open."""
    seats = [seat for seat in settings.seats.values() if seat.has_lamp]
    groups = [
        tuple(_card(place % PER_PAGE, seat, None if seat.lamp_kind == "dealt" else CODE, _NOTES[seat.lamp_kind]))
        for place, seat in enumerate(seats)
    ]
    return [svg(page) for page in in_pages(groups, PER_PAGE, f"Lamp cards of {settings.table.name}")]


def dealt_sheet(settings: Settings, seat: SeatSettings, code: Code) -> str:
    """An SVG page of A4 with the card of one seat's dealt code, for one game."""
    (page,) = in_pages([tuple(_card(0, seat, code, _THIS_GAME))], PER_PAGE, f"Lamp card of {settings.table.name}")
    return svg(page)


def _card(place: int, seat: SeatSettings, code: Code | None, note: str) -> Iterator[Mark]:
    speak = words(seat.language)
    row, column = divmod(place, COLUMNS)
    x = (A4_MM[0] - COLUMNS * WIDTH_MM - 4) / 2 + column * (WIDTH_MM + 4)
    y = (A4_MM[1] - 2 * HEIGHT_MM - 4) / 2 + row * (HEIGHT_MM + 4)
    yield Block(Rect(x, y, WIDTH_MM, HEIGHT_MM), "", "grey", 0.2, dash="1.5 1.5")
    yield Text((x + WIDTH_MM / 2, y + 9), seat.name, 6, bold=True, anchor="middle")
    yield Text((x + WIDTH_MM / 2, y + 15), speak(HELP_TITLE), 3.6, anchor="middle", ink="grey")
    at = y + 22
    for number, line in enumerate((HELP_TAP, HELP_TURN, HELP_HOLD), 1):
        for part, text in enumerate(textwrap.wrap(speak(line), 46)):
            if part == 0:
                yield Text((x + 5, at), f"{number}.", 3.2, bold=True)
            yield Text((x + 10, at), text, 3.2)
            at += 4.3
        at += 0.8
    at = y + _CODE_AT_MM
    yield Text((x + 5, at), speak(CARD_TITLE), 4, bold=True)
    at += 4.6
    for text in textwrap.wrap(_plain(speak(CARD_LEGEND)), 56):
        yield Text((x + 5, at), text, 2.6, ink="grey")
        at += 3.5
    at = y + _WORDS_AT_MM
    for word, flashes in (CODE if code is None else code).items():
        yield from _word(x + 5, at, flashes, "." * 30 if code is None else speak(spoken(word)))
        at += _ROW_MM
    if note:
        yield Text((x + 5, y + _NOTE_AT_MM), speak(note), 2.6)


def _plain(legend: str) -> str:
    """The legend without the signs in brackets: the card draws them."""
    return legend.replace(" (▬)", "").replace(" (·)", "")


def _word(x: float, y: float, flashes: Flashes, meaning: str) -> Iterator[Mark]:
    at = x
    for long in flashes:
        width = _LONG_MM if long else _SHORT_MM
        yield Block(Rect(at, y - 2.3, width, _SHORT_MM), "ink", corner=_SHORT_MM / 2)
        at += width + 1.8
    yield Text((x + 34, y), meaning, 3.4)
