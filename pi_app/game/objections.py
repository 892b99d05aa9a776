"""The rules' objection to a typed event: the sentence that refuses it, and the finding if it happened anyway. Pure.

For a concealed or exposed square it depends only on public facts, never on what lies there (S-6).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pi_app.game import effects, rules
from pi_app.game import events as ev
from pi_app.game.effects import TRAPS, cuts_corner
from pi_app.game.events import figure_of
from pi_app.game.figures import OTHERS
from pi_app.game.note import Note
from pi_app.game.rules import SquareState
from pi_app.game.ruleset import Ruleset
from pi_app.game.state import Game, Square
from pi_app.game.trap_table import Trap
from pi_app.text.language import N_

ARMED_UNSEEN: Final = (SquareState.CONCEALED, SquareState.EXPOSED)


@dataclass(frozen=True, slots=True)
class Objection:
    """The broken rule, the finding on the square, and the sentence that refuses the event."""

    rule: str
    finding: str
    refusal: Note


SET_OFF_DISARMED = N_("was set off although it was already disarmed")
SET_OFF_CLEAR = N_("was set off although it is clear")
WENT_OFF_AGAIN = N_("was set off again although it fires only once")
UNREAD = N_("disarm attempted by a player who had not exposed it")
DISARMED_TWICE = N_("disarm attempted, but it was already disarmed")
DISARMED_CLEAR = N_("disarm attempted, but it is clear")
DISARMED_TOO_LATE = N_("disarm attempted, but it has gone off and cannot be disarmed")
TOO_DEAR = N_("entered or disarmed without enough speed points")
UNTURNED = N_("was exposed without turning its dial")
ONE_TOO_MANY = N_("was exposed by more players than this table allows")
STRUCK_BACK = N_("counterattack reported, but it showed no Jaws of Doom")
NO_CORNER = N_("corner cut reported, but the move cuts no corner of it")
NO_HAND = N_("break-away reported, but it showed no Monstrous Hand")
HIT_NOBODY = N_("hit reported, but it had not gone off")
OUT_OF_PLAY = N_("a figure that is out of play moved at it")
NOT_BY_IT = N_("set off or disarmed by a figure that cannot do that")
NO_WAVE = N_("Shockwave reported by a Hero without that ability")

_TERRAINS: Final = tuple(dict.fromkeys(row.terrain for row in TRAPS.values()))
FOUND: Final[Mapping[str, tuple[str, ...]]] = {
    SET_OFF_DISARMED: ("T-DIS-5",),
    SET_OFF_CLEAR: ("T-EXP-7",),
    WENT_OFF_AGAIN: ("T-TRG-1", "L-12", "E-WGT-3", "E-HAND-7"),
    UNREAD: ("T-DIS-10",),
    DISARMED_TWICE: ("T-DIS-5",),
    DISARMED_CLEAR: ("T-EXP-7",),
    DISARMED_TOO_LATE: ("Q-13", "E-JAW-5", "L-13"),
    TOO_DEAR: ("T-DIS-12", "G-2", "G-3", "L-08", "L-27", "T-EXP-7", "E-PIT-2", *_TERRAINS),
    UNTURNED: ("T-EXP-4",),
    ONE_TOO_MANY: ("T-EXP-11",),
    STRUCK_BACK: ("E-JAW-4",),
    NO_CORNER: ("T-TRG-5",),
    NO_HAND: ("E-HAND-2",),
    HIT_NOBODY: ("T-TRG-7",),
    OUT_OF_PLAY: ("E-CAGE-2", "E-CAGE-3", "AR-ABL-4"),
    NOT_BY_IT: ("T-EXP-1", "E-CAGE-3", "G-1"),
    NO_WAVE: ("A-SHW-1",),
}
"""Every finding of this module -> the rules that it can name."""

_DISARMED = N_("{square} is disarmed; nothing goes off (T-DIS-5).")
_CLEAR = N_("{square} is clear; nothing goes off (T-EXP-7).")
FIRES_ONCE = N_("{square} fires only once: it does not go off again ({rule}).")
_EXPOSE_FIRST = N_("{square} is concealed: expose it first, that costs nothing (T-DIS-10).")
_HAS_NOT_EXPOSED = N_(
    "{name} has not exposed {square}: expose it first, that costs nothing. "
    "No sheet says so; the switch expose_before_disarm decides (T-DIS-10)."
)
_IS_DISARMED = N_("{square} is already disarmed (T-DIS-5).")
_NOTHING_TO_DISARM = N_("{square} is clear: there is nothing to disarm (T-EXP-7).")
_WAY_COSTS = N_("This attempt costs {cost} speed points; left: {left} (T-DIS-12).")
_ENTERING_COSTS = N_("Speed points for entering {square}: {cost}; left: {left} ({rule}).")
_TURN_FIRST = N_("{square} is concealed: claim, roll one die and turn its dial (T-EXP-4).")
_ONLY_ONE = N_("This table lets only one player expose a square (switch reexpose, T-EXP-11).")
_NO_JAWS = N_("{square} shows no Jaws of Doom now (E-JAW-4).")
_NOT_PAST = N_("{square}: from {one} to {other} cuts no corner of it (T-TRG-5).")
_NO_HAND = N_("{square} shows no Monstrous Hand (E-HAND-2).")
_NOT_OFF = N_("{square} has not gone off: it hits no figure (T-TRG-7).")
_HITS_NO_MORE = N_("{square} hits no figure now: its effect on the figure that set it off is complete (T-TRG-7).")
_LOCKED_IN = N_("{name} is locked in {prison}, out of play (E-CAGE-2).")
_FREES_NOT_ITSELF = N_("{name} is locked in {prison}: only another figure frees it (E-CAGE-3).")
_FELL = N_("{name} is out of the game.")
_ONLY_HEROES = N_("Only a Hero tries to disarm a trap; another figure may only free a prisoner (E-CAGE-3).")
_EXEMPT = N_("Such a figure sets off no trap (G-1).")
_NO_WAVE = N_("{name} has no Shockwave (A-SHW-1). To add it, type: {line}")

SIDES: Final = {
    "n": (0, 1),
    "e": (1, 0),
    "s": (0, -1),
    "w": (-1, 0),
    "ne": (1, 1),
    "se": (1, -1),
    "sw": (-1, -1),
    "nw": (-1, 1),
}
"""Word -> where a Hero stands beside a square, in steps east and north of it."""


def objection(game: Game, event: ev.AnyEvent) -> Objection | None:
    """The first rule that the event breaks in this game; None if none."""
    if isinstance(event, ev.Moved | ev.Triggered | ev.DisarmTried | ev.Exposed):
        figure = event.who if isinstance(event, ev.Moved) else figure_of(event)
        if (out := _out_of_play(game, figure, event)) is not None:
            return out
    match event:
        case ev.Triggered():
            if figure_of(event) in effects.EXEMPT:
                return Objection("G-1", NOT_BY_IT, Note(_EXEMPT))
            return _setting_off(game.squares[event.square], game.ruleset)
        case ev.DisarmTried():
            return _disarming(game.squares[event.square], event, game)
        case ev.Exposed():
            return _exposing(game.squares[event.square], event, game.ruleset)
        case ev.JawsAnswered():
            square = game.squares[event.square]
            if square.state is SquareState.TRIGGERED and square.trap is Trap.JAWS_OF_DOOM:
                return None
            return Objection("E-JAW-4", STRUCK_BACK, note_on(_NO_JAWS, square))
        case ev.Moved():
            return _moving(game.squares[event.square], event, game)
        case _:
            return None


def _out_of_play(
    game: Game, figure: str, event: ev.Moved | ev.Triggered | ev.DisarmTried | ev.Exposed
) -> Objection | None:
    """E-CAGE-2: a prisoner is out of play, and a Hero that fell is out of the game. `hits` ends an earlier move."""
    if isinstance(event, ev.Moved) and event.verb == "hits":
        return None
    told: dict[str, object] = {"name": game.name_of(figure)}
    if (prison := game.prison_of(figure)) is not None:
        told["prison"] = prison
        if isinstance(event, ev.DisarmTried) and event.square == prison:
            return Objection("E-CAGE-3", OUT_OF_PLAY, Note(_FREES_NOT_ITSELF, told))
        return Objection("E-CAGE-2", OUT_OF_PLAY, Note(_LOCKED_IN, told))
    if figure in game.heroes and game.heroes[figure].fallen:
        return Objection("AR-ABL-4", OUT_OF_PLAY, Note(_FELL, told))
    return None


def note_on(words: str, square: Square, **more: object) -> Note:
    return Note(words, {"square": square.label, **more})


def _setting_off(square: Square, ruleset: Ruleset) -> Objection | None:
    if square.state is SquareState.DISARMED:
        return Objection("T-DIS-5", SET_OFF_DISARMED, note_on(_DISARMED, square))
    if square.state is SquareState.CLEAR_PUBLIC:
        return Objection("T-EXP-7", SET_OFF_CLEAR, note_on(_CLEAR, square))
    rule = fires_no_more(square, ruleset)
    return Objection(rule, WENT_OFF_AGAIN, note_on(FIRES_ONCE, square, rule=rule)) if rule else None


def fires_no_more(square: Square, ruleset: Ruleset) -> str:
    """The rule by which a trap that has gone off does not go off again, or "" (L-12)."""
    gone_off = square.state is SquareState.TRIGGERED and square.trap is not None
    return effects.fires_once(square.trap, ruleset) if gone_off and square.trap is not None else ""


def _disarming(square: Square, event: ev.DisarmTried, game: Game) -> Objection | None:
    """Depends only on public facts: a player who exposed a clear square may still try, as a bluff (S-5, S-6)."""
    cost = rules.SLOW_COST if event.way == "slow" else rules.QUICK_COST
    left = event.speed if event.speed is not None else speed_of(game, figure_of(event))
    if left is not None and left < cost:
        return Objection("T-DIS-12", TOO_DEAR, note_on(_WAY_COSTS, square, cost=cost, left=left))
    if event.figure in OTHERS and (square.prisoner is None or event.figure in effects.EXEMPT):
        return Objection("E-CAGE-3", NOT_BY_IT, Note(_ONLY_HEROES))
    match square.state:
        case SquareState.CONCEALED:
            return Objection("T-DIS-10", UNREAD, note_on(_EXPOSE_FIRST, square))
        case SquareState.EXPOSED if effects.must_expose_first(
            game.ruleset, turned=True, knows=event.seat in square.readers or square.shared
        ):
            name = game.seats[event.seat].name
            return Objection("T-DIS-10", UNREAD, note_on(_HAS_NOT_EXPOSED, square, name=name))  # anyway: S-11
        case SquareState.DISARMED:
            return Objection("T-DIS-5", DISARMED_TWICE, note_on(_IS_DISARMED, square))
        case SquareState.CLEAR_PUBLIC:
            return Objection("T-EXP-7", DISARMED_CLEAR, note_on(_NOTHING_TO_DISARM, square))
        case SquareState.TRIGGERED if square.trap is not None:
            refusal = effects.disarm_refusal(square.trap, game.ruleset)
            return None if refusal is None else Objection(refusal[0], DISARMED_TOO_LATE, note_on(refusal[1], square))
        case _:
            return None


def _exposing(square: Square, event: ev.Exposed, ruleset: Ruleset) -> Objection | None:
    if square.untouched:
        return Objection("T-EXP-4", UNTURNED, note_on(_TURN_FIRST, square))
    exposed = square.state is SquareState.EXPOSED and event.seat not in square.readers
    if exposed and ruleset.reexpose == "forbid":
        return Objection("T-EXP-11", ONE_TOO_MANY, note_on(_ONLY_ONE, square))
    return None


def speed_of(game: Game, figure: str) -> int | None:
    """The Hero's speed value, if it is named."""
    return game.heroes[figure].setup.speed if figure in game.heroes else None


