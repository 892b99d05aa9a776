"""What frames say in the page's own tests: the real words and faces of a small evening, in each language."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

import msgspec

from pi_app.game import events as ev
from pi_app.game.state import Game
from pi_app.game.trap_table import TRAP_IDS, Trap
from pi_app.game.trap_words import effect
from pi_app.pages.content import encoded, picture_of, seat_view
from pi_app.report.lamp_code import PATTERNS, CodeWord, spoken
from pi_app.report.pictures import Say, SeatPicture, ShowCard, ShowDie, ShowFace
from pi_app.report.public_lines import PublicLines
from pi_app.report.seat_screen import SENTENCES, Attention, card_title, rolled_lines
from pi_app.text.language import words as words_of
from tests.pi_app.games import exposes, played, started, table_with

CANARY: Final = "Spiked Pit"


def picture(kind: str, language: str = "en") -> dict[str, Any]:
    """What a hold shows: `face`, `nothing`, `die` or `card`."""
    words = words_of(language)
    rows = tuple((PATTERNS[number], words(spoken(word))) for number, word in enumerate(list(CodeWord)[:5]))
    made: dict[str, SeatPicture] = {
        "face": _face("spiked_pit", language),
        "nothing": Say(tuple(words(SENTENCES[Attention.NOTHING_KNOWN]).split("\n")), None),
        "die": ShowDie(rolled_lines(4, words), "T03"),
        "card": ShowCard(card_title(words), "1/2", rows),
    }
    return _as_json(made[kind], language)


def every_face(language: str) -> Iterator[dict[str, Any]]:
    """Each trap's face as a phone gets it, with figures as long as they can be."""
    for trap in TRAP_IDS:
        yield _as_json(_face(trap, language), language)


def _face(trap: str, language: str) -> ShowFace:
    return ShowFace(
        label="T03",
        kind="trap",
        trap=trap,
        click_number=12,
        disarm="8+ = 14",
        xp=25,
        quick_of_36=26,
        slow_of_36=30,
        effect=words_of(language)(effect(trap)),
        sample=True,
        simulated=True,
    )


def _as_json(shown: SeatPicture, language: str) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(msgspec.json.encode(picture_of(shown, words_of(language), PATTERNS[2])))
    return made


@cache
def _game(language: str) -> Game:
    first = started(*map(table_with, (None, Trap.FIRE_JETS, Trap.SPIKED_PIT, Trap.CAGE, None)))
    seats = tuple(msgspec.structs.replace(seat, language=language) for seat in first.seats)
    first = msgspec.structs.replace(first, table_name="The lost mine", simulated=False, language=language, seats=seats)
    triggered = ev.Triggered(seat="BEN", square="T02", cause="entered")
    return played(
        first, *exposes("T03", 5, "ANN"), *exposes("T02", 3, "BEN"), triggered, *exposes("T05", 2, "BEN")
    ).game


def content(name: str, language: str = "en", **changes: Any) -> dict[str, Any]:
    """A frame's content, without the finger and the picture."""
    game, lines = _game(language), PublicLines([])
    own = lines.lines(game, language)
    view = seat_view(game, name.upper(), lines, news=tuple(own[label] for label in ("T03", "T02", "T05")))
    made: dict[str, Any] = json.loads(encoded(view))
    return made | {"head": "TRAPDIAL1 0000000001 AAAAAAAAAA"} | changes
