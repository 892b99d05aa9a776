"""The parts of a game's first event: its seats with their Heroes, its squares, how each dial is read."""

from __future__ import annotations

from typing import Literal

import msgspec

from pi_app.game.figures import HeroSetup
from pi_app.game.lamp_deal import LampCode
from pi_app.game.trap_table import TrapTable
from pi_app.text.sealed import PartlySealed, Sealed

Starts = Literal["found", "printed"]
"""Where the dials of a game start: each where it stands at the deal, or all at their printed marks."""


class DialSetup(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """How a dial is read in this game: the raw angle of each position, 0 to clicks-1, in whole counts. `calibrated`:
    they were learnt from this dial; else they are even. `seated`: counts from a centre within which a dial is seated.
    `tile`: the number of the tile that they were learnt from, if its memory holds one."""

    centres: tuple[int, ...]
    counts_per_turn: int = 4096
    seated: int = 90
    invert: bool = False
    calibrated: bool = False
    tile: str = ""


class SquareSetup(Sealed, msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """One square at the start of a game. Which table it holds is a secret (S-9). Not `absolute`: its dial only counts
    steps from its position at power-up, and has no `dial`.

    `start`: the detent of `dial` that is position 0 in this game, another one than 0 only if the starts are found.
    None: not known yet; a later `Homed` has it. A dial that counts steps has no detent of its own: 0 is where it
    stood."""

    label: str
    table: TrapTable
    absolute: bool = True
    dial: DialSetup | None = None
    start: int | None = 0


class SeatSetup(PartlySealed, msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One seat at the start of a game. What its lamp's patterns mean is its player's secret, unless they are public."""

    _open = ("seat", "name", "language", "heroes")
    _hidden = "lamp"
    seat: str
    name: str
    language: str = "en"
    heroes: tuple[HeroSetup, ...] = ()
    lamp: LampCode = ""
