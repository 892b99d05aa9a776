"""Where the dials of a game start: at their printed marks, or each where it stands at the deal.

A dial that rests in a detent at the deal starts there. One that rests between two starts at the nearer one, and has no
position until it rests in a detent. One that moves, is lost or in doubt has no start: it gets one as soon as it rests.
"""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from pi_app.dials.tracker import Seated
from pi_app.game import events as ev
from pi_app.game.rules import SquareState
from pi_app.game.state import Square
from pi_app.play.loop.dials import DialWatch
from pi_app.play.loop.session import GameSession
from pi_app.play.seats_and_dials import TableDial, counted_from


class Starts:
    """The starts of a table's dials."""

    def __init__(self, session: GameSession, watch: DialWatch, mode: ev.Starts) -> None:
        self._session, self._watch = session, watch
        self._found = mode == "found"

    def taken(self, begun: ev.Started) -> ev.Started:
        """Return the first event of a game with the start of each dial, as it stands now."""
        if not self._found:
            return begun
        squares = tuple(replace(square, start=self._start(square.label, square.absolute)) for square in begun.squares)
        return replace(begun, starts="found", squares=squares)

    def apply(self, begun: ev.Started) -> None:
        """Count every dial from its start, now that the game's first event is on disk."""
        for square in begun.squares:
            if square.start is not None:
                self._count(self._session.dials[square.label], square.start, found=begun.starts is not msgspec.UNSET)

    def resume(self) -> None:
        """Count every dial from the start that it has in the resumed game."""
        for label, square in self._session.game.squares.items():
            self._session.dials[label].start = square.start if square.absolute else 0

    def settle(self) -> None:
        """Give a start to each dial that had none, as soon as it rests."""
        if not self._session.game.found_starts:
            return
        for label, square in self._session.game.squares.items():
            if not square.homed and self._may_settle(square):
                self._settle(label, square)

    def _may_settle(self, square: Square) -> bool:
        """Return whether a dial may get a start now: nobody is about to read it, and nobody has."""
        dial = self._session.dials[square.label]
        free = self._session.game.claim_on(square.label) is None and dial.kept is None and not square.lost
        unread = square.state is SquareState.CONCEALED and dial.history.has_room(self._session.clock.now_ns())
        return free and unread and self._session.may_write

    def _settle(self, label: str, square: Square) -> None:
        start = self._start(label, square.absolute)
        if start is None or not self._session.record_event(ev.Homed(square=label, start=start)):
            return
        dial = self._session.dials[label]
        dial.history.recorded(self._session.clock.now_ns())
        self._count(dial, start, found=True)
        dial.unseen_from = None

    def _start(self, label: str, absolute: bool) -> int | None:
        """Return the detent where a dial starts that stands as it does now. One that counts steps has only here."""
        dial = self._session.dials[label]
        stand = dial.tracker.stand
        doubtful = dial.lost or dial.tracker.glitching or dial.tracker.off_rest or self._watch.tiles.withheld(label)
        if stand is None or doubtful or dial.raw is None:
            return None
        near = _nearest(dial, dial.raw)
        rests_there = near == stand.position if isinstance(stand, Seated) else near in (stand.low, stand.high)
        if not rests_there:  # its last sample is not where it rested
            return None
        return near if absolute else 0

    @staticmethod
    def _count(dial: TableDial, start: int, *, found: bool) -> None:
        stand = dial.tracker.stand
        if not found or not dial.life:
            dial.start = start
        elif isinstance(stand, Seated):
            dial.start = stand.position
        else:
            _count_from_here(dial)


def _nearest(dial: TableDial, raw: int) -> int:
    """Return the detent that is nearest to an angle of a dial; the one with the lower number if two are as near."""
    shape = dial.tracker.shape
    turn = shape.counts_per_turn
    angle = (raw - dial.zero) % turn
    angle = (turn - angle) % turn if shape.invert else angle
    away = [abs((angle - centre + turn / 2) % turn - turn / 2) for centre in shape.ccw_centres()]
    return away.index(min(away))


def _count_from_here(dial: TableDial) -> None:
    """Count steps from where a dial rests. It rested there in its last samples, so that is where it stands."""
    at_ns = dial.good_ns or 0
    counted_from(dial, dial.raw or 0, dial.life)
    for ns in (at_ns - 1, at_ns):
        dial.tracker.feed(ns, 0)
