"""Assigns turns of dials to claims, and records them.

A claim is bound to the first dial that moves after it. An unclaimed turn is recorded where it comes to rest; a claimed
one when its player looks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pi_app.dials.steady import MOST_COUNTED
from pi_app.dials.tracker import Between, Turn, joined
from pi_app.game import events as ev
from pi_app.game.state import Claim
from pi_app.journal.budget import Budget
from pi_app.play.loop.dials import DialWatch
from pi_app.play.loop.session import GameSession
from pi_app.play.seats_and_dials import TableDial, motion_of, unlocated
from pi_app.report.seat_screen import Attention
from pi_app.text.language import N_

CLAIM_EXPIRES_NS: Final = 120_000_000_000
"""A claim without a dial blocks the other players, so it is dropped after this time."""

TOGETHER_NS: Final = 30_000_000
"""Dials that begin to turn within this time of each other begin together."""

UNCLAIMED: Final = Budget(at_once=20, every_ns=30_000_000_000)
"""The entries of unclaimed turns of one dial: 140 in the worst hour. A player hardly makes one in a game."""


class Turns:
    """The turns that are not on disk yet."""

    def __init__(self, session: GameSession, watch: DialWatch) -> None:
        self._session, self._watch = session, watch
        self._claimed_ns: dict[str, tuple[int, int]] = {}
        """When a seat claimed, and when its claim was confirmed: the disk can be slow."""
        self._starting: dict[str, tuple[int, int, int]] = {}
        """Dials that have just begun to turn: when that was known, and between which two samples it began."""
        self._unclaimed: dict[str, Budget] = {}

    def forget(self) -> None:
        """Forget the claims and turns of the game that has ended."""
        self._claimed_ns.clear()
        self._starting.clear()
        self._unclaimed.clear()

    def claimed(self, seat: str) -> None:
        """Start the time in which this seat has to turn a dial."""
        self._claimed_ns[seat] = (self._session.step_ns, self._session.clock.now_ns())

    def started(self, starting: Sequence[str]) -> None:
        """Note the dials that have begun to turn."""
        now_ns = self._session.clock.now_ns()
        for label in starting:
            self._starting[label] = (now_ns, *self._session.dials[label].tracker.moved_between)

    def bind(self) -> None:
        """Bind the open claim to the first dial that moved after its seat was told of it. Two dials within TOGETHER_NS
        end the claim: which of them the player may read must not be guessed. The claim also ends if the record cannot
        show whether the dial or the claim came first."""
        now_ns = self._session.clock.now_ns()
        if all(now_ns - began_ns < TOGETHER_NS for began_ns, *_ in self._starting.values()):
            return
        moves = {label: move for label, (_, *move) in self._starting.items() if self._may_be_claimed(label)}
        self._starting.clear()
        claim = self._session.game.open_claim
        if claim is None or not moves:
            return
        asked_ns, told_ns = self._claimed_ns.get(claim.seat, (0, 0))
        after = [label for label, (left_ns, _) in moves.items() if left_ns >= told_ns]
        if len(after) > 1:
            self._session.inform(N_("Two dials moved at once under one claim; neither counts."))
            self._end_claim(claim)
        elif after:
            if self._session.record_event(ev.Bound(seat=claim.seat, square=after[0])):
                self._session.prompt(self._session.seats[claim.seat], Attention.HOLD_TO_LOOK, after[0])
        elif any(first_ns >= asked_ns for _, first_ns in moves.values()):
            self._end_claim(claim)

    def _end_claim(self, claim: Claim) -> None:
        """Drop a claim whose dial is unclear, and ask its player to tap again."""
        if self._session.record_event(ev.ClaimDropped(seat=claim.seat, why="unclear")):
            self._session.show_sentence(self._session.seats[claim.seat], Attention.TAP_AGAIN)

    def _may_be_claimed(self, label: str) -> bool:
        square = self._session.game.squares.get(label)
        return square is not None and not square.to_be_turned_to_disarmed and self._session.game.claim_on(label) is None

    def turned(self, label: str, turn: Turn) -> None:
        """Keep a turn that ended at rest, and record it if it is unclaimed."""
        dial = self._session.dials[label]
        self._watch.rested(label)
        if self._session.playing:
            self._keep(dial, turn)
            if self._session.game.claim_on(label) is None and not dial.was_turning:
                self._bind_late(label, turn)
            if self._session.game.claim_on(label) is None and self._may_record(label, dial):
                self.record(label, None)

    @staticmethod
    def _keep(dial: TableDial, turn: Turn) -> None:
        dial.kept_turns = 1 if dial.kept is None else min(dial.kept_turns + 1, MOST_COUNTED)
        dial.kept = turn if dial.kept is None else joined(dial.kept, turn)

    def _may_record(self, label: str, dial: TableDial) -> bool:
        """Return whether an unclaimed turn is recorded now. That of a lost dial waits until it is back, and those of a
        dial that is turned again and again are joined; but not while a claim is open, which must not get them."""
        if self._session.game.open_claim is not None:
            return True
        return not self._lost(label) and self._unclaimed.get(label, UNCLAIMED).room(self._session.clock.now_ns()) > 0

    def _lost(self, label: str) -> bool:
        """Return whether a dial is lost, or its recovery is not in the record yet."""
        return self._session.dials[label].lost or self._session.game.squares[label].lost

    def record_unclaimed(self) -> None:
        """Record the unclaimed turns that are kept, before a player claims or a line is typed."""
        for label, dial in self._session.dials.items():
            unclaimed = dial.kept is not None and self._session.game.claim_on(label) is None
            if unclaimed and self._session.may_write:
                self.record(label, None)

    def _bind_late(self, label: str, turn: Turn) -> None:
        """Bind the open claim to a turn that was over before its beginning was seen, or end the claim: an open one
        would take the next player's dial."""
        claim = self._session.game.open_claim
        asked_ns, told_ns = (0, 0) if claim is None else self._claimed_ns.get(claim.seat, (0, 0))
        if claim is None or turn.start_ns < asked_ns or not self._may_be_claimed(label):
            return
        if turn.unseen or turn.left_ns < told_ns:
            if not self._session.dials[label].tracker.glitching:
                self._end_claim(claim)
        elif self._session.record_event(ev.Bound(seat=claim.seat, square=label)):
            self._session.prompt(self._session.seats[claim.seat], Attention.HOLD_TO_LOOK, label)

    def record(self, label: str, claim: Claim | None) -> bool:
        """Record the turn that is kept, or that a dial is not where it was when the program last ran."""
        if claim is not None and not self._watch.settle(label):
            return False
        dial = self._session.dials[label]
        motion = self._unseen_motion(label) if dial.kept is None else motion_of(dial.kept, dial.unseen_from)
        in_doubt = dial.tracker.glitching or self._watch.tiles.withheld(label)
        if in_doubt or not self._session.game.squares[label].homed:
            motion = unlocated(motion)
        recorded = self._session.record_event(
            ev.Turned(
                square=label,
                motion=motion,
                seat=None if claim is None else claim.seat,
                purpose=None if claim is None else claim.purpose,
                grade=None if claim is None else claim.grade,
                turns=dial.kept_turns if claim is None and dial.kept is not None else 1,
            )
        )
        if recorded or self._session.refused_for_good:
            dial.kept = dial.unseen_from = None
        if recorded and claim is None:
            used = self._unclaimed.get(label, UNCLAIMED)
            self._unclaimed[label] = used.used(self._session.clock.now_ns())
        if not recorded and self._session.refused_for_good and claim is not None:
            self._end_claim(claim)
        return recorded

    def _unseen_motion(self, label: str) -> ev.Motion:
        stand = self._session.dials[label].tracker.stand
        return ev.Motion(
            from_position=self._session.dials[label].unseen_from,
            to_position=self._watch.position(label),
            clicks=None,
            between=(stand.low, stand.high) if isinstance(stand, Between) else None,
            end_raw=self._session.dials[label].raw,
            while_off=True,
        )

    def retry_unclaimed(self) -> None:
        """Retry unclaimed turns that the disk refused."""
        if not self._session.may_write:
            return
        for label, dial in self._session.dials.items():
            unclaimed = dial.kept is not None and self._session.game.claim_on(label) is None
            if unclaimed and self._may_record(label, dial):
                self.record(label, None)

    def begun(self, label: str) -> bool:
        """Return whether this dial turns, or has turned and is not on disk yet."""
        dial = self._session.dials[label]
        return dial.tracker.turning or dial.kept is not None

    def untouched(self, label: str) -> bool:
        """Return whether a claimed dial was not turned and need not be, so that the claim can be taken back."""
        dial = self._session.dials[label]
        claim = self._session.game.claim_on(label)
        asked_for = claim is not None and claim.purpose == "trigger"
        return not (asked_for or self.begun(label) or dial.unseen_from is not None)

    def end(self, dial: TableDial) -> None:
        """End the turn that is in progress, and keep it."""
        turn = dial.tracker.end_turn(self._session.clock.now_ns())
        if turn is not None:
            self._keep(dial, turn)

    def close_all(self) -> None:
        """Record every open turn as it is, at the end of a game."""
        for label, dial in self._session.dials.items():
            self.end(dial)
            if dial.kept is not None:
                self.record(label, self._session.game.claim_on(label))

    def drop_expired_claim(self) -> None:
        """Drop the open claim if no dial moved within CLAIM_EXPIRES_NS."""
        claim = self._session.game.open_claim
        if claim is None:
            return
        if self._session.clock.now_ns() - self._claimed_ns.get(claim.seat, (0, 0))[1] > CLAIM_EXPIRES_NS:
            self._session.record_event(ev.ClaimDropped(seat=claim.seat, why="ran out"))
