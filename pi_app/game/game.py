"""The one function that changes the state of play: `apply(game, event) -> game`.

Pure: no clock, no dice, no files. An event that breaks the rules is applied as it happened; `pi_app.game.findings`
finds what was wrong with it, and the game keeps those findings.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, assert_never

import msgspec
from msgspec.structs import replace

from pi_app.game import artifacts as art
from pi_app.game import events as ev
from pi_app.game import experience as rulings
from pi_app.game import rules
from pi_app.game.effects import disarm_bonus, fires_once
from pi_app.game.events import figure_of
from pi_app.game.figures import OTHERS, Hero, HeroSetup
from pi_app.game.findings import counted, is_setup, judge, may_turn_again
from pi_app.game.going_off import owing, paid, pending, set_off, triggered
from pi_app.game.note import Note
from pi_app.game.phones import with_phone
from pi_app.game.rules import Happening, SquareState
from pi_app.game.state import Claim, Game, Hit, Phase, Seat, SeatTurn, Square
from pi_app.game.trap_table import Trap
from pi_app.game.undo import remembered, taken_back
from pi_app.text.language import N_


def apply(game: Game, event: ev.AnyEvent) -> Game:
    """The game after one event. Deterministic."""
    findings = judge(game, event)
    changed = _changed(game, event)
    if game.ruleset.xp_on_trigger_25 and isinstance(event, ev.Turned | ev.Triggered | ev.DisarmTried):
        changed = owing(game, changed, event)
    changed = remembered(game, changed, event, _changed)
    return replace(changed, findings=(*game.findings, *findings)) if findings else changed


def _changed(game: Game, event: ev.AnyEvent) -> Game:
    match event:  # the most frequent first
        case ev.Looked() | ev.TableShown() | ev.ClockCorrected():
            return game
        case ev.DialNoted():
            return _noted(game, event)
        case ev.Claimed():
            return game.claimed(Claim(event.seat, event.grade))
        case ev.Bound():
            return _bound(game, event)
        case ev.Turned():
            return _turned(game, event)
        case ev.Started():
            return _started(event)
        case ev.SetupChecked():
            return _checked(game, event)
        case ev.ClaimDropped():
            return _dropped(game, event)
        case ev.Exposed():
            return _exposed(game, event)
        case ev.Rolled():
            return _rolled(game, event)
        case ev.Resumed():
            return _resumed(game)
        case ev.Homed():
            return game.with_square(_homed(game.squares[event.square], event))
        case ev.CountLost():
            return game.with_square(_not_homed(game.squares[event.square]))
        case ev.Triggered():
            return triggered(game, event)
        case ev.DisarmTried():
            return _disarm_tried(game, event)
        case ev.Drawn() | ev.TokenMoved() | ev.Refreshed() | ev.Activated():
            return _with_artifacts(game, event)
        case ev.HeroNamed():
            setup = HeroSetup(name=event.name, abilities=event.abilities, speed=event.speed, level=event.level)
            return replace(game, heroes=MappingProxyType({**game.heroes, event.name: Hero(event.seat, setup)}))
        case ev.Fallen():
            return _fallen(game, event)
        case ev.Undone():
            return taken_back(game)
        case ev.Earned() | ev.ChestTried():
            return _ruled(game, event)
        case ev.Converted():
            now, note = rulings.converted(game.rulings, event.figures, back=event.back)
            return replace(game, rulings=now.with_note(note))
        case ev.JawsAnswered():
            return _jaws_answered(game, event)
        case ev.Moved():
            return _moved(game, event)
        case ev.Shared():
            return _shared(game, event)
        case ev.DialLost():
            return game.with_square(replace(game.squares[event.square], lost=True))
        case ev.DialBack():
            return game.with_square(replace(game.squares[event.square], lost=False))
        case ev.PhoneJoined() | ev.PhoneLeft():
            return with_phone(game, event)
        case ev.Ended():
            return replace(game, phase=Phase.ENDED, claims=(), turns=(), phones=MappingProxyType({}))
        case _:
            assert_never(event)


def _started(event: ev.Started) -> Game:
    return Game(
        phase=Phase.PLAYING,
        table_name=event.table_name,
        language=event.language,
        simulated=event.simulated,
        shuffled=event.shuffled,
        found_starts=event.starts == "found",
        ruleset=event.ruleset,
        seats=MappingProxyType({s.seat: Seat(s.seat, s.name, s.language, lamp=s.lamp) for s in event.seats}),
        squares=MappingProxyType({s.label: _set_up(s, found=event.starts == "found") for s in event.squares}),
        rulings=rulings.begun(event.chests),
        artifacts=None if event.artifacts is None else art.begun(event.artifacts),
        heroes=MappingProxyType({h.name: Hero(s.seat, h) for s in event.seats for h in s.heroes}),
    )


def _set_up(setup: ev.SquareSetup, *, found: bool) -> Square:
    square = Square(setup.label, setup.table, absolute=setup.absolute, start=setup.start or 0)
    known = (setup.absolute or found) and setup.start is not None
    return square if known else _not_homed(square)


def _homed(square: Square, event: ev.Homed) -> Square:
    start = square.start if event.start is msgspec.UNSET else event.start
    start_ok = True if square.untouched else square.start_ok
    return replace(square, homed=True, stands=0, start=start, start_ok=start_ok)


def _not_homed(square: Square) -> Square:
    return replace(square, homed=False, stands=None, start_ok=None if square.untouched else square.start_ok)


def _resumed(game: Game) -> Game:
    """Dials that only count steps must be homed again: they may have moved or lost power meanwhile."""
    game = replace(game, resumed=game.resumed + 1)
    counting = {label: _not_homed(square) for label, square in game.squares.items() if not square.absolute}
    return replace(game, squares=MappingProxyType({**game.squares, **counting})) if counting else game


def _checked(game: Game, event: ev.SetupChecked) -> Game:
    squares = dict(game.squares)
    for label, position in event.stands.items():
        square = squares[label]
        if not square.homed:
            continue
        verdict = position == 0 if square.untouched else square.start_ok
        if game.found_starts and position is None:
            verdict = None
        squares[label] = replace(square, stands=position, start_ok=verdict)
    return replace(game, squares=MappingProxyType(squares))


def _dropped(game: Game, event: ev.ClaimDropped) -> Game:
    turn = game.turn_of(event.seat)
    kept = turn is not None and turn.roll_pending
    return (game if kept else game.without_turn(event.seat)).without_claim(event.seat)


def _rolled(game: Game, event: ev.Rolled) -> Game:
    turn = game.turn_of(event.seat)
    return game if turn is None else game.with_turn(replace(turn, die=event.die, how=event.how))


def _noted(game: Game, event: ev.DialNoted) -> Game:
    withheld = _WITHHELD.get(event.condition)
    square = game.squares.get(event.square)
    if withheld is None or square is None or square.withheld is withheld:
        return game
    return game.with_square(replace(square, withheld=withheld))


_WITHHELD: Final[Mapping[ev.Condition, bool]] = {
    "tile not verified": True,
    "tile does not fit": True,
    "tile verified": False,
    "tile accepted": False,
}


def _bound(game: Game, event: ev.Bound) -> Game:
    claim = game.claim_of(event.seat)
    return game if claim is None else game.with_claim(replace(claim, square=event.square))


def _turned(game: Game, event: ev.Turned) -> Game:
    square, position = game.squares[event.square], event.motion.to_position
    claim = None if event.seat is None else game.claim_of(event.seat)
    if is_setup(square, event):
        return game.with_square(replace(square, stands=position, start_ok=True)) if square.homed else game
    if event.seat is not None:
        turn = game.turn_of(event.seat) or SeatTurn(event.seat)
        turned = replace(turn, square=event.square, clicks=counted(square, event))
        turns = (*game.turns_but(event.seat), turned)
        game = replace(game, claims=game.claims_but(event.seat), turns=turns)
    first = square.state is SquareState.CONCEALED or may_turn_again(square, event.purpose, event.seat, game.ruleset)
    if event.seat is None or position is None or not first:
        unclaimed = square.unclaimed_turn or square.state is SquareState.CONCEALED
        square = replace(square, stands=position, unclaimed_turn=unclaimed, to_be_turned_to_disarmed=False)
    elif event.purpose == "trigger":
        hit = Hit(event.seat) if claim is None or claim.hit is None else claim.hit
        by_wave = claim is not None and claim.cause == "shockwave"
        square = set_off(
            replace(square, stands=position, unclaimed_turn=False),
            position,
            game.last_in_line(None if by_wave else hit),
        )
    else:
        square = _learned(_forgotten(square), event.seat, position)
    return game.with_square(square)


def _forgotten(square: Square) -> Square:
    """The square without its readers: their knowledge no longer holds."""
    return replace(square, shown=None, readers=(), value=None, shared=False)


def _learned(square: Square, seat: str, position: int | None) -> Square:
    """The square, known to `seat` (S-7), with the dial at `position`; the first expose fixes its content (T-EXP-9)."""
    return replace(
        square,
        state=rules.after(square.state, Happening.EXPOSED),
        stands=position,
        shown=square.shown if square.shown is not None else position,
        readers=square.readers if seat in square.readers else (*square.readers, seat),
        unclaimed_turn=False,
    )


def _exposed(game: Game, event: ev.Exposed) -> Game:
    square = game.squares[event.square]
    if square.state is SquareState.EXPOSED or (square.unclaimed_turn and square.stands is not None):
        return game.with_square(_learned(square, event.seat, square.stands))
    return game


def disarm_value(square: Square, plus_die: int, ruleset: ev.Ruleset) -> int | None:
    """The number a disarm must reach now, or None where nothing can be disarmed (T-DIS-4, T-DIS-6, E-HAND-6)."""
    face = square.face
    if face is None or face.trap is None or face.disarm is None:
        return None
    if _hand_has_ten(square, ruleset):
        return rules.HAND_VALUE_TRIGGERED
    if square.value is not None:
        return square.value
    return face.disarm.value + (plus_die if face.disarm.variable else 0)


def _disarm_tried(game: Game, event: ev.DisarmTried) -> Game:
    square = game.squares[event.square]
    square = replace(square, attempt=(event.seat, event.way, figure_of(event)), attempts=square.attempts + 1)
    face = square.face
    value = disarm_value(square, event.plus_die, game.ruleset)
    if face is None:
        return game.with_square(square)
    if value is None:
        nothing = rules.TRANSITIONS.get((square.state, Happening.DISARM_FOUND_NOTHING))
        return game.with_square(square if nothing is None else replace(square, state=nothing[0]))
    if (
        face.disarm is not None
        and face.disarm.variable
        and square.value is None
        and not _hand_has_ten(square, game.ruleset)
    ):
        square = replace(square, value=value)
    won = rules.disarm_succeeds(
        value, event.dice, slow=event.way == "slow", bonus=disarm_bonus(frozenset(event.abilities), game.ruleset)
    )
    happening = Happening.DISARM_SUCCEEDED if won else Happening.DISARM_FAILED
    state = rules.TRANSITIONS.get((square.state, happening))
    if state is None:
        return game.with_square(square)
    square = replace(square, state=state[0])
    if won:
        seat = None if event.figure in OTHERS else event.seat  # T-DIS-8: only a Hero gains experience
        return _disarmed(game, square, seat, face.xp or 0)
    figure, first = figure_of(event), not square.was_triggered
    prisoner = figure if square.trap is Trap.CAGE and first else square.prisoner
    again = first or (
        square.trap is not None and not fires_once(square.trap, game.ruleset)
    )  # E-CAGE-4, E-HAND-7, E-WGT-3
    hits = pending(square.trap, game.last_in_line(Hit(figure, event.abilities))) if again else square.hits
    return game.with_square(replace(square, was_triggered=True, prisoner=prisoner, hits=hits))


def _hand_has_ten(square: Square, ruleset: ev.Ruleset) -> bool:
    """E-HAND-6: the Hand's disarm value is ten, whatever is printed."""
    return square.trap is Trap.MONSTROUS_HAND and (square.was_triggered or ruleset.hand_value_10 == "always")


