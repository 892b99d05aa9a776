"""A card for each seat, in its player's language: the QR codes of the Wi-Fi and of the seat's page on a phone, and what
to do when that page does not open, which the page itself could never say."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import Final

from pi_app.pages.address import code_text, page_url, shown_url, wifi_text
from pi_app.pages.qr import Modules, modules
from pi_app.plans.pictures.marks import A4_MM, Block, Mark, Point, Rect, Text, in_pages
from pi_app.plans.pictures.qr_marks import qr_marks
from pi_app.plans.pictures.svg import svg
from pi_app.plans.wiring.cards import COLUMNS, HEIGHT_MM, PER_PAGE, WIDTH_MM
from pi_app.settings.model import SeatSettings, Settings
from pi_app.settings.pages_section import PagesSettings
from pi_app.text.language import N_, Words, words

TITLE: Final = N_("Your seat on your phone")
JOIN: Final = N_("1. Scan this to join the Wi-Fi")
SAME: Final = N_("1. Join the same Wi-Fi as the table")
SCAN: Final = N_("2. On the same Wi-Fi, scan this")
NETWORK: Final = N_("Wi-Fi: {network}")
PASSPHRASE: Final = N_("Passphrase:")
OPEN: Final = N_("It has no passphrase.")
TYPE: Final = N_("No camera? Type this:")
TROUBLE: Final = N_("If the page does not open")
CURES: Final = (
    N_("Is the phone on the same Wi-Fi? Turn off mobile data and VPN."),
    N_("Type {address} with http, not https. Does a page open?"),
    N_("Some guest networks keep devices apart: use another one."),
    N_("Play on: your own screen or lamp shows everything."),
)
PRIVATE: Final = N_("Keep this card to yourself: scanning it takes over your seat.")

COMMAND: Final = "trapdial pages cards"
"""What stands in place of a code on a sheet that is no secret."""

QR_MM: Final = 29.5
_MARGIN_MM: Final = 5.0
_BESIDE_MM: Final = 39.0
_BESIDE_LETTERS: Final = 24
_BESIDE_SIZE_MM: Final = 3.0
_SMALLEST_MM: Final = 2.4
_LINE_LETTERS: Final = 54


def sheets(settings: Settings, address: str, codes: Mapping[str, bytes]) -> list[str]:
    """SVG pages of A4, to print 1:1 and to cut. A seat without a code gets its card without secrets: its squares are
    empty. `address`: of the machine that serves the pages; empty if it is not known."""
    pages = settings.pages or PagesSettings()
    places = [(place % PER_PAGE, seat) for place, seat in enumerate(settings.seats.values())]
    groups = [tuple(_card(place, seat, pages, address, codes.get(seat.key))) for place, seat in places]
    return [svg(page) for page in in_pages(groups, PER_PAGE, f"Phone cards of {settings.table.name}")]


def card(settings: Settings, seat: SeatSettings, address: str, code: bytes) -> str:
    """An SVG page of A4 with the card of one seat."""
    pages = settings.pages or PagesSettings()
    group = tuple(_card(0, seat, pages, address, code))
    (page,) = in_pages([group], PER_PAGE, f"Phone card of {settings.table.name}")
    return svg(page)


def _card(place: int, seat: SeatSettings, pages: PagesSettings, address: str, code: bytes | None) -> Iterator[Mark]:
    speak = words(seat.language)
    row, column = divmod(place, COLUMNS)
    x = (A4_MM[0] - COLUMNS * WIDTH_MM - 4) / 2 + column * (WIDTH_MM + 4)
    y = (A4_MM[1] - 2 * HEIGHT_MM - 4) / 2 + row * (HEIGHT_MM + 4)
    yield Block(Rect(x, y, WIDTH_MM, HEIGHT_MM), "", "grey", 0.2, dash="1.5 1.5")
    yield Text((x + WIDTH_MM / 2, y + 8), seat.name, 6, bold=True, anchor="middle")
    yield Text((x + WIDTH_MM / 2, y + 13.5), speak(TITLE), 3.6, anchor="middle", ink="grey")
    yield Text((x + _MARGIN_MM, y + 20), speak(JOIN if pages.network else SAME), 3.4, bold=True)
    if pages.network:
        network = None if code is None else modules(wifi_text(pages.network, pages.passphrase))
        yield from _qr((x + _MARGIN_MM, y + 21.5), network)
        yield from _beside(x, y + 27, _network_lines(speak, pages, secret=code is None))
    at = y + (56 if pages.network else 28.5)
    yield Text((x + _MARGIN_MM, at), speak(SCAN), 3.4, bold=True)
    yield from _qr((x + _MARGIN_MM, at + 1.5), None if code is None else modules(page_url(address, pages.port, code)))
    yield from _beside(x, at + 7, _address_lines(speak, address, pages.port, code))
    at += 36
    yield Text((x + _MARGIN_MM, at), speak(TROUBLE), 3.2, bold=True)
    for cure in CURES:
        known = speak(cure).format(address=shown_url(address, pages.port) if address else "http://...")
        for number, text in enumerate(textwrap.wrap(known, _LINE_LETTERS)):
            at += 3.5
            if number == 0:
                yield Text((x + _MARGIN_MM, at), "•", 2.7)
            yield Text((x + _MARGIN_MM + 2.5, at), text, 2.7)
    at = y + HEIGHT_MM - 5.5
    for text in textwrap.wrap(speak(PRIVATE), 46):
        yield Text((x + _MARGIN_MM, at), text, 2.9, bold=True)
        at += 3.5


def _network_lines(speak: Words, pages: PagesSettings, *, secret: bool) -> Iterator[tuple[str, bool]]:
    """The lines beside the first code, and whether each is bold."""
    yield speak(NETWORK).format(network=pages.network), True
    if not pages.passphrase:
        yield speak(OPEN), False
    else:
        yield speak(PASSPHRASE), False
        yield "..." if secret else pages.passphrase, True


def _address_lines(speak: Words, address: str, port: int, code: bytes | None) -> Iterator[tuple[str, bool]]:
    yield shown_url(address, port) if address else "http://...", True
    if code is not None:
        letters = code_text(code)
        yield speak(TYPE), False
        yield f"{shown_url(address, port)}/#", False
        yield letters[:13], False
        yield letters[13:], False


def _beside(x: float, y: float, lines: Iterator[tuple[str, bool]]) -> Iterator[Mark]:
    """Lines beside a code; one with a long word, such as an address with its port, is smaller."""
    for line, bold in lines:
        longest = max(map(len, line.split()), default=1)
        size = max(_SMALLEST_MM, _BESIDE_SIZE_MM * min(1.0, _BESIDE_LETTERS / longest))
        letters = round(_BESIDE_LETTERS * _BESIDE_SIZE_MM / size)
        for text in textwrap.wrap(line, letters, break_on_hyphens=False):
            yield Text((x + _BESIDE_MM, y), text, size, bold=bold)
            y += 4.1


def _qr(at: Point, drawn: Modules | None) -> Iterator[Mark]:
    """A code with its quiet zone; without one, an empty square that names the command which prints it."""
    x, y = at
    if drawn is None:
        yield Block(Rect(x + 2, y + 2, QR_MM - 4, QR_MM - 4), "", "grey", 0.2)
        yield Text((x + QR_MM / 2, y + QR_MM / 2), COMMAND, 2.4, "grey", anchor="middle")
        return
    yield from qr_marks(at, drawn, QR_MM)
