"""What a frame says to one seat: public lines in its language, its own state, and the picture that it alone may see.

`SeatView` is everything; `encoded` writes it as the JSON that the page reads. Only `picture` is secret, and only it
differs between two games in which other traps lie under the squares. `sizes` keeps all frames of one length.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

import msgspec

from pi_app.game.state import Game, Phase
from pi_app.pages.page_words import page_words
from pi_app.report import face_words
from pi_app.report.lamp_code import Flashes
from pi_app.report.pictures import Say, SeatPicture, ShowCard, ShowDie, ShowFace
from pi_app.report.public_lines import PublicLines
from pi_app.text.language import Words
from pi_app.text.sealed import PartlySealed, Sealed

VERSION: Final = 1
MOST_NEWS: Final = 8


class SaidContent(Sealed, msgspec.Struct, frozen=True, tag_field="kind", tag="say"):
    """Neutral words, for a finger on the phone or on the seat's button alike."""

    lines: tuple[str, ...]
    label: str


class DieContent(Sealed, msgspec.Struct, frozen=True, tag_field="kind", tag="die"):
    """The device's roll, or a token: words that are as secret as a face."""

    lines: tuple[str, ...]
    label: str


class FaceContent(Sealed, msgspec.Struct, frozen=True, tag_field="kind", tag="face"):
    """One face. `lamp`: the flashes that the seat's lamp would give, 1 for long; None without."""

    label: str
    title: str
    symbol: str
    lines: tuple[str, ...]
    effect: str
    marks: tuple[str, ...]
    lamp: tuple[int, ...] | None


class CardContent(Sealed, msgspec.Struct, frozen=True, tag_field="kind", tag="card"):
    """One page of the card of a seat's dealt lamp code."""

    title: str
    page: str
    rows: tuple[tuple[tuple[int, ...], str], ...]


Content = SaidContent | DieContent | FaceContent | CardContent


class QrCode(msgspec.Struct, frozen=True):
    """`rows`: the modules, row by row from the top left, in one run of bits, the highest of a byte first; base64."""

    size: int
    rows: str


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SeatView(PartlySealed):
    """What one phone shows of its seat. `squares`: label, sentence and the name of the public state. `claim`: empty,
    `open`, or the label of its square. `knows`: what a hold can show. `held`: the table takes its finger as down.
    `after`: its posts count only with a counter above this (see `joining.first_after`)."""

    _open = ("seat", "phase")
    _hidden = "picture"

    seat: str
    name: str
    table: str
    language: str
    phase: str
    marks: tuple[str, ...] = ()
    state: str = ""
    squares: tuple[tuple[str, str, str], ...] = ()
    news: tuple[str, ...] = ()
    claim: str = ""
    knows: tuple[str, ...] = ()
    may_tap: bool = False
    held: bool = False
    picture: Content | None = None
    ui: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    head: str = ""
    qr: QrCode | None = None
    after: int = 0


PHASES: Final = {Phase.NONE: "none", Phase.PLAYING: "playing", Phase.ENDED: "ended"}
_encode: Final = msgspec.json.Encoder().encode


def encoded(view: SeatView) -> bytes:
    """The JSON of a frame. Equal views give equal bytes."""
    return _encode(
        {
            "v": VERSION,
            "seat": view.seat,
            "name": view.name,
            "table": view.table,
            "lang": view.language,
            "phase": view.phase,
            "marks": view.marks,
            "state": view.state,
            "squares": view.squares,
            "news": view.news[-MOST_NEWS:],
            "mine": {"claim": view.claim, "knows": view.knows, "may_tap": view.may_tap},
            "held": view.held,
            "picture": view.picture,
            "ui": dict(view.ui),
            "head": view.head,
            "qr": view.qr,
            "after": view.after,
        }
    )


def seat_view(
    game: Game, seat: str, public: PublicLines, *, marks: tuple[str, ...] = (), news: tuple[str, ...] = ()
) -> SeatView:
    """The public part of what this seat's phone shows. The caller adds the record's head, finger and picture, and at
    the end the QR code."""
    player = game.seats[seat]
    lines = public.lines(game, player.language)
    claim = game.claim_of(seat)
    told = (lines.get(key, "") for key in ("table", "claims", "xp", "ruling"))  # what is new stands in the news
    return SeatView(
        seat=seat,
        name=player.name,
        table=game.table_name,
        language=player.language,
        phase=PHASES[game.phase],
        marks=marks,
        news=news,
        state=" ".join(line for line in told if line and line not in news),
        squares=tuple((label, lines.get(label, ""), square.state.name) for label, square in game.squares.items()),
        claim="" if claim is None else claim.square or "open",
        knows=game.may_look(seat),
        may_tap=game.phase is Phase.PLAYING,
        ui=page_words(player.language, player.name),
    )


def picture_of(picture: SeatPicture, words: Words, pattern: Flashes | None) -> Content | None:
    """What a phone shows of a seat's picture, in the seat's language; None for darkness, and for what only the seat's
    own screen shows. `pattern`: the flashes that its lamp would give."""
    match picture:
        case ShowFace():
            return FaceContent(
                label=picture.label,
                title=face_words.title(picture, words),
                symbol=picture.trap or picture.kind,
                lines=(*face_words.figures(picture, words), *(() if picture.note is None else (words(picture.note),))),
                effect=face_words.effect(picture, words),
                marks=tuple(face_words.marks(picture, words)),
                lamp=None if pattern is None else _ones(pattern),
            )
        case ShowCard():
            rows = tuple((_ones(flashes), word) for flashes, word in picture.rows)
            return CardContent(title=picture.title, page=picture.page, rows=rows)
        case Say():
            return SaidContent(lines=picture.phone or picture.lines, label=picture.label or "")
        case ShowDie():
            return DieContent(lines=picture.lines, label=picture.label or "")
        case _:
            return None


def _ones(flashes: tuple[bool, ...]) -> tuple[int, ...]:
    return tuple(int(long) for long in flashes)


def qr_code(rows: Sequence[Sequence[bool]]) -> QrCode:
    """A QR code from its rows of modules, True for dark."""
    bits = "".join("1" if dark else "0" for row in rows for dark in row)
    run = int(bits.ljust(-(-len(bits) // 8) * 8, "0"), 2).to_bytes(-(-len(bits) // 8), "big")
    return QrCode(size=len(rows), rows=base64.b64encode(run).decode("ascii"))
