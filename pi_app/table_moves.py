"""What the rules say of a move that somebody tells the table: an event to record, sentences, or both.

While a square is concealed or exposed everything here depends on its public state alone, never on what it holds
(S-6); so the same dice and the same words are asked for whatever lies there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, get_args

from pi_app import effects
from pi_app import events as ev
from pi_app.displays.words import N_
from pi_app.effects import Note, Outcome
from pi_app.game import Game, Square
from pi_app.rules import SquareState
from pi_app.ruleset import Ability, Ruleset
from pi_app.tables import Trap

Words = Callable[[str], str]
Figure = Literal["hero", "spawn", "mage", "token", "figure"]
"""`spawn`: of the Mage Spawn pool; `mage`: another Mage Spawn; `token`: a wandering monster token; `figure`: any other
that is no Hero."""

OTHERS: Final = ("spawn", "mage", "token", "figure")


@dataclass(frozen=True, slots=True)
class Move:
    """One line: who moves, the words that were added, the numbers in their order. `seat` is a Hero's."""

    verb: str
    square: Square
    figure: Figure
    seat: str | None
    added: frozenset[str]
    numbers: tuple[int, ...]

    @property
    def abilities(self) -> frozenset[Ability]:
        return frozenset(ability for ability in get_args(Ability) if ability in self.added)


@dataclass(frozen=True, slots=True)
class Answer:
    """`event` is to be recorded; `notes` are said. With neither, the move is refused by `refused`."""

    notes: tuple[Note, ...] = ()
    event: ev.Triggered | None = None
    refused: Note | None = None


HELP: Final = ("toughness", "invulnerability", "dodge")
ADDED: Final[Mapping[str, tuple[str, ...]]] = {
    "pass": ("nimble", "flying"),
    "enter": ("flying", "stops", "beside", "pay4", *HELP),
    "hits": ("flying", "shockwave", "again", "pay4", *HELP),
    "start": ("movement", *HELP),
    "shockwave": (),
    "break": (),
}
"""Verb -> the words that may be added."""

NUMBERS: Final[Mapping[str, tuple[int, int, int]]] = {
    "pass": (1, 1, 6),
    "enter": (2, 1, 6),
    "hits": (2, 1, 6),
    "start": (1, 1, 6),
    "shockwave": (1, 2, 40),
    "break": (1, 1, 6),
}
"""Verb -> how many numbers it wants, and from where to where."""

HEROES_ONLY: Final = frozenset({"pass", "hits", "shockwave"})

ARMED_UNSEEN: Final = (SquareState.CONCEALED, SquareState.EXPOSED)

DONE = N_("{square} is disarmed or clear: nothing happens (T-DIS-5, T-EXP-7).")
CORNER_FREE = N_("The corner of {square} is cut without a roll (A-NIM-1, A-FLY-3).")
CORNER_GOOD = N_("A 4 or more at the corner of {square}: the move goes on (T-TRG-3).")
CORNER_BAD = N_("3 or less at the corner of {square}: it is set off, the Hero stands beside it (T-TRG-4).")
CORNER_RUNS = N_("{square} has gone off already: no roll at its corner. If it reaches around, say: enter ... beside")
OVER = N_("It flies over {square} and sets nothing off (A-FLY-1).")
EXEMPT = N_("It sets no trap off (G-1); entering {square} costs 2 speed points (G-3).")
BESIDE = N_("Beside {square} nothing happens: it has not gone off.")
COSTS_TWO = N_("Entering {square} costs 2 speed points (G-2).")
COSTS_ONE = N_("Entering {square} costs as much as clear terrain: it is discovered (L-08).")
GOES_OFF = N_("{square} is set off on entering (T-TRG-1).")
NOT_OFF = N_("{square} has not gone off: nothing happens.")
WAVE_HITS = N_("12 or more: the Shockwave sets {square} off (A-SHW-1).")
WAVE_MISSES = N_("Less than 12: the Shockwave does nothing to {square} (A-SHW-1).")
BREAKS = N_("A 6: it breaks away from the Hand (E-HAND-3).")
HELD = N_("Only a 6 breaks away from the Hand (E-HAND-3).")
NO_HAND = N_("{square} shows no Monstrous Hand (E-HAND-2).")
IN_A_TURN = N_("{name} or {square} is in the middle of a turn; finish that first.")
STANDS_STILL = N_("{square} fires only once: it does not go off again ({rule}).")
SAY_HITS = N_("{square} has gone off: roll two dice, the second for Dodge, and say: hits {square} SEAT DIE DIE")
SAY_AGAIN = N_("{square} was not disarmed: roll two dice and say: hits {square} SEAT again DIE DIE")
FREED = N_("{name} comes back on a square beside {square}, placed by {name} (E-CAGE-5).")
FIGHT = N_("Fight the Jaws of {square} out, then say: jaws {square} harmed or unharmed; unharmed if nobody hits back.")
"""E-JAW-3, E-JAW-8, E-JAW-9."""
CLEAR_GOES_ON = N_("{square} is clear: the move goes on (T-TRG-12).")
CLEAR_ENDS = N_("{square} is clear: the movement ends all the same (T-TRG-12).")


def said(note: Note, words: Words) -> str:
    """One sentence in the table's language."""
    return words(note.words).format(**note.values)


