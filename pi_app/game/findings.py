"""Find what broke the rules in one event, with the rule id and never with a secret.

The referee may read a finding during the game (T-AUD-6), so nothing here depends on what a square holds, and no
sentence contains a click, an angle, a die or a table's name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pi_app.game import events as ev
from pi_app.game.finding import Finding
from pi_app.game.objections import objection
from pi_app.game.rules import DIE, SquareState
from pi_app.game.state import Game, Square
from pi_app.text.language import N_

NOT_AT_START = N_("is not at its start mark")
NO_CLAIM = N_("was turned without a claim")
CLOCKWISE = N_("was turned clockwise")
TOO_FAR = N_("was turned further than one die allows")
NOT_BY_THE_DIE = N_("was not turned by the number rolled")
NOT_FROM_START = N_("was not at its start mark when the turn began")
NO_DISTANCE = N_("was turned away and back again")
OUT_OF_TURN = N_("was turned while another player's claim was open")
WHILE_OFF = N_("was moved while the program was off")
PATH_UNKNOWN = N_("moved, but its path is unknown")
BETWEEN = N_("rests between two clicks")
SECOND_TURN = N_("was turned again after it had been read")
NOT_DISARMED_MARK = N_("was not turned to its disarmed mark")
DISARMED_MOVED = N_("was moved after it had been disarmed")
UNSEEN = N_("could not be read for a while")
FLAPPED = N_("was lost and found again, over and over")
NOT_HOMED = N_("counts steps and has not been homed, so its position is unknown")
START_UNKNOWN = N_("could not be read when the starts were taken, so its position is unknown")
COUNT_LOST = N_("counts steps and lost power, so its position is unknown")
USED_TWICE = N_("An artifact was used twice in one activation")
TABLE_SHOWN = N_("A trap table was shown during the game")
RECORDED = N_("The dials' samples were recorded during the game")
CALIBRATED = N_("A dial was calibrated during the game")
DEMO_PLAYED = N_("A demo was played with the trap tables of this table during the game")

OPENED: Final[Mapping[ev.Opened, Finding]] = {
    "table": Finding("S-9", TABLE_SHOWN),
    "samples": Finding("S-9", RECORDED),
    "calibrated": Finding("S-9", CALIBRATED),
    "demo": Finding("S-9", DEMO_PLAYED),
}
"""The finding on a secret that was opened outside the game."""


def judge(game: Game, event: ev.AnyEvent) -> tuple[Finding, ...]:
    """The findings on this event, in the game before it."""
    match event:
        case ev.Looked() | ev.Claimed() | ev.Bound():
            return ()
        case ev.Turned():
            return _judge_turn(game, game.squares[event.square], event)
        case ev.SetupChecked():
            found = (_at_start(game, game.squares[label], at) for label, at in event.stands.items())
            return tuple(finding for finding in found if finding is not None)
        case ev.Rolled():
            return _judge_die(game, event)
        case ev.DialLost() | ev.DialBack() if event.times > 1:
            return (Finding("T-AUD-5", FLAPPED, event.square),)
        case ev.DialBack():
            return (Finding("T-AUD-5", UNSEEN, event.square),)
        case ev.CountLost():
            return (Finding("T-AUD-5", COUNT_LOST, event.square),)
        case ev.Resumed() | ev.Ended():
            return _not_to_be_audited(game, event)
        case ev.Drawn(seat=seat) if game.artifacts is not None and ev.figure_of(event) in game.artifacts.used:
            return (Finding("AR-GEN-2", USED_TWICE, seat=seat),)
        case ev.TableShown():
            return (OPENED[event.how],)
        case ev.Moved() | ev.Triggered() | ev.DisarmTried() | ev.Exposed() | ev.JawsAnswered() if event.anyway:
            return _judge_anyway(game, event)
        case _:
            return ()


def _at_start(game: Game, square: Square, at: int | None) -> Finding | None:
    """The finding on a dial at the set-up check. One whose start was found may rest between two detents."""
    if at == 0 or not square.untouched or (square.homed and game.found_starts and at is None):
        return None
    if square.homed:
        return Finding("T-AUD-1", NOT_AT_START, square.label)
    if square.absolute:
        return Finding("T-AUD-1", START_UNKNOWN, square.label)
    return Finding("T-AUD-1", NOT_HOMED, square.label)


def _unhomed(square: Square, seat: str | None = None) -> Finding:
    if square.absolute:
        return Finding("T-AUD-5", START_UNKNOWN, square.label, seat)
    return Finding("T-AUD-5", NOT_HOMED, square.label, seat)


def _judge_anyway(
    game: Game, event: ev.Moved | ev.Triggered | ev.DisarmTried | ev.Exposed | ev.JawsAnswered
) -> tuple[Finding, ...]:
    """The finding on an event that was recorded against the rules."""
    found = objection(game, event)
    seat = (event.by or game.seat_of(event.who)) if isinstance(event, ev.Moved) else getattr(event, "seat", None)
    return () if found is None else (Finding(found.rule, found.finding, event.square, seat),)


def _not_to_be_audited(game: Game, event: ev.Resumed | ev.Ended) -> tuple[Finding, ...]:
    """Dials that only count steps: their position is unknown after a restart, and the audit does not judge one that was
    not homed, or has no start. At the end: disarmed squares whose dials were not turned (T-DIS-5)."""
    known_until_now = isinstance(event, ev.Resumed)
    counting = tuple(
        _unhomed(square)
        for square in game.squares.values()
        if square.homed is known_until_now and not (known_until_now and square.absolute)
    )
    left = (square for square in game.squares.values() if square.to_be_turned_to_disarmed and square.homed)
    if known_until_now:
        return counting
    return (*counting, *(Finding("T-AUD-3", NOT_DISARMED_MARK, square.label, square.disarmed_by) for square in left))


def _judge_turn(game: Game, square: Square, turn: ev.Turned) -> tuple[Finding, ...]:
    if not square.homed:
        return () if is_setup(square, turn) else (_unhomed(square, turn.seat),)
    if turn.seat is None and _perhaps_no_turn(turn.motion):
        return (Finding("T-AUD-5", PATH_UNKNOWN, square.label),)
    if square.state is SquareState.CONCEALED:
        reasons = _first_turn(square, turn)
        current = game.turn_of(turn.seat)
        if current is not None and current.die is not None and counted(square, turn) not in (None, current.die):
            reasons.append(("T-AUD-2", NOT_BY_THE_DIE))
    elif may_turn_again(square, turn.purpose, turn.seat, game.ruleset):
        reasons = _first_turn(square, turn)
    elif square.state is SquareState.DISARMED:
        reasons = _disarmed_turn(square, turn.motion)
    else:
        reasons = [("T-AUD-4", SECOND_TURN)]
    if turn.seat is None and game.claims and reasons and not is_setup(square, turn):
        reasons.append(("T-AUD-4", OUT_OF_TURN))
    if turn.motion.while_off:
        reasons.append(("T-AUD-4", WHILE_OFF))
    if turn.motion.clicks is None:
        reasons.append(("T-AUD-5", PATH_UNKNOWN))
    if turn.motion.to_position is None:
        reasons.append(("T-AUD-5", BETWEEN))
    return tuple(Finding(rule, words, square.label, turn.seat) for rule, words in reasons)


def counted(square: Square, turn: ev.Turned) -> int | None:
    """The clicks that the die must match; None where they are unknown or another finding applies."""
    clicks = turn.motion.clicks
    first = square.state is SquareState.CONCEALED and turn.motion.to_position is not None
    return clicks if first and clicks in DIE else None


def _judge_die(game: Game, rolled: ev.Rolled) -> tuple[Finding, ...]:
    """A die typed after its turn is judged once: a verdict on every number typed would reveal in six tries how far the
    dial was turned."""
    current = game.turn_of(rolled.seat)
    if current is None or current.die is not None or current.clicks in (None, rolled.die):
        return ()
    return (Finding("T-AUD-2", NOT_BY_THE_DIE, current.square, rolled.seat),)


def _perhaps_no_turn(motion: ev.Motion) -> bool:
    """The position is the same after an unknown path: a glitching encoder does that, and no hand."""
    return motion.clicks is None and motion.to_position is not None and motion.to_position == motion.from_position


def is_setup(square: Square, turn: ev.Turned) -> bool:
    """Whether the motion is set-up, not a turn: a dial that set-up found elsewhere, or between two detents, reaches its
    start mark (P-1), or a dial that must be homed is moved."""
    if not square.homed:
        return square.untouched and turn.seat is None
    elsewhere = square.start_ok is False or (square.start_ok is None and square.stands is None and square.untouched)
    return elsewhere and turn.seat is None and turn.motion.to_position == 0


def may_turn_again(square: Square, purpose: ev.Purpose | None, seat: str | None, ruleset: ev.Ruleset) -> bool:
    """Whether an exposed dial may be turned a second time: if the table rerolls for a trigger (T-TRG-8), or for a
    second Hero's expose (T-EXP-11)."""
    if square.state is not SquareState.EXPOSED or seat is None:
        return False
    if purpose == "trigger":
        return ruleset.trigger_on_exposed == "reroll"
    return ruleset.reexpose == "reroll" and seat not in square.readers


