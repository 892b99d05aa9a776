"""Describes Mage Knight's trap squares to the journal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import msgspec

from pi_app import journal as jn
from pi_app.game import events as ev
from pi_app.journal.record.entry import SquareContent
from pi_app.journal.record.longest import json_bytes
from pi_app.journal.recorded_game import RULESET, SQUARE, STANDS, Play
from pi_app.play.entry_lengths import lengths, longest_shown, room
from pi_app.report.moment import NO_GAME, Moment, advance

_ABOUT_A_SQUARE: Final = (
    ev.Rolled,
    ev.Bound,
    ev.Turned,
    ev.Exposed,
    ev.Shared,
    ev.Moved,
    ev.Triggered,
    ev.DisarmTried,
    ev.JawsAnswered,
    ev.DialLost,
    ev.DialBack,
    ev.Homed,
    ev.CountLost,
)
"""Events whose square the log viewer may know. Which square a player looks at again stays private."""


def _square_of(event: ev.AnyEvent) -> str | None:
    return event.square if isinstance(event, _ABOUT_A_SQUARE) else None


def _promises(event: ev.AnyEvent) -> Mapping[str, object]:
    """Return the secrets that an event commits to, by name (S-9, T-AUD-1)."""
    if isinstance(event, ev.Started):
        return {RULESET: event.ruleset} | {SQUARE + square.label: square.table for square in event.squares}
    return {STANDS: event.stands} if isinstance(event, ev.SetupChecked) else {}


def _shown(event: ev.AnyEvent, after: Moment) -> SquareContent | None:
    square = after.game.squares.get(getattr(event, "square", ""))
    if square is None:
        return None
    return SquareContent(table=square.table.name, face=msgspec.Raw(msgspec.json.encode(square.face)))


def _longest_shown(after: Moment) -> int:
    """Return the bytes of the longest content that any square could show: which one it is must not matter (S-9)."""
    return json_bytes(longest_shown(square.table for square in after.game.squares.values()))


MAGE_KNIGHT: Final[Play[Moment, ev.AnyEvent]] = Play(
    name=None,
    nothing=NO_GAME,
    advance=advance,
    events=ev.AnyEvent,
    square_of=_square_of,
    promises=_promises,
    shown=_shown,
    room=room,
    lengths=lengths,
    longest_shown=_longest_shown,
)


def record_shown(path: Path, event: ev.TableShown, stamp: Callable[[], jn.Stamp] = jn.machine_stamp) -> None:
    """Add the finding that a secret of the running game was opened (S-9), on disk when this returns; the running
    program reads it. Raises JournalFileError if it cannot be added."""
    jn.add(path, MAGE_KNIGHT, event, stamp)
