"""What a group was told, compared with the record: the public squares, and every face on a seat's own screen or phone.

Nothing that was told may be missing in the record of its game. The game must have ended there, or the station says that
it was interrupted.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pi_app.audit.replay import rebuild
from pi_app.game import events as ev
from pi_app.game.state import Game
from pi_app.journal import JournalFileError
from pi_app.journal.past import past_logs
from pi_app.report.pictures import SeatPicture, ShowFace
from pi_app.report.seat_screen import seat_looks

ToldFace = tuple[str, str, str]
"""Seat, square, and the name of the trap, or `clear` or `other`."""

PUBLIC_EVENTS: Final = (ev.Turned, ev.Exposed, ev.Triggered, ev.DisarmTried)


@dataclass
class Told:
    """What everybody was told of one game, and each seat alone."""

    squares: set[str] = field(default_factory=set)
    faces: set[ToldFace] = field(default_factory=set)
    ended: bool = False

    def __len__(self) -> int:
        return len(self.squares) + len(self.faces)

    def see(self, seat: str, picture: SeatPicture) -> None:
        """Note what a seat's own screen shows."""
        if isinstance(picture, ShowFace):
            self.faces.add((seat, picture.label, picture.trap or picture.kind))

    def missing_in(self, record: Told) -> list[str]:
        """Return what was told here and is not in the record."""
        return [
            *(f"square {square}" for square in sorted(self.squares - record.squares)),
            *(f"the face of {square} at {seat}" for seat, square, _ in sorted(self.faces - record.faces)),
        ]


def recorded(path: Path, game_id: str) -> Told:
    """Return what the record of a station holds of one game, the past records included. Raises JournalFileError."""
    for log in (path, *reversed(past_logs(path))):
        found = _of(log, game_id)
        if len(found) or found.ended:
            return found
    return Told()


def _of(log: Path, game_id: str) -> Told:
    found = Told()
    for entry, game in rebuild(log, game_id):
        if isinstance(entry.event, PUBLIC_EVENTS):
            found.squares.add(entry.event.square)
        _looks(found, game, entry.event)
        found.ended = isinstance(entry.event, ev.Ended)
    return found


def _looks(found: Told, game: Game, event: ev.AnyEvent) -> None:
    match event:
        case ev.Turned(seat=str(seat), square=square) | ev.Looked(seat=seat, square=square):
            found.see(seat, seat_looks(game, seat, square, str))
        case _:
            pass


def lost(path: Path, game_id: str, told: Told, said: str = "") -> list[str]:
    """Return what is missing of a game that is over. `said`: what the station said of an interrupted one."""
    try:
        record = recorded(path, game_id)
    except JournalFileError as error:
        return [f"game {game_id}: {error}"]
    missing = told.missing_in(record)
    if not record.ended and game_id not in said:
        missing.append("its end, and nobody said that it was interrupted")
    return [f"game {game_id}: {each}" for each in missing]
