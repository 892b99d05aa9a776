"""The guide through the first turn: which step the table is at, and which key to press next. Pure."""

from __future__ import annotations

import enum
from typing import Final

from pi_app.simulated.live.values import Claiming, LiveSeat, Snapshot
from pi_app.text.language import N_


class GuideStep(enum.Enum):
    """The steps of the first turn, in order."""

    TAP = enum.auto()
    TURN = enum.auto()
    WAIT = enum.auto()
    """The dial is turning."""
    HOLD = enum.auto()
    LOOK = enum.auto()
    """A face is shown: compare it with what the others see."""
    DONE = enum.auto()


GLOWING: Final = {GuideStep.TAP: "tap", GuideStep.TURN: "roll", GuideStep.HOLD: "hold", GuideStep.LOOK: "hold"}
"""The action of the key that glows in each step."""

SENTENCES: Final = {
    GuideStep.TAP: N_("1 of 3, tap: press `c`. {seat} claims the next dial that moves."),
    GuideStep.TURN: N_("2 of 3, turn: press `r`. It rolls a die for {seat} and turns {square} that many clicks."),
    GuideStep.WAIT: N_("The dial turns, click by click. Wait until it rests."),
    GuideStep.HOLD: N_("3 of 3, hold: press `l`. Only the screen of {seat} shows what lies at {square}."),
    GuideStep.LOOK: N_("That was a turn. Press `l` again: {seat} lets go, and the screen is dark."),
}
"""What the hint says in each step, with the keys between backticks."""


def step_after(before: GuideStep, table: Snapshot) -> GuideStep:
    """Return the step that the table has reached."""
    if before is GuideStep.DONE:
        return GuideStep.DONE
    looking = any(seat.held and seat.lit for seat in table.seats)
    exposed = any(square.state not in ("", "CONCEALED") for square in table.squares)
    if before is GuideStep.LOOK or (exposed and looking):
        return GuideStep.LOOK if looking else GuideStep.DONE
    claim = next((seat for seat in table.seats if seat.claiming is not Claiming.NO), None)
    if claim is None:
        return GuideStep.HOLD if exposed else GuideStep.TAP
    return GuideStep.TURN if claim.claiming is Claiming.OPEN else _bound(table, claim)


def _bound(table: Snapshot, claim: LiveSeat) -> GuideStep:
    own = next((square for square in table.squares if square.label == claim.square), None)
    return GuideStep.WAIT if own is None or own.moving or own.between or own.at_start else GuideStep.HOLD