def _disarmed(game: Game, square: Square, seat: str | None, xp: int) -> Game:
    """T-DIS-5, T-DIS-8: disarmed, and the experience goes to the player whose Hero did it."""
    square = replace(
        square,
        state=SquareState.DISARMED,
        prisoner=None,
        disarmed_by=seat,
        xp_won=None if seat is None else xp,
        to_be_turned_to_disarmed=True,
    )
    game = game.with_square(square)
    if seat is None:
        return game
    return game.gains(seat, xp, rulings.disarmed(game.seats[seat].name, xp, square.label))


def _with_artifacts(game: Game, event: ev.Drawn | ev.TokenMoved | ev.Refreshed | ev.Activated) -> Game:
    """Apply an event of the artifacts, with the note that everyone reads."""
    now = game.artifacts
    if now is None:
        return game
    if isinstance(event, ev.Refreshed):
        note = Note(art.REFRESHED)
        return replace(game, artifacts=art.refreshed(now, event.dealt), rulings=game.rulings.with_note(note))
    figure = figure_of(event)
    name = game.name_of(figure)
    if isinstance(event, ev.Activated):
        note = Note(ACTIVATED, {"name": name})
        return replace(game, artifacts=art.activated(now, figure), rulings=game.rulings.with_note(note))
    if isinstance(event, ev.Drawn):
        note = art.drawn_note(now, name, event.artifact, (event.colour, event.token))
        now = art.drawn(now, figure, event.artifact, event.colour, event.token)
    else:
        note = art.moved_note(now, name, figure, event.way)
        now = art.moved(now, figure, event.way)
    return replace(game, artifacts=now, rulings=game.rulings.with_note(note))


