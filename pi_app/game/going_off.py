"""A trap goes off: which figure it hits, whom a Cage locks in, and the experience that may be owed for it. Pure."""

from __future__ import annotations

from msgspec.structs import replace

from pi_app.game import events as ev
from pi_app.game import experience as rulings
from pi_app.game import rules
from pi_app.game.effects import TRAPS, TRIGGER_XP
from pi_app.game.events import figure_of
from pi_app.game.figures import OTHERS
from pi_app.game.rules import Happening, SquareState
from pi_app.game.state import Claim, Game, Hit, Square
from pi_app.game.trap_table import Trap


def set_off(square: Square, position: int, hit: Hit | None) -> Square:
    """The square after it was triggered at a click (T-TRG-7, T-TRG-8, T-TRG-12). `hit`: by which figure, or None if no
    figure was near (A-SHW-2). A Cage keeps its prisoner."""
    trap = square.table.faces[position].trap
    happening = Happening.TRIGGERED_CLEAR if trap is None else Happening.TRIGGERED_TRAP
    return replace(
        square,
        state=rules.after(square.state, happening),
        shown=position,
        was_triggered=trap is not None,
        prisoner=(square.prisoner or (hit.figure if hit else None)) if trap is Trap.CAGE else None,
        hits=pending(trap, hit),
        attempt=None,
    )


def pending(trap: Trap | None, hit: Hit | None) -> Hit | None:
    """The hit, if the trap damages the figure that sets it off: a Cage, a Hand and the Jaws do not."""
    return hit if trap is not None and TRAPS[trap].first is not None else None


def triggered(game: Game, event: ev.Triggered) -> Game:
    square = game.squares[event.square]
    position = square.shown
    if square.state is SquareState.CONCEALED and square.unclaimed_turn:
        position = square.stands
    rerolls = square.state is SquareState.EXPOSED and game.ruleset.trigger_on_exposed == "reroll"
    hit = None if event.cause == "shockwave" else Hit(figure_of(event), event.added)
    if _walks_over(square, event):
        return game
    if position is not None and square.state in _CAN_GO_OFF and not rerolls:
        return game.with_square(replace(set_off(square, position, game.last_in_line(hit)), unclaimed_turn=False))
    if square.state is SquareState.CONCEALED or rerolls:
        return game.claimed(Claim(event.seat, "table", "trigger", event.square, event.cause, hit))
    return game


def _walks_over(square: Square, event: ev.Triggered) -> bool:
    """T-TRG-16: a Hero of a player who knows that the square is clear walks over it, and it stays exposed."""
    known = square.state is SquareState.EXPOSED and event.seat in square.readers
    return known and square.trap is None and event.cause in ("entered", "diagonal")


_CAN_GO_OFF = frozenset({SquareState.CONCEALED, SquareState.EXPOSED, SquareState.TRIGGERED, SquareState.WITHDRAWN})


def owing(before: Game, after: Game, event: ev.Turned | ev.Triggered | ev.DisarmTried) -> Game:
    """R-XP-4: the seat whose Hero sets a trap off is owed experience. It gains it once the effect is complete."""
    square, seat = after.squares[event.square], event.seat
    went_off = square.state is SquareState.TRIGGERED is not before.squares[event.square].state
    hero = not isinstance(event, ev.Turned) and event.figure not in OTHERS
    if isinstance(event, ev.Turned):
        claim = None if seat is None else before.claim_of(seat)
        hero = claim is None or claim.hit is None or claim.hit.figure not in OTHERS
    if not went_off or seat is None or not hero:
        return after
    after = after.with_square(replace(square, owed=seat))
    return after if square.hits is not None or square.trap is Trap.JAWS_OF_DOOM else paid(after, event.square)


def paid(game: Game, label: str) -> Game:
    """R-XP-3: the effect of the square is complete; the seat that is owed experience for it gains it."""
    square = game.squares[label]
    if square.owed is None:
        return game
    why = rulings.went_off(game.seats[square.owed].name, TRIGGER_XP, square.label)
    return game.with_square(replace(square, owed=None)).gains(square.owed, TRIGGER_XP, why)
