"""Taking back the last word typed at the table. Pure.

The correction is an event of its own, which everyone reads; both events stay in the record, and no finding disappears.
A word cannot be taken back once a player was told a secret because of it, once a dial was turned after it, or if the
device rolled for it: otherwise somebody could try until the number suits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from pi_app.game import events as ev
from pi_app.game.note import Note
from pi_app.game.rules import PUBLIC_STATES, SquareState
from pi_app.game.state import Game, Undo
from pi_app.text.language import N_

TAKEN_BACK: Final = N_("Taken back: {line}.")

_MINE: Final = ev.Moved | ev.Triggered | ev.DisarmTried | ev.JawsAnswered | ev.Earned | ev.TokenMoved | ev.Activated
_TYPED: Final = (_MINE, ev.HeroNamed, ev.Fallen, ev.Converted)
_MACHINE: Final = ev.DialNoted | ev.DialLost | ev.DialBack | ev.CountLost | ev.PhoneJoined | ev.PhoneLeft
"""Events of the hardware and of phones: a word before them can still be taken back, and they stay."""
_QUIET: Final = ev.Looked | ev.TableShown | ev.ClockCorrected | ev.Undone
"""Events that change no word before them; after `Undone` there is none to take back."""


def remembered(before: Game, after: Game, event: ev.AnyEvent, changed: Callable[[Game, ev.AnyEvent], Game]) -> Game:
    """The game after an event, with what `undo` would now take back. `changed` applies an event to a game."""
    if isinstance(event, _QUIET):
        return after
    if isinstance(event, _MACHINE):
        if after.undo is None:
            return after
        return replace(after, undo=replace(after.undo, game=changed(after.undo.game, event)))
    return _typed(before, after, event)


def _typed(before: Game, after: Game, event: ev.AnyEvent) -> Game:
    keeps = isinstance(event, ev.Triggered) and event.by_move
    undo = before.undo if keeps else _undo(before, event)
    if undo is not None and not _keeps_secrets(before, after, event):
        undo = None
    return after if after.undo is undo else replace(after, undo=undo)


def _undo(before: Game, event: ev.AnyEvent) -> Undo | None:
    by_device = isinstance(event, ev.Moved | ev.DisarmTried) and event.how == "device"
    if by_device or not isinstance(event, _TYPED):
        return None
    return Undo(line_of(event), replace(before, undo=None))


def _keeps_secrets(before: Game, after: Game, event: ev.AnyEvent) -> bool:
    """Whether this typed event told no player anything about a face."""
    label = getattr(event, "square", None)
    if label is None:
        return True
    was, now = before.squares[label], after.squares[label]
    if isinstance(event, ev.DisarmTried):
        return was.state in PUBLIC_STATES
    if isinstance(event, ev.Triggered):  # a player who knows it, or one who does not: which of the two it is, is told
        return was.state in PUBLIC_STATES or (was is now and was.state is SquareState.CONCEALED)
    return True


def taken_back(game: Game) -> Game:
    """The game before the last typed word. Findings stay, and notes count on."""
    if game.undo is None:
        return game
    before = game.undo.game
    note = Note(TAKEN_BACK, {}, {}, {"line": game.undo.line})
    rulings = replace(before.rulings, number=game.rulings.number).with_note(note)
    return replace(before, findings=game.findings, rulings=rulings)


def line_of(event: ev.AnyEvent) -> str:
    """A typed event as a line of the table's command line, without dice."""
    match event:
        case ev.Moved(verb=verb, square=square, who=who, added=added):
            return " ".join((verb, square, who, *added))
        case ev.Triggered(square=square, cause=cause):
            return f"trigger {square} {ev.figure_of(event)} {cause}"
        case ev.DisarmTried(square=square, way=way):
            return f"disarm {square} {ev.figure_of(event)} {way}"
        case ev.JawsAnswered(square=square, harmed=harmed):
            return f"jaws {square} {'harmed' if harmed else 'unharmed'}"
        case ev.Earned(seat=seat, xp=xp, deed=deed):
            return f"{'kill' if deed == 'kill' else 'xp'} {seat} {xp}"
        case ev.TokenMoved(way=way):
            return f"{'keep' if way == 'kept' else 'put'} {ev.figure_of(event)}"
        case ev.Activated():
            return f"activate {ev.figure_of(event)}"
        case ev.HeroNamed(seat=seat, name=name, abilities=abilities):
            return " ".join(("hero", seat, name, *abilities))
        case ev.Fallen(figure=figure):
            return f"fallen {figure}"
        case ev.Converted(figures=figures, back=back):
            return f"convert {'back' if back else 'place'} {', '.join(figures)}"
        case _:
            raise ValueError(f"{type(event).__name__} is not typed")
