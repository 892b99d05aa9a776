"""How long all frames of a table are: one length for every phone, which depends on public things alone.

A frame has room for the longest picture that this game's seats could ever get, whether it holds one or not. What is
public may need more room as the game goes on; then all frames become twice as long, and stay so.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

import msgspec

from pi_app.game.state import Game
from pi_app.game.tokens import COLOURS, Token
from pi_app.game.trap_table import TRAP_IDS
from pi_app.game.trap_words import effect
from pi_app.pages.content import SeatView, encoded, picture_of
from pi_app.pages.sealing import FRAME_OVERHEAD, MOST_NUMBER
from pi_app.report.lamp_code import PATTERNS, CodeWord, spoken
from pi_app.report.pictures import Say, SeatPicture, ShowCard, ShowDie, ShowFace, ShownKind
from pi_app.report.seat_screen import CARD_PAGES, SENTENCES, card_title, rolled_lines, token_lines
from pi_app.text.language import Words
from pi_app.text.language import words as words_of
from pi_app.text.lengths import text_bytes

FIRST_FRAME_BYTES: Final = 4096
_LENGTH: Final = struct.Struct(">I")
_NO_PICTURE: Final = len(b"null")
_encode: Final = msgspec.json.Encoder().encode


def picture_room(game: Game) -> int:
    """The most bytes that a picture of this game can take, in any of its seats' languages. It depends on the labels,
    the languages and the pool of tokens, which everybody knows; not on a table, a face, a draw or a deal."""
    labels = [*game.squares] or [""]
    label = max(labels, key=text_bytes)
    tokens = () if game.artifacts is None else tuple(t for c in COLOURS for t in game.artifacts.laid.pool.of(c))
    return max(
        (
            len(_encode(picture_of(picture, words, PATTERNS[0])))
            for language in {seat.language for seat in game.seats.values()}
            for words in [words_of(language)]
            for picture in _longest(label, tokens, words)
        ),
        default=_NO_PICTURE,
    )


def _longest(label: str, tokens: Iterable[Token], words: Words) -> Iterator[SeatPicture]:
    """Pictures in one language, among them one that is at least as long as any that a game can show."""
    for sentence in SENTENCES.values():
        yield Say(tuple(words(sentence).split("\n")), label)
    for die in range(1, 7):
        yield ShowDie(rolled_lines(die, words), label)
    for token in tokens:
        yield ShowDie(token_lines(token, words), label)
    for trap in TRAP_IDS:
        yield _widest_face(label, "trap", trap, words)
    yield _widest_face(label, "clear", None, words)
    yield _widest_face(label, "other", None, words)
    said = sorted((words(spoken(word)) for word in CodeWord), key=text_bytes)
    rows = tuple((PATTERNS[0], word) for word in said[-max(CARD_PAGES) :])
    yield ShowCard(card_title(words), f"{len(CARD_PAGES)}/{len(CARD_PAGES)}", rows)


def _widest_face(label: str, kind: ShownKind, trap: str | None, words: Words) -> ShowFace:
    """A face with the longest figures that a table's file may have."""
    return ShowFace(
        label=label,
        kind=kind,
        trap=trap,
        click_number=99,
        disarm="99+ = 999",
        xp=9999,
        quick_of_36=36,
        slow_of_36=36,
        effect=words(effect(trap)),
        sample=True,
        simulated=True,
    )


def frame_size(views: Iterable[SeatView], room: int, before: int = FIRST_FRAME_BYTES) -> int:
    """The length of every frame of this round. `before`: that of the last round, since it never shrinks. Pictures and
    fingers in the views do not count, nor does `after`."""
    need = max((_public_bytes(view) for view in views), default=0) + max(room, _NO_PICTURE)
    size = before
    while size < need + _LENGTH.size + FRAME_OVERHEAD:
        size *= 2
    return size


def _public_bytes(view: SeatView) -> int:
    """The bytes of what is public, with the longest value of each thing that changes without being seen by all."""
    return len(encoded(replace(view, picture=None, held=False, may_tap=False, after=MOST_NUMBER))) - _NO_PICTURE


def padded(text: bytes, frame_bytes: int) -> bytes:
    """The plain text of a frame of this length: the text's own length, the text, and zeros. Raises ValueError for a
    text that does not fit."""
    room = frame_bytes - FRAME_OVERHEAD
    if _LENGTH.size + len(text) > room:
        raise ValueError(f"A text of {len(text)} bytes does not fit a frame of {frame_bytes}.")
    return (_LENGTH.pack(len(text)) + text).ljust(room, b"\0")


def plain_text(view: SeatView, frame_bytes: int) -> bytes:
    """The plain text of a view's frame."""
    return padded(encoded(view), frame_bytes)
