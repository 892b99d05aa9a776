"""Who could have known, and since when: per square and seat, when the player first learned the trap. Pure.

It uses the same visibility table (`pi_app.report.visibility.VISIBLE`) as every report.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import msgspec

from pi_app.audit.values import By, Known, clock_text
from pi_app.game import events as ev
from pi_app.game.state import Game, Square
from pi_app.report.visibility import Audience, Fact, Viewer, may_see

_HOW = {
    "exposed": "exposed it",
    "triggered": "it was triggered, and open to all",
    "announced": "it was announced after a failed disarm",
    "shown to all": "the player who exposed it showed it to all",
    "table shown": "its trap table was shown during the game",
    "dials recorded": "the dials' samples were recorded during the game",
    "tables in a demo": "a demo was played with its trap table during the game",
}

_BY_OPENING: Final[Mapping[ev.Opened, By]] = {
    "table": "table shown",
    "samples": "dials recorded",
    "demo": "tables in a demo",
}
"""What of a running game was opened outside it shows a square. A dial that is calibrated shows no angle."""


@dataclass(slots=True)
class WhoKnew:
    """Takes every event in order, and keeps what each seat could know."""

    known: dict[tuple[str, str], Known] = field(default_factory=dict)

    def take(self, before: Game, event: ev.AnyEvent, after: Game, *, entry: int, wall: str, at_s: float) -> None:
        """Take one more event, with the game before and after it."""
        if isinstance(event, ev.TableShown):
            for square in _opened(event, after):
                self._learned(square, "*", "everyone in front of the screen", _BY_OPENING[event.how], entry, wall, at_s)
        if isinstance(event, ev.Looked):
            self._looked(event, entry, at_s)
        for label, square in after.squares.items():
            if before.squares.get(label) is square:
                continue
            for seat, player in after.seats.items():
                if may_see(square, Viewer(Audience.OTHER, seat)) & {Fact.FACE, Fact.NAME}:
                    self._learned(square, seat, player.name, _by(event, seat), entry, wall, at_s)

    def _learned(self, square: Square, seat: str, name: str, by: By, entry: int, wall: str, at_s: float) -> None:
        who = name if seat == "*" else f"{name} ({seat})"
        words = f"{who} could know {square.label} from entry {entry} on ({clock_text(at_s)}): {_HOW[by]}."
        known = Known(
            square=square.label,
            seat=seat,
            name=name,
            by=by,
            entry=entry,
            wall=wall,
            at_s=round(at_s, 3),
            looked_entry=None,
            looked_at_s=None,
            words=words,
        )
        self.known.setdefault((square.label, seat), known)

    def _looked(self, event: ev.Looked, entry: int, at_s: float) -> None:
        known = self.known.get((event.square, event.seat))
        if known is not None and known.looked_entry is None:
            words = f"{known.words[:-1]}; looked again first at entry {entry} ({clock_text(at_s)})."
            self.known[event.square, event.seat] = msgspec.structs.replace(
                known, looked_entry=entry, looked_at_s=round(at_s, 3), words=words
            )


def _opened(event: ev.TableShown, game: Game) -> list[Square]:
    """Return the squares that were open to everyone in front of the screen."""
    squares = [*game.squares.values()] if event.how in _BY_OPENING else []
    if event.how != "table":
        return squares
    faces = [square.table.faces for square in squares if square.table.name == event.table]
    return [square for square in squares if square.table.faces in faces]


def _by(event: ev.AnyEvent, seat: str) -> By:
    match event:
        case ev.Turned(purpose="trigger") | ev.Triggered():
            return "triggered"
        case ev.DisarmTried():
            return "announced"
        case ev.Shared():
            return "shown to all"
        case _:
            return "exposed"
