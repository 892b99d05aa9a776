"""What phones are shown in a run without a game: the nine contents, in each seat's language, in whole frames."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from pi_app.game.rules import chance_of_36
from pi_app.game.trap_table import Trap
from pi_app.game.trap_words import effect
from pi_app.pages.content import SeatView, picture_of
from pi_app.pages.page_words import page_words
from pi_app.pages.sizes import frame_size, plain_text
from pi_app.report.lamp_code import CODE, CodeWord
from pi_app.report.pictures import ShowFace
from pi_app.text.language import words
from pi_app.text.languages import LANGUAGES

CONTENTS: Final = (*Trap, None)
"""Eight traps, and clear."""

SQUARES: Final = tuple(f"T{number:02}" for number in range(1, 9))


def face(trap: Trap | None, language: str, draw: random.Random) -> ShowFace:
    """A face of this trap, or clear, with drawn numbers: as the report makes it for one seat."""
    value = draw.randint(2, 14)
    return ShowFace(
        label=draw.choice(SQUARES),
        kind="clear" if trap is None else "trap",
        trap=None if trap is None else trap.value,
        click_number=draw.randint(1, 10),
        disarm=None if trap is None else f"{value}{draw.choice(('', '+'))}",
        xp=None if trap is None else draw.randint(0, 99),
        quick_of_36=None if trap is None else chance_of_36(value, slow=False),
        slow_of_36=None if trap is None else chance_of_36(value, slow=True),
        effect=words(language)(effect(trap)),
        sample=True,
        simulated=True,
    )


@dataclass(slots=True)
class Contents:
    """The frames' texts of these seats, which read five languages. `looks`: what a finger on a seat's phone shows now,
    with the random numbers of its figures."""

    seats: Sequence[str]
    looks: dict[str, tuple[Trap | None, random.Random]] = field(default_factory=dict)
    frame_bytes: int = 0
    _views: dict[str, SeatView] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for number, seat in enumerate(self.seats):
            language = LANGUAGES[number % len(LANGUAGES)]
            self._views[seat] = SeatView(
                seat=seat,
                name=seat.capitalize(),
                table="Eight phones",
                language=language,
                phase="playing",
                marks=("SIMULATED",),
                squares=tuple((label, f"exposed by {seat}", "EXPOSED") for label in SQUARES),
                knows=SQUARES,
                ui=page_words(language, seat.capitalize()),
            )
        self.frame_bytes = frame_size(self._views.values(), 512)

    def plain(self, seat: str, held: bool) -> bytes:
        """The plain text of a seat's frame now. A face is made here, as at a look: its time is part of what is
        measured."""
        view = self._views[seat]
        if held:
            trap, draw = self.looks[seat]
            shown = face(trap, view.language, draw)
            word = CodeWord.CLEAR if trap is None else CodeWord(trap.value)
            picture = picture_of(shown, words(view.language), CODE[word])
            view = replace(view, held=True, picture=picture)
        return plain_text(view, self.frame_bytes)
