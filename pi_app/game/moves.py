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
from pi_app.game.abilities import helps_against
from pi_app.game.dice import DICE_WORDS, abilities, dice_of, words_of
from pi_app.game.note import Note
from pi_app.game.objections import ARMED_UNSEEN, FIRES_ONCE, SIDES, entering, fires_no_more, knows, note_on
from pi_app.game.rules import SquareState
from pi_app.game.ruleset import Ability
from pi_app.game.state import Game, Hit, Square
from pi_app.game.trap_table import Trap
from pi_app.text.language import N_


@dataclass(frozen=True, slots=True)
class MoveResult:
    """`event` is recorded after the move; `notes` are shown. With neither, `refused` says why the move is refused."""

    notes: tuple[Note, ...] = ()
    event: ev.Triggered | None = None
    refused: Note | None = None


HELP: Final[tuple[Ability, ...]] = ("toughness", "invulnerability", "dodge")
ADDED: Final[Mapping[ev.Verb, tuple[str, ...]]] = {
    "pass": ("nimble", "flying", "carrying", *SIDES),
    "enter": ("flying", "stops", "beside", "pay4", *HELP),
    "hits": HELP,
    "start": ("movement", *HELP),
    "shockwave": (),
    "break": (),
}
"""Verb -> its optional words."""

HEROES_ONLY: Final = frozenset({"pass", "shockwave"})


DONE = N_("{square} is disarmed or clear: nothing happens (T-DIS-5, T-EXP-7).")
CAGE_STAYS = N_("{square} is disarmed: nothing happens. The open Cage costs 2 speed points to enter (E-CAGE-6).")
CORNER_FREE = N_("The corner of {square} is cut without a roll (A-NIM-1, A-FLY-3).")
CORNER_GOOD = N_("A 4 or more at the corner of {square}: the move continues (T-TRG-3).")
CORNER_BAD = N_("3 or less at the corner of {square}: it is set off, the Hero stands beside it (T-TRG-4).")
CORNER_RUNS = N_("{square} has already gone off: no corner roll. If it affects squares around it, type: {line}")
OVER = N_("The figure flies over {square} and does not set it off (A-FLY-1).")
EXEMPT = N_("This figure sets off no trap (G-1); entering {square} costs 2 speed points (G-3).")
BESIDE = N_("Beside {square} nothing happens: it has not gone off.")
COSTS = N_("Speed points for entering {square}: {cost} ({rule}).")
COSTS_ONE = N_("Entering {square} costs as much as clear terrain: it is discovered (L-08).")
GOES_OFF = N_("{square} is set off on entering (T-TRG-1).")
NOT_OFF = N_("{square} has not gone off: nothing happens.")
WAVE_HITS = N_("12 or more: the Shockwave sets {square} off (A-SHW-1).")
WAVE_IDLE = N_("{square} has already gone off: a Shockwave changes nothing there (A-SHW-1).")
WAVE_MISSES = N_("Less than 12: the Shockwave does nothing to {square} (A-SHW-1).")
BREAKS = N_("A 6: the figure breaks away from the Hand (E-HAND-3).")
HELD = N_("Only a 6 breaks away from the Hand (E-HAND-3).")
NO_HAND = N_("{square} shows no Monstrous Hand (E-HAND-2).")
IN_A_TURN = N_("{name} or {square} is in the middle of a turn; finish that first (S-2).")
ENTERS = N_("{name} steps onto {square}, which its player knows (T-TRG-16).")
WHOSE = N_("That figure can set {square} off: name the player who moves it. Type: {line}")
FREED = N_("The Cage of {square} is open: {name} comes back on a square beside it, placed by its player (E-CAGE-5).")
HITS = N_("{square} hits {name}: {dice}. Type: {line}")
HITS_AT_ONCE = N_("{square} hits {name}. No die is needed. Type: {line}")
ADD_ABILITY = N_("If an ability helps that figure against {square}, name it, as in: {line}")
TO_THE_MARK = N_("Turn the dial of {square} to its disarmed mark, in either direction, without a claim (T-DIS-5).")
FIGHT = N_("Fight the Jaws of {square}, then type: {harmed}, or: {unharmed}; without a counterattack it is unharmed.")
"""E-JAW-8, E-JAW-9."""
OWED = N_("After that, {name} gains {xp} experience (R-XP-3).")
CLEAR_GOES_ON = N_("{square} is clear: the move continues (T-TRG-12).")
CLEAR_ENDS = N_("{square} is clear, but the movement ends (T-TRG-12).")


