"""The guided steps of a first turn: tap, roll, turn, hold, and what the others saw of it. Pure.

A step is over when a visitor has done it, even before its sentence was read. Visitors type nothing.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace
from typing import Final

from pi_app.report.seat_screen import phone_lines
from pi_app.station.visits.inputs import ClaimGone, Clicked, DieRolled, Input, LetGo, LookShown, Tapped
from pi_app.text.language import N_, Words

MOST_SENTENCES: Final = 5
MOST_WORDS: Final = 8
"""Of a sentence, in every language."""

ROLL_NS: Final = 4_000_000_000
"""How long everybody reads that the table has rolled. The seat reads its number meanwhile."""

SEEN_NS: Final = 6_000_000_000
"""How long the last sentence stays, from the moment when the button is let go."""

HELD_SEEN_NS: Final = 14_000_000_000
"""The same from the look, for a button that is never let go."""


class TurnStep(enum.IntEnum):
    """The step that is due."""

    TAP = 0
    ROLL = 1
    TURN = 2
    HOLD = 3
    SEEN = 4
    DONE = 5


SENTENCES: Final = (
    N_("Tap your button once."),
    N_("The table rolls for you: so many clicks."),
    N_("Turn one dial by that many clicks."),
    N_("When it rests, hold your button: look."),
    N_("This is what the others saw: nothing."),
)
"""One for each step but the last."""


@dataclass(frozen=True, slots=True)
class Guided:
    """How far a group is. `seat`: who does the steps, empty before the first tap; `let_go`: whether that seat has let
    its button go after the look."""

    step: TurnStep = TurnStep.TAP
    seat: str = ""
    since_ns: int = 0
    let_go: bool = False

    def at(self, step: TurnStep, now_ns: int, seat: str | None = None) -> Guided:
        """Return the beginning of a step, if it is another one."""
        seat = self.seat if seat is None else seat
        if (step, seat) == (self.step, self.seat):
            return self
        return Guided(step, seat, now_ns)


PHONE_SENTENCES: Final = {
    TurnStep.TAP: N_("Tap “{turn}” once."),
    TurnStep.HOLD: N_("When it rests, keep “{hold}” pressed."),
}
"""The same on a phone, whose buttons have words: it names them."""


def sentence(step: TurnStep, words: Words) -> str:
    """Return the sentence of a step in one language; empty after the last one."""
    return "" if step is TurnStep.DONE else words(SENTENCES[step])


def phone_sentence(step: TurnStep, words: Words) -> tuple[str, ...]:
    """Return the lines of a step on a phone; none where they are those of every screen."""
    return phone_lines(PHONE_SENTENCES[step], words) if step in PHONE_SENTENCES else ()


def done(guided: Guided, given: Input, now_ns: int) -> Guided:
    """Return how far the group is after one input."""
    step, own = guided.step, getattr(given, "seat", None) in (guided.seat, None)
    match given:
        case Tapped() if step is TurnStep.SEEN:
            return guided.at(TurnStep.DONE, now_ns)
        case DieRolled(seat) if step < TurnStep.SEEN:
            return guided.at(TurnStep.ROLL, now_ns, seat)
        case Clicked() if step in (TurnStep.ROLL, TurnStep.TURN):
            return guided.at(TurnStep.HOLD, now_ns)
        case LookShown(seat) if step < TurnStep.SEEN:
            return guided.at(TurnStep.SEEN, now_ns, seat)
        case ClaimGone() if own and TurnStep.TAP < step < TurnStep.SEEN:
            return guided.at(TurnStep.TAP, now_ns, "")
        case LetGo() if own and step is TurnStep.SEEN and not guided.let_go:
            return replace(guided, let_go=True, since_ns=now_ns)
        case _:
            return guided


def passed(guided: Guided, now_ns: int) -> Guided:
    """Return how far the group is after time alone."""
    waited_ns = now_ns - guided.since_ns
    if guided.step is TurnStep.ROLL and waited_ns >= ROLL_NS:
        return guided.at(TurnStep.TURN, now_ns)
    if guided.step is TurnStep.SEEN and waited_ns >= (SEEN_NS if guided.let_go else HELD_SEEN_NS):
        return guided.at(TurnStep.DONE, now_ns)
    return guided
