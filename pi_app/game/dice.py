"""Which dice a move needs: only those that decide something. Pure.

The dice depend on public facts alone. While a square is concealed or exposed they are the same whatever lies there
(S-6).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, get_args

from pi_app.game import effects
from pi_app.game import events as ev
from pi_app.game.effects import TRAPS, Hurt
from pi_app.game.figures import without
from pi_app.game.objections import ARMED_UNSEEN, fires_no_more
from pi_app.game.rules import PUBLIC_STATES, SquareState
from pi_app.game.ruleset import Ability
from pi_app.game.state import Game, Square
from pi_app.game.trap_table import Trap
from pi_app.text.language import N_

Die = Literal["corner", "damage", "dodge", "attack", "second", "away"]
Dice = tuple[Die, ...]

ATTACK: Final = range(31)
"""Attack values of a Shockwave."""

DICE_WORDS: Final[Mapping[Dice, str]] = {
    (): N_("no die"),
    ("corner",): N_("one die"),
    ("away",): N_("one die"),
    ("damage",): N_("one die for damage"),
    ("dodge",): N_("one die for Dodge"),
    ("damage", "dodge"): N_("one die for damage and one for Dodge"),
    ("attack", "second"): N_("two dice and the attack value"),
}
"""Dice -> how sentences name them."""


def dice_of(move: ev.Moved, game: Game) -> Dice:
    """The dice that decide something about this move, in the order in which they are typed."""
    square = game.squares[move.square]
    trap = square.trap if square.state is SquareState.TRIGGERED or move.verb == "hits" else None
    able = abilities(move, game)
    match move.verb:
        case "pass":
            free = square.state not in ARMED_UNSEEN or able & {"nimble", "flying"}
            return () if free else ("corner",)
        case "shockwave":
            return ("attack", "second") if _can_go_off(square, game) else ()
        case "break":
            return ("away",) if trap is Trap.MONSTROUS_HAND else ()
        case "enter" if trap is not None:
            if "flying" in able and "stops" not in move.added:
                return ()
            safe = trap is Trap.SPIKED_PIT and "pay4" in move.added
            row = TRAPS[trap]
            return () if safe else _against(trap, row.beside if "beside" in move.added else row.crossing, able, game)
        case "start" if trap is not None:
            of = "movement" if "movement" in move.added else "turn"
            return _against(trap, TRAPS[trap].start if game.ruleset.acid_start == of else None, able, game)
        case "hits" if trap is not None and square.hits is not None:
            safe = "pay4" in square.hits.added and game.ruleset.pit_pay4 == "always"
            return () if safe and trap is Trap.SPIKED_PIT else _against(trap, TRAPS[trap].first, able, game)
        case _:
            return ()


def words_of(move: ev.Moved, game: Game) -> tuple[str, ...]:
    """The words that change the effect: those of this move, and of the one that it completes."""
    square = game.squares[move.square]
    before = square.hits.added if move.verb == "hits" and square.hits is not None else ()
    return tuple(dict.fromkeys((*before, *move.added)))


def disarm_dice(square: Square, game: Game) -> int:
    """How many dice an attempt needs: the third fixes an open number. Until the square is public it is always rolled:
    asking for it only then would reveal what is printed (T-DIS-6)."""
    face = square.face
    if square.state not in PUBLIC_STATES or face is None or face.disarm is None:
        return 3
    return 3 if face.disarm.variable and square.value is None and face.trap is not Trap.MONSTROUS_HAND else 2


def _can_go_off(square: Square, game: Game) -> bool:
    armed = square.state in ARMED_UNSEEN or square.state is SquareState.WITHDRAWN
    return armed and not fires_no_more(square, game.ruleset)


def abilities(move: ev.Moved, game: Game) -> frozenset[Ability]:
    """The abilities that count for this move: typed with it, and those of its Hero."""
    typed = words_of(move, game)
    able = frozenset(each for each in get_args(Ability) if each in typed) | game.abilities_of(move.who)
    return able - without(typed)


def _against(trap: Trap, hurt: Hurt | None, able: frozenset[Ability], game: Game) -> Dice:
    """The dice of one damage: how much it is, and whether the figure dodges it."""
    if hurt is None:
        return ()
    damage: Dice = ("damage",) if hurt.by_die else ()
    dodges = "dodge" in able and effects.may_dodge(trap, game.ruleset)
    return (*damage, "dodge") if dodges else damage