def resolve(move: ev.Moved, game: Game) -> MoveResult:
    """Resolve a move in the game before it. A trap is dangerous until it is disarmed (T-EXP-6)."""
    square, rules = game.squares[move.square], game.ruleset
    if move.verb != "hits" and square.state in (SquareState.DISARMED, SquareState.CLEAR_PUBLIC):
        cage = move.verb == "enter" and entering(square, move, rules)[1] == "E-CAGE-6"
        return MoveResult((note_on(CAGE_STAYS if cage else DONE, square),))
    match move.verb:
        case "hits":
            return _hits(move, square, game)
        case "pass":
            return _pass(move, square, game)
        case "enter":
            return _enter(move, square, game)
        case "shockwave":
            return _shockwave(move, square, game)
    trap = square.trap
    if square.state in ARMED_UNSEEN or trap is None:
        return MoveResult((note_on(NOT_OFF, square),))
    if move.verb == "break":
        if trap is not Trap.MONSTROUS_HAND:
            return MoveResult((note_on(NO_HAND, square),))
        return MoveResult((note_on(BREAKS if effects.breaks_away(_die(move, game, "away")) else HELD, square),))
    of: Literal["turn", "movement"] = "movement" if "movement" in move.added else "turn"
    dodge, able = _thrown(move, game).get("dodge"), abilities(move, game)
    return MoveResult(effects.on_start(trap, rules, of=of, dodge=dodge, abilities=able).notes)


def _thrown(move: ev.Moved, game: Game) -> Mapping[str, int]:
    """Die -> the number thrown."""
    return dict(zip(dice_of(move, game), move.numbers, strict=False))


def _die(move: ev.Moved, game: Game, die: str) -> int:
    return _thrown(move, game).get(die, 1)


def in_a_turn(square: Square, seat: str, game: Game) -> Note | None:
    """Why this seat cannot set the square off now: its dial would have to be turned during another turn, and with two
    turns at once a player could see what another turned."""
    wants_a_turn = square.state is SquareState.CONCEALED and not square.unclaimed_turn
    wants_a_turn |= square.state is SquareState.EXPOSED and game.ruleset.trigger_on_exposed == "reroll"
    if wants_a_turn and (game.claim_on(square.label) is not None or game.claim_of(seat) is not None):
        return note_on(IN_A_TURN, square, name=game.seats[seat].name)
    return None


def _sets_off(move: ev.Moved, square: Square, game: Game, cause: ev.Cause, *why: Note) -> MoveResult:
    """A figure sets it off. The player who moved it turns the dial."""
    seat = move.by or game.seat_of(move.who)
    if seat is None:
        line = " ".join(("enter", square.label, move.who, "SEAT"))
        return MoveResult(refused=Note(WHOSE, {"square": square.label}, {}, {"line": line}))
    if (busy := in_a_turn(square, seat, game)) is not None:
        return MoveResult(refused=busy)
    if (rule := fires_no_more(square, game.ruleset)) != "":
        return MoveResult((note_on(FIRES_ONCE, square, rule=rule),))
    figure = "" if move.who == seat else move.who
    event = ev.Triggered(
        seat=seat, square=square.label, cause=cause, figure=figure, added=words_of(move, game), by_move=True
    )
    return MoveResult(why, event)


def _pass(move: ev.Moved, square: Square, game: Game) -> MoveResult:
    if square.state not in ARMED_UNSEEN:
        line = f"enter {square.label} {move.who} beside"
        return MoveResult((Note(CORNER_RUNS, {"square": square.label}, {}, {"line": line}),))
    if abilities(move, game) & {"nimble", "flying"}:
        return MoveResult((note_on(CORNER_FREE, square),))
    going = _sets_off(move, square, game, "diagonal", note_on(CORNER_BAD, square))
    if going.refused is None and not effects.corner_triggers(_die(move, game, "corner"), frozenset()):
        return MoveResult((note_on(CORNER_GOOD, square),))
    return going


def _shockwave(move: ev.Moved, square: Square, game: Game) -> MoveResult:
    if not dice_of(move, game):
        return MoveResult((note_on(WAVE_IDLE, square),))
    going = _sets_off(move, square, game, "shockwave", note_on(WAVE_HITS, square))
    if going.refused is None and sum(move.numbers) < effects.SHOCKWAVE_DEFENCE:
        return MoveResult((note_on(WAVE_MISSES, square),))
    return going


def _enter(move: ev.Moved, square: Square, game: Game) -> MoveResult:
    rules, able = game.ruleset, abilities(move, game)
    flies_over = "flying" in move.added and "stops" not in move.added
    if square.state in ARMED_UNSEEN or square.state is SquareState.WITHDRAWN:
        if "beside" in move.added:
            return MoveResult((note_on(BESIDE, square),))
        if flies_over:
            return MoveResult((note_on(OVER, square),))
        if effects.exempt(move.who, rules):
            return MoveResult((note_on(EXEMPT, square),))
        if knows(game, move.who, square):
            values, marked = game.figure_in(move.who)
            return _sets_off(move, square, game, "entered", Note(ENTERS, {"square": square.label, **values}, marked))
        cost, rule = entering(square, move, rules)
        costs = note_on(COSTS_ONE, square) if rule == "L-08" else note_on(COSTS, square, cost=cost, rule=rule)
        told = (costs, note_on(GOES_OFF, square)) if cost else (note_on(GOES_OFF, square),)
        return _sets_off(move, square, game, "entered", *told)
    if square.trap is None:
        return MoveResult((note_on(NOT_OFF, square),))
    thrown = _thrown(move, game)
    outcome = effects.on_pass(
        square.trap,
        rules,
        die=thrown.get("damage"),
        dodge=thrown.get("dodge"),
        abilities=able,
        paid_toll="pay4" in move.added,
        beside="beside" in move.added,
        ends_there="stops" in move.added,
    )
    return MoveResult(outcome.notes)