ACTIVATED = N_("{name} begins an activation and may use an artifact (AR-GEN-2).")
FALLEN = N_("{name} is out of the game.")


def _fallen(game: Game, event: ev.Fallen) -> Game:
    """A Hero is out of the game; so is its ability from a token (AR-ABL-4)."""
    if (hero := game.heroes.get(event.figure)) is not None:
        heroes = MappingProxyType({**game.heroes, event.figure: replace(hero, fallen=True)})
        game = replace(game, heroes=heroes)
    if game.artifacts is None:
        note = Note(FALLEN, {"name": game.name_of(event.figure)})
        return replace(game, rulings=game.rulings.with_note(note))
    note = art.moved_note(game.artifacts, game.name_of(event.figure), event.figure, "fallen")
    fallen = art.moved(game.artifacts, event.figure, "fallen")
    return replace(game, artifacts=fallen, rulings=game.rulings.with_note(note))


def _ruled(game: Game, event: ev.Earned | ev.ChestTried) -> Game:
    """Apply the rulings (R-XP-1 to R-XP-3)."""
    now, name = game.rulings, game.seats[event.seat].name
    if isinstance(event, ev.ChestTried):
        slow = event.way == "slow"
        now, xp, why = rulings.chest_tried(
            now, event.seat, name, event.chest, slow=slow, dice=event.dice, plus_die=event.plus_die
        )
    elif event.deed == "chest":
        now, xp, why = rulings.chest_done(now, event.seat, name, event.chest or 0)
    elif event.deed == "kill":
        now, xp, why = rulings.kill(now, name, event.xp, event.means)
    else:
        now, xp, why = rulings.corrected(now, name, event.xp)
    return replace(game, rulings=now.with_note(why)).gains(event.seat, xp, why)


def _moved(game: Game, event: ev.Moved) -> Game:
    """`hits` completes an effect. Another figure's step ends the news of an earlier disarm attempt."""
    square = game.squares[event.square]
    if event.verb == "hits" and (square.hits is not None or square.owed == event.who):
        return paid(game.with_square(replace(square, hits=None)), square.label)
    stale = square.attempt is not None and square.attempt[2] != event.who and square.state is SquareState.TRIGGERED
    return game.with_square(replace(square, attempt=None)) if stale and event.verb == "enter" else game


def _shared(game: Game, event: ev.Shared) -> Game:
    square = game.squares[event.square]
    may = square.state is SquareState.EXPOSED and event.seat in square.readers and game.ruleset.share_by_exposer
    return game.with_square(replace(square, shared=True)) if may else game


def _jaws_answered(game: Game, event: ev.JawsAnswered) -> Game:
    square = game.squares[event.square]
    if square.trap is not Trap.JAWS_OF_DOOM or square.state is not SquareState.TRIGGERED:
        return game
    if event.harmed:
        return paid(_disarmed(game, replace(square, attempt=None), None, 0), square.label)
    state = rules.after(square.state, Happening.JAWS_UNHARMED)
    return paid(game.with_square(replace(square, state=state)), square.label)