def _moving(square: Square, event: ev.Moved, game: Game) -> Objection | None:
    match event.verb:
        case "pass":
            one, other = [*(side for side in SIDES if side in event.added), "", ""][:2]
            if one and not (other and cuts_corner(SIDES[one], SIDES[other])):
                return Objection("T-TRG-5", NO_CORNER, note_on(_NOT_PAST, square, one=one, other=other or one))
        case "enter" if event.speed is not None and not knows(game, event.who, square):
            cost, rule = entering(square, event, game.ruleset)
            if event.speed < cost:
                told = note_on(_ENTERING_COSTS, square, cost=cost, left=event.speed, rule=rule)
                return Objection(rule, TOO_DEAR, told)
        case "break" if square.state is not SquareState.TRIGGERED or square.trap is not Trap.MONSTROUS_HAND:
            return Objection("E-HAND-2", NO_HAND, note_on(_NO_HAND, square))
        case "hits" if square.hits is None:
            told = note_on(_NOT_OFF if square.state in ARMED_UNSEEN else _HITS_NO_MORE, square)
            return Objection("T-TRG-7", HIT_NOBODY, told)
        case "shockwave" if event.who in game.heroes and "shockwave" not in game.heroes[event.who].setup.abilities:
            hero = game.heroes[event.who]
            line = " ".join(("hero", hero.seat, event.who, *hero.setup.abilities, "shockwave"))
            told = Note(_NO_WAVE, {"name": event.who}, {}, {"line": line})
            return Objection("A-SHW-1", NO_WAVE, told)
        case _:
            pass
    return None