def _hits(move: ev.Moved, square: Square, game: Game) -> MoveResult:
    """The effect on the figure that set it off, with the words of the move that did it."""
    if square.trap is None or square.hits is None:
        return MoveResult((note_on(NOT_OFF, square),))
    thrown = _thrown(move, game)
    outcome = effects.on_trigger(
        square.trap,
        game.ruleset,
        die=thrown.get("damage"),
        dodge=thrown.get("dodge"),
        abilities=abilities(move, game),
        paid_toll="pay4" in square.hits.added,
    )
    return MoveResult(outcome.notes)


def what_now(before: Game, after: Game, event: ev.AnyEvent) -> tuple[Note, ...]:
    """The effects of squares that this event made public, and the next steps there."""
    notes: list[Note] = []
    for label, square in after.squares.items():
        was = before.squares.get(label)
        if was is None or was is square:
            continue
        if square.state is SquareState.TRIGGERED and was.state is not SquareState.TRIGGERED:
            notes += _went_off(square, before, after, event)
        elif square.state is SquareState.TRIGGERED and square.attempts > was.attempts:
            notes += _failed_again(square, after)
        elif square.state is SquareState.DISARMED and was.state is not SquareState.DISARMED:
            notes.append(note_on(TO_THE_MARK, square))
        elif square.state is SquareState.CLEAR_PUBLIC is not was.state:
            notes.append(note_on(CLEAR_ENDS if after.ruleset.clear_ends_move else CLEAR_GOES_ON, square))
        if was.prisoner is not None and square.prisoner is None:
            values, marked = after.figure_in(was.prisoner)
            notes.append(Note(FREED, {"square": label, **values}, marked))
    return tuple(notes)


def _went_off(square: Square, before: Game, after: Game, event: ev.AnyEvent) -> list[Note]:
    """A trap has gone off: the prompt for its damage, or its whole effect if no die decides it."""
    notes = [Note(OWED, {"name": after.seats[square.owed].name, "xp": effects.TRIGGER_XP})] if square.owed else []
    if square.hits is not None:
        return [*prompts(square, after), *notes]
    if square.trap is None:
        return []
    hit = _figure_behind(before, event)
    able = frozenset() if hit is None else _named(hit.added) | after.abilities_of(hit.figure)
    outcome = effects.on_trigger(square.trap, after.ruleset, die=1, abilities=able, by_shockwave=hit is None)
    told = list(outcome.notes)
    if square.trap is Trap.JAWS_OF_DOOM:
        lines = {word: f"jaws {square.label} {word}" for word in ("harmed", "unharmed")}
        told.append(Note(FIGHT, {"square": square.label}, {}, lines))
    return [*told, *notes]


def _figure_behind(before: Game, event: ev.AnyEvent) -> Hit | None:
    """The figure that set the trap off; None after a Shockwave."""
    if isinstance(event, ev.Turned):
        claim = None if event.seat is None else before.claim_of(event.seat)
        by_wave = claim is not None and claim.cause == "shockwave"
        return None if by_wave else Hit(event.seat or "") if claim is None or claim.hit is None else claim.hit
    if isinstance(event, ev.Triggered) and event.cause != "shockwave":
        return Hit(ev.figure_of(event), event.added)
    return Hit(ev.figure_of(event)) if isinstance(event, ev.DisarmTried) else None


def _failed_again(square: Square, after: Game) -> list[Note]:
    """A failed attempt at a trap that had gone off before (Q-14)."""
    if square.hits is not None:
        return [*prompts(square, after)]
    return [] if square.trap is None else [*effects.on_disarm_failed_again(square.trap, after.ruleset).notes]


def _named(added: tuple[str, ...]) -> frozenset[Ability]:
    return frozenset(ability for ability in get_args(Ability) if ability in added)


def prompts(square: Square, game: Game) -> tuple[Note, ...]:
    """What to type now that a trap hits a figure: the dice that decide something, and no others."""
    if square.hits is None:
        return ()
    hits = ev.Moved(square=square.label, verb="hits", who=square.hits.figure)
    dice = dice_of(hits, game)
    values, marked = game.figure_in(square.hits.figure)
    line = " ".join(("hits", square.label, *("DIE" for _ in dice)))
    message = HITS if dice else HITS_AT_ONCE
    told = Note(message, {"square": square.label, **values}, {"dice": DICE_WORDS[dice], **marked}, {"line": line})
    if square.hits.figure in game.heroes or square.trap is None:
        return (told,)
    helping = [each for each in HELP if square.trap in helps_against(each, game.ruleset)]
    if not helping:
        return (told,)
    added = " ".join(("hits", square.label, helping[-1], *("DIE" for _ in dice)))
    added += " DIE" if helping[-1] == "dodge" else ""
    return (told, Note(ADD_ABILITY, {"square": square.label}, {}, {"line": added}))