def answer(move: Move, game: Game) -> Answer:
    """What the rules say of it."""
    square, rules = move.square, game.ruleset
    if square.state in (SquareState.DISARMED, SquareState.CLEAR_PUBLIC):
        return Answer((_of(DONE, square),))
    match move.verb:
        case "pass":
            return _pass(move, game)
        case "enter":
            return _enter(move, game)
        case "shockwave":
            if move.numbers[0] < effects.SHOCKWAVE_DEFENCE:
                return Answer((_of(WAVE_MISSES, square),))
            return _sets_off(move, game, "shockwave", _of(WAVE_HITS, square))
    trap = square.trap
    if square.state in ARMED_UNSEEN or trap is None:
        return Answer((_of(NOT_OFF, square),))
    match move.verb:
        case "break":
            if trap is not Trap.MONSTROUS_HAND:
                return Answer((_of(NO_HAND, square),))
            return Answer((_of(BREAKS if effects.breaks_away(move.numbers[0]) else HELD, square),))
        case "start":
            of: Literal["turn", "movement"] = "movement" if "movement" in move.added else "turn"
            dodge = move.numbers[0]
            return Answer(effects.on_start(trap, rules, of=of, dodge=dodge, abilities=move.abilities).notes)
    return Answer(_hits(move, trap, rules).notes)


def _of(words: str, square: Square, **more: object) -> Note:
    return Note(words, {"square": square.label, **more})


def _sets_off(move: Move, game: Game, cause: ev.Cause, why: Note) -> Answer:
    """A Hero sets it off, if the table is free for the turn that a concealed square asks for."""
    square, seat = move.square, move.seat
    if seat is None:
        return Answer((why,))
    wants_a_turn = square.state is SquareState.CONCEALED and not square.unclaimed_turn
    wants_a_turn |= square.state is SquareState.EXPOSED and game.ruleset.trigger_on_exposed == "reroll"
    if wants_a_turn and (game.claim_on(square.label) is not None or game.claim_of(seat) is not None):
        return Answer(refused=_of(IN_A_TURN, square, name=game.seats[seat].name))
    if (still := stands_still(square, game.ruleset)) is not None:
        return Answer((still,))
    return Answer((why,), ev.Triggered(seat=seat, square=square.label, cause=cause))


def stands_still(square: Square, rules: Ruleset) -> Note | None:
    """Why a trap that has gone off does not go off again, or None if it can (L-12)."""
    if square.state is not SquareState.TRIGGERED or square.trap is None:
        return None
    rule = effects.fires_once(square.trap, rules)
    return _of(STANDS_STILL, square, rule=rule) if rule else None


def _pass(move: Move, game: Game) -> Answer:
    square = move.square
    if square.state not in ARMED_UNSEEN:
        return Answer((_of(CORNER_RUNS, square),))
    if move.abilities & {"nimble", "flying"}:
        return Answer((_of(CORNER_FREE, square),))
    if not effects.corner_triggers(move.numbers[0], move.abilities):
        return Answer((_of(CORNER_GOOD, square),))
    return _sets_off(move, game, "diagonal", _of(CORNER_BAD, square))


def _exempt(figure: Figure, rules: Ruleset) -> bool:
    """G-1: who never sets a trap off; other Mage Spawn only if the table says so (L-09)."""
    return figure in ("spawn", "token") or (figure == "mage" and rules.mage_spawn_exempt == "all")


def _enter(move: Move, game: Game) -> Answer:
    square, rules = move.square, game.ruleset
    flies_over = "flying" in move.added and "stops" not in move.added
    if square.state in ARMED_UNSEEN or square.state is SquareState.WITHDRAWN:
        if "beside" in move.added:
            return Answer((_of(BESIDE, square),))
        if flies_over:
            return Answer((_of(OVER, square),))
        if _exempt(move.figure, rules):
            return Answer((_of(EXEMPT, square),))
        found = square.state is SquareState.EXPOSED and rules.hindering_until == "discovered"
        cost = _of(COSTS_ONE if found else COSTS_TWO, square)
        going = _sets_off(move, game, "entered", _of(GOES_OFF, square))
        return going if going.refused else Answer((cost, *going.notes), going.event)
    if square.trap is None:
        return Answer((_of(NOT_OFF, square),))
    damage, dodge = move.numbers
    outcome = effects.on_pass(
        square.trap,
        rules,
        die=damage,
        dodge=dodge,
        abilities=move.abilities,
        paid_toll="pay4" in move.added,
        beside="beside" in move.added,
        ends_there="stops" in move.added,
    )
    return Answer(outcome.notes)


def _hits(move: Move, trap: Trap, rules: Ruleset) -> Outcome:
    damage, dodge = move.numbers
    if "again" in move.added:
        return effects.on_disarm_failed_again(trap, rules, die=damage, dodge=dodge, abilities=move.abilities)
    return effects.on_trigger(
        trap,
        rules,
        die=damage,
        dodge=dodge,
        abilities=move.abilities,
        paid_toll="pay4" in move.added,
        by_shockwave="shockwave" in move.added,
    )


def what_now(before: Game, after: Game) -> tuple[Note, ...]:
    """What the table does next about squares that have just become public."""
    notes = []
    for label, square in after.squares.items():
        was = before.squares.get(label)
        if was is None or was is square:
            continue
        if square.state is SquareState.TRIGGERED and was.state is not SquareState.TRIGGERED:
            notes.append(_of(SAY_HITS, square))
            if square.trap is Trap.JAWS_OF_DOOM:
                notes.append(_of(FIGHT, square))
        elif square.state is SquareState.TRIGGERED and square.attempts > was.attempts:
            notes.append(_of(SAY_AGAIN, square))
        elif was.prisoner is not None and square.prisoner is None:
            notes.append(_of(FREED, square, name=after.seats[was.prisoner].name))
        elif square.state is SquareState.CLEAR_PUBLIC is not was.state:
            notes.append(_of(CLEAR_ENDS if after.ruleset.clear_ends_move else CLEAR_GOES_ON, square))
    return tuple(notes)
