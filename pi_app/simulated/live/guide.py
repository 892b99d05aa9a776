"""The guide through the first turn: which step the table is at, and which key to press next. Pure."""

from __future__ import annotations

import enum
from typing import Final

from pi_app.simulated.live.lamp_reading import FLASHES
from pi_app.simulated.live.values import Claiming, LiveSeat, Snapshot, Stage
from pi_app.text.language import N_, Words


class GuideStep(enum.Enum):
    """The steps of the first turn, in order."""

    TAP = enum.auto()
    TURN = enum.auto()
    WAIT = enum.auto()
    """The dial is turning."""
    HOLD = enum.auto()
    LOOK = enum.auto()
    """A face is shown: compare it with what the others see."""
    COUNT = enum.auto()
    """The lamp of a seat without a screen flashes: count with it."""
    COUNTED = enum.auto()
    END = enum.auto()
    """Such a seat has read its lamp and let go."""
    DONE = enum.auto()


GLOWING: Final = {
    GuideStep.TAP: "tap",
    GuideStep.TURN: "roll",
    GuideStep.HOLD: "hold",
    GuideStep.LOOK: "hold",
    GuideStep.COUNTED: "hold",
}
"""The action of the key that glows in each step."""

SENTENCES: Final = {
    GuideStep.TAP: N_("1 of 3, tap: press `c`. {seat} claims the next dial that moves."),
    GuideStep.TURN: N_("2 of 3, turn: press `r`. It rolls a die for {seat} and turns {square} that many clicks."),
    GuideStep.WAIT: N_("The dial turns, click by click. Wait until it rests."),
    GuideStep.HOLD: N_("3 of 3, hold: press `l`. Only the screen of {seat} shows what lies at {square}."),
    GuideStep.LOOK: N_("That was a turn. Press `l` again: {seat} lets go, and the screen is dark."),
    GuideStep.COUNT: N_("Count with the lamp, flash by flash: the card says what five mean."),
    GuideStep.COUNTED: N_("That was a turn. Press `l` again: {seat} lets go, and the lamp stays dark."),
    GuideStep.END: N_("That was a whole turn. `l` looks again; `?` lists what else there is."),
}
"""What the hint says in each step, with the keys between backticks."""

HOLD_BY_LAMP: Final = N_("3 of 3, hold: press `l`. {seat}'s lamp flashes what lies at {square}.")
OTHER_SEAT: Final = N_("{seat} is in a turn: `{number}` chooses that seat.")


def guidance(step: GuideStep, table: Snapshot, chosen: int, square: str, words: Words) -> str:
    """Return the guide's sentence for the chosen seat and square; empty if the guide is off."""
    number = _player(table, chosen)
    seat = table.seats[number]
    sentence = SENTENCES.get(step, "")
    if step is GuideStep.HOLD and seat.card:
        sentence = HOLD_BY_LAMP
    if sentence and number != chosen and step is not GuideStep.WAIT:
        sentence = OTHER_SEAT
    return words(sentence).format(seat=seat.name, square=seat.square or square, number=number + 1) if sentence else ""


def _player(table: Snapshot, chosen: int) -> int:
    """Return the number of the seat that is in a turn; the chosen one if none is."""
    busy = (n for n, seat in enumerate(table.seats) if seat.claiming is not Claiming.NO or seat.held)
    return next(busy, chosen)


def step_after(before: GuideStep, table: Snapshot) -> GuideStep:
    """Return the step that the table has reached."""
    if before is GuideStep.DONE or table.stage is Stage.ENDED:
        return GuideStep.DONE
    claim = next((seat for seat in table.seats if seat.claiming is not Claiming.NO), None)
    looking = any(seat.held and seat.lit for seat in table.seats)
    exposed = any(square.state not in ("", "CONCEALED") for square in table.squares)
    if before is GuideStep.LOOK or (exposed and looking):
        return GuideStep.LOOK if looking else GuideStep.DONE
    counting = next((seat for seat in table.seats if seat.card and (seat.held or seat.lamp or seat.flashes)), None)
    if exposed and claim is None and counting is not None:
        return _follow_count(before, counting)
    if before is GuideStep.END:
        return GuideStep.DONE
    if claim is None:
        return GuideStep.HOLD if exposed else GuideStep.TAP
    return GuideStep.TURN if claim.claiming is Claiming.OPEN else _bound(table, claim)


def _bound(table: Snapshot, claim: LiveSeat) -> GuideStep:
    own = next((square for square in table.squares if square.label == claim.square), None)
    return GuideStep.WAIT if own is None or own.moving or own.between or own.at_start else GuideStep.HOLD


def _follow_count(before: GuideStep, seat: LiveSeat) -> GuideStep:
    """Return the step of a seat that reads its lamp. A lamp that has begun a word always finishes it."""
    if before is GuideStep.END:
        return GuideStep.DONE if seat.held else GuideStep.END
    if before is not GuideStep.COUNTED and len(seat.flashes) < FLASHES:
        return GuideStep.COUNT
    return GuideStep.COUNTED if seat.held else GuideStep.END
