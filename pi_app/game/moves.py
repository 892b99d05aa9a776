"""Resolve a typed move by the rules: sentences, and an event if it sets a trap off.

While a square is concealed or exposed everything depends on its public state alone, never on its content (S-6), so the
same dice and words are required whatever lies there. A refusal never depends on a die: no player rolls until the number
suits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, get_args

from pi_app.game import effects
from pi_app.game import events as ev
from pi_app.game.effects import TrapOutcome
from pi_app.game.note import Note
from pi_app.game.objections import ARMED_UNSEEN, FIRES_ONCE, SIDES, entering, fires_no_more, note_on
from pi_app.game.rules import DIE, SquareState
from pi_app.game.ruleset import Ability, Ruleset
from pi_app.game.state import Game, Square
from pi_app.game.trap_table import Trap
from pi_app.text.language import N_

OTHERS: Final = ("spawn", "mage", "token", "figure")
"""Who moves besides Heroes. `spawn`: of the Mage Spawn pool, or summoned by a Hero (Q-28); `mage`: another Mage Spawn;
`token`: a wandering monster token; `figure`: any other that is no Hero. The Jaws walk nowhere (E-JAW-3)."""


@dataclass(frozen=True, slots=True)
class MoveResult:
    """`event` is recorded after the move; `notes` are shown. With neither, `refused` says why the move is refused."""

    notes: tuple[Note, ...] = ()
    event: ev.Triggered | None = None
    refused: Note | None = None


HELP: Final = ("toughness", "invulnerability", "dodge")
ADDED: Final[Mapping[ev.Verb, tuple[str, ...]]] = {
    "pass": ("nimble", "flying", *SIDES),
    "enter": ("flying", "stops", "beside", "pay4", *HELP),
    "hits": ("flying", "shockwave", "again", "pay4", *HELP),
    "start": ("movement", *HELP),
    "shockwave": (),
    "break": (),
}
"""Verb -> its optional words."""

ATTACK: Final = range(31)
"""Attack values of a Shockwave."""

NUMBERS: Final[Mapping[ev.Verb, tuple[range, ...]]] = {
    "pass": (DIE,),
    "enter": (DIE, DIE),
    "hits": (DIE, DIE),
    "start": (DIE,),
    "shockwave": (DIE, DIE, ATTACK),
    "break": (DIE,),
}
"""Verb -> its numbers, dice first."""

HEROES_ONLY: Final = frozenset({"pass", "hits", "shockwave"})


DONE = N_("{square} is disarmed or clear: nothing happens (T-DIS-5, T-EXP-7).")
CAGE_STAYS = N_("{square} is disarmed: nothing happens. The open Cage costs 2 speed points to enter (E-CAGE-6).")
CORNER_FREE = N_("The corner of {square} is cut without a roll (A-NIM-1, A-FLY-3).")
CORNER_GOOD = N_("A 4 or more at the corner of {square}: the move continues (T-TRG-3).")
CORNER_BAD = N_("3 or less at the corner of {square}: it is set off, the Hero stands beside it (T-TRG-4).")
CORNER_RUNS = N_(
    "{square} has already gone off: no corner roll. If it affects squares around it, type: enter ... beside"
)
OVER = N_("The figure flies over {square} and does not set it off (A-FLY-1).")
EXEMPT = N_("This figure sets off no trap (G-1); entering {square} costs 2 speed points (G-3).")
BESIDE = N_("Beside {square} nothing happens: it has not gone off.")
COSTS = N_("Speed points for entering {square}: {cost} ({rule}).")
COSTS_ONE = N_("Entering {square} costs as much as clear terrain: it is discovered (L-08).")
GOES_OFF = N_("{square} is set off on entering (T-TRG-1).")
NOT_OFF = N_("{square} has not gone off: nothing happens.")
WAVE_HITS = N_("12 or more: the Shockwave sets {square} off (A-SHW-1).")
WAVE_MISSES = N_("Less than 12: the Shockwave does nothing to {square} (A-SHW-1).")
BREAKS = N_("A 6: the figure breaks away from the Hand (E-HAND-3).")
HELD = N_("Only a 6 breaks away from the Hand (E-HAND-3).")
NO_HAND = N_("{square} shows no Monstrous Hand (E-HAND-2).")
IN_A_TURN = N_("{name} or {square} is in the middle of a turn; finish that first (S-2).")
TYPE_HITS = N_("{square} has gone off: roll two dice, the second for Dodge, and type: hits {square} SEAT DIE DIE")
TYPE_AGAIN = N_("{square} was not disarmed: roll two dice and type: hits {square} SEAT again DIE DIE")
FREED = N_("{name} comes back on a square beside {square}, placed by {name} (E-CAGE-5).")
FIGHT = N_("Fight the Jaws of {square}, then type: jaws {square} harmed or unharmed; unharmed without a counterattack.")
"""E-JAW-8, E-JAW-9."""
OWED = N_("After that, {name} gains {xp} experience (R-XP-3).")
CLEAR_GOES_ON = N_("{square} is clear: the move continues (T-TRG-12).")
CLEAR_ENDS = N_("{square} is clear, but the movement ends (T-TRG-12).")


def resolve(move: ev.Moved, game: Game) -> MoveResult:
    """Resolve a move in the game before it. A trap is dangerous until it is disarmed (T-EXP-6)."""
    square, rules = game.squares[move.square], game.ruleset
    if square.state in (SquareState.DISARMED, SquareState.CLEAR_PUBLIC):
        cage = move.verb == "enter" and entering(square, move, rules)[1] == "E-CAGE-6"
        return MoveResult((note_on(CAGE_STAYS if cage else DONE, square),))
    match move.verb:
        case "pass":
            return _pass(move, square, game)
        case "enter":
            return _enter(move, square, game)
        case "shockwave":
            return _shockwave(move, square, game)
    trap = square.trap
    if square.state in ARMED_UNSEEN or trap is None:
        return MoveResult((note_on(NOT_OFF, square),))
    match move.verb:
        case "break":
            if trap is not Trap.MONSTROUS_HAND:
                return MoveResult((note_on(NO_HAND, square),))
            return MoveResult((note_on(BREAKS if effects.breaks_away(move.numbers[0]) else HELD, square),))
        case "start":
            of: Literal["turn", "movement"] = "movement" if "movement" in move.added else "turn"
            dodge = move.numbers[0]
            return MoveResult(effects.on_start(trap, rules, of=of, dodge=dodge, abilities=abilities(move)).notes)
    return MoveResult(_hits(move, trap, rules).notes)


def abilities(move: ev.Moved) -> frozenset[Ability]:
    """The figure's abilities, as typed."""
    return frozenset(ability for ability in get_args(Ability) if ability in move.added)


