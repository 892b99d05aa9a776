"""Advice on the next step, in one sentence that names the keys. Pure, from public knowledge alone."""

from __future__ import annotations

from typing import Final

from pi_app.simulated.live.keys import ENTER
from pi_app.simulated.live.values import Claiming, LiveSeat, Snapshot, SquareView, Stage
from pi_app.text.language import N_, Words

PULLED: Final = N_("The lead of {square} is pulled: `p` plugs it in, or choose another square.")
CHOOSE: Final = N_("Turn: choose a concealed square with `←` `→`, then `r` rolls and turns its dial.")
EXPOSED: Final = N_("`l` looks again, `d` disarms {square}, `t` triggers it for {seat}; or choose another.")
KNOWN: Final = N_("`l` looks, as everyone may now; `d` disarms {square}; or choose another square.")
DONE: Final = N_("Nothing more happens on {square}: choose another square with `←` `→`.")

ALONE: Final = {
    PULLED: N_("The lead of {square} is pulled: `p` plugs it in."),
    CHOOSE: N_("There is no concealed square to turn. `c` takes the tap back."),
    EXPOSED: N_("`l` looks again, `d` disarms {square}, `t` triggers it for {seat}."),
    KNOWN: N_("`l` looks, as everyone may now; `d` disarms {square}."),
    DONE: N_("Nothing more happens on {square}."),
}
"""What is said instead at a table with one square, where no other can be chosen."""


def advice(table: Snapshot, seat: LiveSeat, square: SquareView, words: Words) -> str:
    """Return the sentence for the chosen seat and square, with the keys between backticks."""
    told = _advice(table, seat, square)
    sentence = words(told if len(table.squares) > 1 else ALONE.get(told, told))
    for key in ("d", "t"):  # they write a command, which Enter confirms
        sentence = sentence.replace(f"`{key}`", f"`{key}{ENTER}`")
    other = next((s.name for s in table.seats if s.claiming is Claiming.OPEN and s is not seat), "")
    return sentence.format(
        seat=seat.name, square=square.label, own=seat.square, other=other, faults=", ".join(square.faults)
    )


def _advice(table: Snapshot, seat: LiveSeat, square: SquareView) -> str:
    if table.stage is Stage.STARTING:
        return N_("The dials are being read for the first time.")
    if table.stage is Stage.ENDED:
        return N_("The game is over: `n` has every dial turned back and begins another.")
    if seat.claiming is not Claiming.NO:
        return _in_a_turn(table, seat, square)
    if not square.plugged:
        return N_("The lead of {square} is pulled; the other dials still work. `p` plugs it in.")
    if square.faults:
        return N_("{square} has a fault ({faults}): `f` shows it and clears it.")
    if seat.held:
        return N_("{seat} holds the button and sees what this seat may see: `l` releases it.")
    if any(other.claiming is Claiming.OPEN for other in table.seats):
        return N_("{other} turns a dial first; then `c` taps for {seat}.")
    return _between_turns(square)


def _in_a_turn(table: Snapshot, seat: LiveSeat, square: SquareView) -> str:
    own = next((s for s in table.squares if s.label == seat.square), None)
    if own is None:
        if not square.plugged:
            return PULLED
        if square.state == "CONCEALED":
            return N_("Turn: `r` rolls a die for {seat} and turns {square} by it. `c` takes the tap back.")
        return CHOOSE
    if not own.plugged:
        return N_("The lead of {own} is pulled in mid-turn: choose it, and `p` plugs it in.")
    if own.moving:
        return N_("{seat} turns {own}, click by click.")
    if own.between:
        return N_("{own} is between two clicks: choose it, and `b` turns it to one.")
    if own.at_start:
        return N_("Turn: choose {own}, then `r` rolls a die and turns it.")
    if seat.held:
        return N_("{seat} holds the button and sees what this seat may see: `l` releases it.")
    return N_("Hold: `l` presses the button and shows {own} to {seat} alone.")


def _between_turns(square: SquareView) -> str:
    if square.moving:
        return N_("{square} is being turned without a claim.")
    if square.between:
        return N_("{square} is between two clicks: `b` turns it to one.")
    if square.state == "CONCEALED":
        return N_("Tap: `c` taps {seat}'s button and claims the next dial that moves.")
    if square.state == "EXPOSED":
        return EXPOSED
    if square.state in ("TRIGGERED", "WITHDRAWN"):
        return KNOWN
    return DONE