def _first_turn(square: Square, turn: ev.Turned) -> list[tuple[str, str]]:
    """T-AUD-2: from the start mark, counter-clockwise, by one die's roll, for an expose or a trigger."""
    reasons: list[tuple[str, str]] = []
    if is_setup(square, turn):
        return reasons
    if turn.seat is None:
        reasons.append(("T-AUD-4", NO_CLAIM))
    if square.stands != 0 and square.state is SquareState.CONCEALED:
        reasons.append(("T-AUD-2", NOT_FROM_START))
    clicks = turn.motion.clicks
    if clicks is None:
        return reasons
    if clicks < 0:
        reasons.append(("T-AUD-4", CLOCKWISE))
    elif clicks > DIE[-1]:
        reasons.append(("T-AUD-2", TOO_FAR))
    elif clicks == 0 and turn.motion.to_position is not None:
        reasons.append(("T-AUD-2", NO_DISTANCE))
    return reasons


def _disarmed_turn(square: Square, motion: ev.Motion) -> list[tuple[str, str]]:
    """T-AUD-3: one move to the disarmed mark, either way round; afterwards the dial stays (T-AUD-4)."""
    if not square.to_be_turned_to_disarmed:
        return [("T-AUD-4", DISARMED_MOVED)]
    at = motion.to_position
    if at is None or square.table.faces[at].kind != "disarmed":
        return [("T-AUD-3", NOT_DISARMED_MARK)]
    return []