def in_a_turn(square: Square, seat: str, game: Game) -> Note | None:
    """Why this seat cannot set the square off now: its dial would have to be turned during another turn, and with two
    turns at once a player could see what another turned."""
    wants_a_turn = square.state is SquareState.CONCEALED and not square.unclaimed_turn
    wants_a_turn |= square.state is SquareState.EXPOSED and game.ruleset.trigger_on_exposed == "reroll"
    if wants_a_turn and (game.claim_on(square.label) is not None or game.claim_of(seat) is not None):
        return note_on(IN_A_TURN, square, name=game.seats[seat].name)
    return None


def _sets_off(move: ev.Moved, square: Square, game: Game, cause: ev.Cause, why: Note) -> MoveResult:
    """A Hero sets it off. For another figure only the sentence is shown; the player who moved it turns the dial."""
    if move.who not in game.seats:
        return MoveResult((why,))
    if (rule := fires_no_more(square, game.ruleset)) != "":
        return MoveResult((note_on(FIRES_ONCE, square, rule=rule),))
    return MoveResult((why,), ev.Triggered(seat=move.who, square=square.label, cause=cause))


def _pass(move: ev.Moved, square: Square, game: Game) -> MoveResult:
    if square.state not in ARMED_UNSEEN:
        return MoveResult((note_on(CORNER_RUNS, square),))
    if abilities(move) & {"nimble", "flying"}:
        return MoveResult((note_on(CORNER_FREE, square),))
    if (busy := in_a_turn(square, move.who, game)) is not None:
        return MoveResult(refused=busy)
    if not effects.corner_triggers(move.numbers[0], abilities(move)):
        return MoveResult((note_on(CORNER_GOOD, square),))
    return _sets_off(move, square, game, "diagonal", note_on(CORNER_BAD, square))