def knows(game: Game, figure: str, square: Square) -> bool:
    """Whether the figure's player has exposed the square. What its step costs depends on what lies there, so it is not
    judged (T-TRG-16, S-6)."""
    return square.state is SquareState.EXPOSED and game.seat_of(figure) in square.readers


CLEAR_COST: Final = 1
HINDERING_COST: Final = 2
"""Speed points of a step onto such terrain (G-3, Q-18)."""


def entering(square: Square, event: ev.Moved, ruleset: Ruleset) -> tuple[int, str]:
    """The speed points for stepping onto the square, and the rule behind that. A step beside it or in flight is not
    judged. A Cage that was never public costs what any disarmed square does (S-10)."""
    if {"beside", "flying"} & set(event.added):
        return 0, "G-2"
    if "pay4" in event.added:
        return effects.PIT_TOLL, "E-PIT-2"
    match square.state:
        case SquareState.EXPOSED if ruleset.hindering_until == "discovered":
            return CLEAR_COST, "L-08"
        case SquareState.CLEAR_PUBLIC:
            return CLEAR_COST, "T-EXP-7"
        case SquareState.DISARMED if square.was_triggered and square.trap is Trap.CAGE:
            return HINDERING_COST, "E-CAGE-6"
        case SquareState.DISARMED:
            return CLEAR_COST, "L-27"
        case SquareState.TRIGGERED if square.trap is not None:
            return HINDERING_COST, TRAPS[square.trap].terrain
        case _:
            return HINDERING_COST, "G-3" if event.who in effects.EXEMPT else "G-2"
