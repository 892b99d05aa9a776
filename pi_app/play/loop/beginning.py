"""Begins a game, or resumes one that a power cut interrupted."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final

from pi_app.dials.tracker import Between
from pi_app.game import events as ev
from pi_app.game.ruleset import rules_line
from pi_app.play.loop.dials import DialWatch
from pi_app.play.loop.session import GameSession
from pi_app.play.loop.setup import GameStart
from pi_app.play.loop.turns import Turns
from pi_app.play.seats_and_dials import TableDial
from pi_app.report.moment import NO_GAME
from pi_app.report.visibility import PUBLIC, REFEREE
from pi_app.text.language import N_

STARTS_WITHIN_NS: Final = 5_000_000_000
"""A game begins when every dial rests, but waits no longer than this for one that never does."""

UNREMARKABLE: Final = frozenset({"magnet good", "angle stands still"})


class Beginning:
    """The first events of a game, which are retried until they are on disk."""

    def __init__(
        self,
        session: GameSession,
        watch: DialWatch,
        turns: Turns,
        start: GameStart,
    ) -> None:
        self._session, self._watch, self._turns = session, watch, turns
        self._start = start
        self._shuffle: bool | None = None
        self._opened_ns = session.step_ns
        steps = (self._new_game, self.check) if start.resume is None else (self._resume,)
        self.due: deque[Callable[[], bool]] = deque(() if start.waits else steps)
        """The steps that are not on disk yet."""

    def begin_when_seen(self) -> None:
        """Begin as soon as every dial rests; at the latest after five seconds."""
        still = all(dial.seen and self._at_rest(dial) for dial in self._session.dials.values())
        if not still and self._session.clock.now_ns() - self._opened_ns < STARTS_WITHIN_NS:
            return
        self._session.ready = True
        for note in self._start.notes:
            self._session.tell_referee(note)
        for label in self._session.dials:
            self._watch.rested(label)
        self.begin()

    def begin(self) -> None:
        """Record the steps that are due, until the disk refuses one."""
        while self.due and self.due[0]():
            self.due.popleft()

    @staticmethod
    def _at_rest(dial: TableDial) -> bool:
        return dial.lost or dial.good_ns is None or not dial.tracker.moving

    def _new_game(self) -> bool:
        self._session.game_id = self._start.new_game_id()
        self._session.moment = NO_GAME
        if not self._session.record_event(self._start.first_event(self._shuffle)):
            return False
        self._session.deal_lamps(self._start.lamp_pick, self._start.dealt)
        self._announce_rules()
        for dial in self._session.dials.values():
            dial.lost, dial.unseen_from, dial.kept = False, None, None
            dial.history.forget("readings")
            dial.unnoted = [said for said in dial.conditions.values() if said.condition not in UNREMARKABLE]
        return True

    def check(self) -> bool:
        """Record the position of every dial. Return False if the disk refused it."""
        squares = self._session.game.squares
        stands = {label: self._watch.position(label) for label in squares}
        raws = {
            label: None if dial.lost else dial.raw
            for label, dial in self._session.dials.items()
            if label in squares and squares[label].absolute
        }
        return self._session.record_event(ev.SetupChecked(stands=stands, raws=raws))

    def _resume(self) -> bool:
        """Resume the game of the journal. A dial at another position was turned while the program did not run."""
        if not self._session.record_event(ev.Resumed(version=self._start.first_event(False).version)):
            return False
        self._session.deal_lamps(self._start.lamp_pick, self._start.dealt)
        self._announce_rules()
        for claim in self._session.game.claims:
            self._turns.claimed(claim.seat)
        for label, square in self._session.game.squares.items():
            dial = self._session.dials[label]
            dial.lost = square.lost
            at = self._watch.position(label)
            elsewhere = at is not None or (square.stands is not None and self._stands_between(dial))
            if elsewhere and at != square.stands:
                dial.unseen_from = square.stands
                if self._session.game.claim_on(label) is None:
                    self._turns.record(label, None)
        return True

    @staticmethod
    def _stands_between(dial: TableDial) -> bool:
        return isinstance(dial.tracker.stand, Between) and not dial.lost and not dial.tracker.moving

    def new_game(self, shuffle: bool | None) -> None:
        """Begin a new game on request. `shuffle`: whether to deal the trap tables; None: as the settings say."""
        if self._session.playing:
            self._session.inform(N_("A game is on. Say 'end' before you begin another."))
            return
        self._shuffle = shuffle
        self.due = deque((self._new_game, self.check))
        self.begin()

    def _announce_rules(self) -> None:
        """Send the rules of this game to all. They are no line of a report: older records keep digests of those."""
        for viewer in (PUBLIC.name, REFEREE.name):
            self._session.tell(viewer, rules_line(self._session.game.ruleset, self._session.words))