def _shockwave(move: ev.Moved, square: Square, game: Game) -> MoveResult:
    if (busy := in_a_turn(square, move.who, game)) is not None:
        return MoveResult(refused=busy)
    if sum(move.numbers) < effects.SHOCKWAVE_DEFENCE:
        return MoveResult((note_on(WAVE_MISSES, square),))
    return _sets_off(move, square, game, "shockwave", note_on(WAVE_HITS, square))


def _exempt(who: str, rules: Ruleset) -> bool:
    """G-1: figures that never set a trap off; other Mage Spawn only if this table plays so (L-09)."""
    return who in effects.EXEMPT or (who == "mage" and rules.mage_spawn_exempt == "all")


def _enter(move: ev.Moved, square: Square, game: Game) -> MoveResult:
    rules = game.ruleset
    flies_over = "flying" in move.added and "stops" not in move.added
    if square.state in ARMED_UNSEEN or square.state is SquareState.WITHDRAWN:
        if "beside" in move.added:
            return MoveResult((note_on(BESIDE, square),))
        if flies_over:
            return MoveResult((note_on(OVER, square),))
        if _exempt(move.who, rules):
            return MoveResult((note_on(EXEMPT, square),))
        if move.who in game.seats and (busy := in_a_turn(square, move.who, game)) is not None:
            return MoveResult(refused=busy)
        cost, rule = entering(square, move, rules)
        costs = note_on(COSTS_ONE, square) if rule == "L-08" else note_on(COSTS, square, cost=cost, rule=rule)
        going = _sets_off(move, square, game, "entered", note_on(GOES_OFF, square))
        return MoveResult((costs, *going.notes), going.event)
    if square.trap is None:
        return MoveResult((note_on(NOT_OFF, square),))
    damage, dodge = move.numbers
    outcome = effects.on_pass(
        square.trap,
        rules,
        die=damage,
        dodge=dodge,
        abilities=abilities(move),
        paid_toll="pay4" in move.added,
        beside="beside" in move.added,
        ends_there="stops" in move.added,
    )
    return MoveResult(outcome.notes)


def _hits(move: ev.Moved, trap: Trap, rules: Ruleset) -> TrapOutcome:
    damage, dodge = move.numbers
    if "again" in move.added:
        return effects.on_disarm_failed_again(trap, rules, die=damage, dodge=dodge, abilities=abilities(move))
    return effects.on_trigger(
        trap,
        rules,
        die=damage,
        dodge=dodge,
        abilities=abilities(move),
        paid_toll="pay4" in move.added,
        by_shockwave="shockwave" in move.added,
    )


def what_now(before: Game, after: Game) -> tuple[Note, ...]:
    """The next steps for squares that have just become public."""
    notes = []
    for label, square in after.squares.items():
        was = before.squares.get(label)
        if was is None or was is square:
            continue
        if square.state is SquareState.TRIGGERED and was.state is not SquareState.TRIGGERED:
            notes.append(note_on(TYPE_HITS, square))
            if square.trap is Trap.JAWS_OF_DOOM:
                notes.append(note_on(FIGHT, square))
            if square.owed is not None:
                notes.append(note_on(OWED, square, name=after.seats[square.owed].name, xp=effects.TRIGGER_XP))
        elif square.state is SquareState.TRIGGERED and square.attempts > was.attempts:
            notes.append(note_on(TYPE_AGAIN, square))
        elif was.prisoner is not None and square.prisoner is None:
            notes.append(note_on(FREED, square, name=after.seats[was.prisoner].name))
        elif square.state is SquareState.CLEAR_PUBLIC is not was.state:
            notes.append(note_on(CLEAR_ENDS if after.ruleset.clear_ends_move else CLEAR_GOES_ON, square))
    return tuple(notes)
