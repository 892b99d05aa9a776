"""The sheet that hangs beside a station: what it is, how phones join, what the lamps say, and what helps. Two pages of
A4 for each language: the second lists every trouble with what to do, in the words of the staff page."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from pi_app.pages.address import host_of, page_url, shown_url, wifi_text
from pi_app.pages.qr import modules
from pi_app.plans.pictures.marks import A4_MM, Block, Mark, Picture, Point, Polyline, Rect, Text, sheet
from pi_app.plans.pictures.qr_marks import qr_marks
from pi_app.plans.wiring.drawing.style import text_width
from pi_app.settings.pages_section import PagesSettings
from pi_app.station.troubles.lamp_patterns import MEANINGS, NAMES, LampPattern
from pi_app.station.troubles.troubles import StationTrouble, TroubleFound
from pi_app.text.language import N_, Words, words

TITLE: Final = N_("Trapdial: a table of traps to try")
WHAT: Final = (
    N_("It needs no staff: it plays with everyone who comes, and starts again when they leave."),
    N_("Visitors press a button, turn a wheel and look at the small screen. You do not have to help."),
    N_("You may switch it off at the plug at any time, also every night."),
)
PHONES: Final = N_("Phones")
WIFI: Final = N_("1. Join the Wi-Fi")
SAME: Final = N_("1. Join the same Wi-Fi as the station")
THEN: Final = N_("2. Then open the station")
NETWORK: Final = N_("Wi-Fi: {network}")
PASSPHRASE: Final = N_("Passphrase: {passphrase}")
ADDRESS: Final = N_("Address: {address}")
WORDS: Final = N_("Type http, not https. The figures: {figures}.")
DOT: Final = N_("dot")
LAMPS: Final = N_("What the lamps say while nobody plays")
LADDER: Final = N_("Out of order? Take one step after the other until it works.")
RECOVERY: Final = N_(
    "Plug it in and unplug it again three times, each time within half a minute. Then plug it in: the recovery "
    "table has only the staff page."
)
STEPS: Final = (
    N_("Unplug the station, count to ten, plug it in. That is always safe. Wait one minute."),
    N_("Hold all buttons of the seats down for five seconds: the self-test. Each screen then says what is wrong."),
    N_("Open the staff page: {address}. It names the last troubles with what to do, and writes a report to a stick."),
    RECOVERY,
    N_("Put in the other card."),
)
CALL: Final = N_("If none of it helps, call:")
NAME: Final = N_("Name")
TELEPHONE: Final = N_("Telephone")
PIN: Final = N_("PIN of the staff page: {pin}")
SECRET: Final = N_("This sheet has the PIN of the staff page: keep it away from visitors.")
NO_PAGE: Final = N_("Look at the display, then at the back of this sheet: it says what helps.")
NO_PIN: Final = N_(
    "The display and the lamps name what is wrong; the back of this sheet says what helps. For a staff page the owner "
    "sets a PIN."
)
PIN_PLACE: Final = N_("PIN of the staff page: ask the owner.")
NO_PAGES: Final = N_("This station has no pages for phones.")
TROUBLES: Final = N_("What the station says, and what to do")
MANY: Final = N_("For the staff. The station names what fails in place of {mark}.")

_LEFT: Final = 15.0
_WIDTH: Final = 180.0
_FOOT: Final = 277.0
_QR_MM: Final = 42.0
_MARK: Final = "___"


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetFacts:
    """What a sheet names. `address`: of the machine that serves the pages; empty if it is not known. `pin`: empty to
    leave it out."""

    pages: PagesSettings | None
    address: str = ""
    pin: str = ""
    has_staff_page: bool = True


def sheets(language: str, facts: SheetFacts) -> list[Picture]:
    """Return the two pages of a language."""
    speak = words(language)
    title = speak(TITLE)
    return [sheet(A4_MM, title, _front(speak, facts)), sheet(A4_MM, title, _back(speak))]


# ------------------------------------------------------------------------------------------------------- the first page


def _front(speak: Words, facts: SheetFacts) -> Iterator[Mark]:
    yield Text((_LEFT, 24), speak(TITLE), _fitting(speak(TITLE), 9), bold=True)
    at = 34.0
    for line in WHAT:
        marks, at = _lines((_LEFT, at), speak(line), 4.4)
        yield from marks
    at += 4
    marks, at = _heading(speak(PHONES), at)
    yield from marks
    if facts.pages is None:
        yield Text((_LEFT, at), speak(NO_PAGES), 4.4)
        at += 8
    else:
        yield from _phones(speak, facts.pages, facts.address, at)
        at += 66
    marks, at = _heading(speak(LAMPS), at)
    yield from marks
    meanings = MEANINGS if _has_staff_page(facts) else {**MEANINGS, LampPattern.STAFF: NO_PAGE}
    for pattern in LampPattern:
        yield from _pattern(speak, pattern, meanings, at)
        at += 11.5
    marks, at = _heading(speak(LADDER), at + 3)
    yield from marks
    yield from _ladder(speak, facts, at)


def _has_staff_page(facts: SheetFacts) -> bool:
    return facts.pages is not None and facts.has_staff_page


def _heading(text: str, at: float) -> tuple[list[Mark], float]:
    line = Polyline(((_LEFT, at + 2), (_LEFT + _WIDTH, at + 2)), "grey", 0.3)
    return [Text((_LEFT, at), text, _fitting(text, 5.2), bold=True), line], at + 9


def _fitting(text: str, size: float, width: float = _WIDTH) -> float:
    """This size of bold letters, or a smaller one in which a line fits its width in any common font."""
    return min(size, width / text_width(text, 1, bold=True))


def _lines(at: Point, text: str, size: float, width: float = _WIDTH, *, bold: bool = False) -> tuple[list[Mark], float]:
    """The lines of a text, and the height of the line after it."""
    x, y = at
    marks: list[Mark] = []
    for line in textwrap.wrap(
        text, round(width / size / (0.57 if bold else 0.5)), break_long_words=False, break_on_hyphens=False
    ):
        marks.append(Text((x, y), line, size, bold=bold))
        y += size * 1.32
    return marks, y


def _phones(speak: Words, pages: PagesSettings, address: str, at: float) -> Iterator[Mark]:
    half, wide = _LEFT + _WIDTH / 2 + 3, _WIDTH / 2 - 3
    first, then = speak(WIFI if pages.network else SAME), speak(THEN)
    size = min(_fitting(first, 4.4, wide), _fitting(then, 4.4, wide))
    yield Text((_LEFT, at), first, size, bold=True)
    yield Text((half, at), then, size, bold=True)
    below = at + _QR_MM + 6
    if pages.network:
        yield from qr_marks((_LEFT - 4, at + 1), modules(wifi_text(pages.network, pages.passphrase)), _QR_MM)
        yield Text((_LEFT, below), speak(NETWORK).format(network=pages.network), 3.8)
        if pages.passphrase:
            yield Text((_LEFT, below + 5), speak(PASSPHRASE).format(passphrase=pages.passphrase), 3.8)
    if address:
        yield from qr_marks((half - 4, at + 1), modules(page_url(address, pages.port)), _QR_MM)
        yield Text((half, below), speak(ADDRESS).format(address=shown_url(address, pages.port)), 3.8)
        figures = f" {speak(DOT)} ".join(host_of(address, pages.port).split("."))
        marks, _ = _lines((half, below + 5), speak(WORDS).format(figures=figures), 3.4, wide)
        yield from marks


_SHOWN_MS: Final = 4_800
"""So much of a pattern is drawn."""


def _pattern(speak: Words, pattern: LampPattern, meanings: Mapping[LampPattern, str], at: float) -> Iterator[Mark]:
    """One pattern as a row of light and dark, and what it says."""
    width, height = 52.0, 5.0
    yield Block(Rect(_LEFT, at - 4, width, height), "", "grey", 0.2)
    for begin, end in lit_spans(pattern, _SHOWN_MS):
        x = _LEFT + width * begin / _SHOWN_MS
        yield Block(Rect(x, at - 4, width * (end - begin) / _SHOWN_MS, height), "ink")
    left, size = _LEFT + width + 6, min(_fitting(speak(each), 4.0, _WIDTH - width - 6) for each in meanings.values())
    yield Text((left, at - 0.8), speak(NAMES[pattern]), 4.2, bold=True)
    yield Text((left, at + 4.2), speak(meanings[pattern]), size)


def lit_spans(pattern: LampPattern, until_ms: int) -> Iterator[tuple[int, int]]:
    """Yield when a lamp is lit, in milliseconds from the start of a pattern."""
    at, lit = 0, True
    if len(pattern.value) == 1:
        yield 0, until_ms
        return
    while at < until_ms:
        for length in pattern.value:
            if lit and at < until_ms:
                yield at, min(at + length, until_ms)
            at, lit = at + length, not lit


def _ladder(speak: Words, facts: SheetFacts, at: float) -> Iterator[Mark]:
    has_page = _has_staff_page(facts)
    port = facts.pages.port if facts.pages else 80
    url = f"{shown_url(facts.address, port)}/staff" if facts.address else "http://.../staff"
    steps = [step for step in STEPS if has_page or (step != RECOVERY and "{address}" not in step)]
    for number, step in enumerate(steps, 1):
        yield Text((_LEFT, at), f"{number}.", 4.2, bold=True)
        marks, at = _lines((_LEFT + 8, at), speak(step).format(address=url), 4.2, _WIDTH - 8)
        yield from marks
        at += 1.2
    if has_page:
        pin = speak(PIN).format(pin=facts.pin) if facts.pin else speak(PIN_PLACE)
        yield Text((_LEFT + 8, at + 2), pin, 4.4, bold=True)
        if facts.pin:
            yield Text((_LEFT + 8, at + 7.5), speak(SECRET), 3.6)
    elif facts.pages is not None:
        yield from _lines((_LEFT + 8, at + 2), speak(NO_PIN), 4.2, _WIDTH - 8)[0]
    yield from _whom_to_call(speak)


def _whom_to_call(speak: Words) -> Iterator[Mark]:
    """Draw the lines for whom to call, at the foot: written by hand, so no setting holds a person's number."""
    yield Text((_LEFT, _FOOT), speak(CALL), 4.4, bold=True)
    for x, width, label in ((_LEFT, 100.0, speak(NAME)), (_LEFT + 106, 74.0, speak(TELEPHONE))):
        yield Text((x, _FOOT + 8.5), f"{label}:", 3.8)
        yield Polyline(((x + 2.3 * (len(label) + 1) + 2, _FOOT + 9.3), (x + width, _FOOT + 9.3)), "ink", 0.25)


# ------------------------------------------------------------------------------------------------------ the second page


def _back(speak: Words) -> Iterator[Mark]:
    yield Text((_LEFT, 20), speak(TROUBLES), _fitting(speak(TROUBLES), 7), bold=True)
    yield Text((_LEFT, 26), speak(MANY).format(mark=_MARK), 3.4, "grey")
    at = 34.0
    for trouble in StationTrouble:
        found = TroubleFound(trouble, (_MARK,))
        marks, at = _lines((_LEFT, at), found.seen(speak), 3.3, bold=True)
        yield from marks
        marks, at = _lines((_LEFT + 4, at), found.do(speak), 3.3, _WIDTH - 4)
        yield from marks
        at += 1.6
