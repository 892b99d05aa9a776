"""Turns of dials: whose they are, and that they are written down.

A claim is bound to the first dial that moves under it. A turn that nobody claimed is recorded where it comes to rest;
one that is claimed when its player looks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pi_app.dials.tracker import Between, Turn, joined
from pi_app.game import events as ev
from pi_app.game.state import Claim
from pi_app.play.loop.dials import DialWatch
from pi_app.play.loop.sitting import Sitting
from pi_app.play.seats_and_dials import DialPlace, motion_of, unlocated
from pi_app.report.seat_screen import Attention
from pi_app.text.language import N_

CLAIM_RUNS_OUT_NS: Final = 120_000_000_000
"""A claim that no dial followed would keep the others waiting; after this it is dropped."""


TOGETHER_NS: Final = 30_000_000
"""Dials that begin to turn within this of each other begin together."""


class Turns:
    """The turns that are under way, kept until the disk has them."""

    def __init__(self, sitting: Sitting, watch: DialWatch) -> None:
        self._sitting, self._watch = sitting, watch
        self._claimed_ns: dict[str, tuple[int, int]] = {}
        """When a seat asked for its claim, and when it was told that it has it: the disk may take its time."""
        self._starting: dict[str, tuple[int, int, int]] = {}
        """Dials that have just begun to turn: since when it is known, and between which two samples they left."""

    def claimed(self, seat: str) -> None:
        """From now on this seat is waited for."""
        self._claimed_ns[seat] = (self._sitting.step_ns, self._sitting.clock.now_ns())

    def started(self, starting: Sequence[str]) -> None:
        """These dials have begun to turn."""
        now_ns = self._sitting.clock.now_ns()
        for label in starting:
            self._starting[label] = (now_ns, *self._sitting.dials[label].tracker.moved_between)

    def bind(self) -> None:
        """The first dial that moves under a claim is what the claim is about. Two within TOGETHER_NS end it: it must
        not be guessed which of them a player may read. A dial that moved before its seat was told that it may is not
        bound; where the record cannot show which came first, the claim ends, and its seat is told."""
        now_ns = self._sitting.clock.now_ns()
        if all(now_ns - began_ns < TOGETHER_NS for began_ns, *_ in self._starting.values()):
            return
        moves = {label: move for label, (_, *move) in self._starting.items() if self._may_be_claimed(label)}
        self._starting.clear()
        claim = self._sitting.game.open_claim
        if claim is None or not moves:
            return
        asked_ns, told_ns = self._claimed_ns.get(claim.seat, (0, 0))
        after = [label for label, (left_ns, _) in moves.items() if left_ns >= told_ns]
        if len(after) > 1:
            self._sitting.inform(N_("Two dials moved at once under one claim; neither counts."))
            self._end_claim(claim)
        elif after:
            if self._sitting.happen(ev.Bound(seat=claim.seat, square=after[0])):
                self._sitting.prompt(self._sitting.seats[claim.seat], Attention.HOLD_TO_LOOK, after[0])
        elif any(first_ns >= asked_ns for _, first_ns in moves.values()):
            self._end_claim(claim)

    def _end_claim(self, claim: Claim) -> None:
        """Nobody can say which dial this claim is about: its player taps again."""
        if self._sitting.happen(ev.ClaimDropped(seat=claim.seat, why="unclear")):
            self._sitting.says(self._sitting.seats[claim.seat], Attention.TAP_AGAIN)

    def _may_be_claimed(self, label: str) -> bool:
        square = self._sitting.game.squares.get(label)
        return square is not None and not square.to_be_turned_to_disarmed and self._sitting.game.claim_on(label) is None

    def turned(self, label: str, turn: Turn) -> None:
        """A turn that ended by itself: nobody's."""
        place = self._sitting.dials[label]
        self._watch.rested(label)
        if self._sitting.playing:
            place.kept = turn if place.kept is None else joined(place.kept, turn)
            if self._sitting.game.claim_on(label) is None and not place.was_turning:
                self._bind_late(label, turn)
            if self._sitting.game.claim_on(label) is None:
                self.record(label, None)

    def _bind_late(self, label: str, turn: Turn) -> None:
        """A turn that was over before it was seen to begin. Under an open claim it either is what the claim is about,
        or it ends the claim: left open, the claim would take the next player's dial."""
        claim = self._sitting.game.open_claim
        asked_ns, told_ns = (0, 0) if claim is None else self._claimed_ns.get(claim.seat, (0, 0))
        if claim is None or turn.start_ns < asked_ns or not self._may_be_claimed(label):
            return
        if turn.unseen or turn.left_ns < told_ns:
            if not self._sitting.dials[label].tracker.hopping:
                self._end_claim(claim)
        elif self._sitting.happen(ev.Bound(seat=claim.seat, square=label)):
            self._sitting.prompt(self._sitting.seats[claim.seat], Attention.HOLD_TO_LOOK, label)

    def record(self, label: str, claim: Claim | None) -> bool:
        """Write down the turn that is kept, or that a dial stands elsewhere than when the program last ran."""
        place = self._sitting.dials[label]
        motion = self._unseen_motion(label) if place.kept is None else motion_of(place.kept, place.unseen_from)
        in_doubt = place.tracker.hopping or self._watch.tiles.withheld(label)
        if in_doubt or not self._sitting.game.squares[label].homed:
            motion = unlocated(motion)
        told = self._sitting.happen(
            ev.Turned(
                square=label,
                motion=motion,
                seat=None if claim is None else claim.seat,
                purpose=None if claim is None else claim.purpose,
                grade=None if claim is None else claim.grade,
            )
        )
        if told:
            place.kept = place.unseen_from = None
        return told

    def _unseen_motion(self, label: str) -> ev.Motion:
        stand = self._sitting.dials[label].tracker.stand
        return ev.Motion(
            from_position=self._sitting.dials[label].unseen_from,
            to_position=self._watch.position(label),
            clicks=None,
            between=(stand.low, stand.high) if isinstance(stand, Between) else None,
            end_raw=self._sitting.dials[label].raw,
            while_off=True,
        )

    def record_what_was_kept(self) -> None:
        """Turns that nobody claimed and that the disk did not take: try them again."""
        if not self._sitting.may_write:
            return
        for label, place in self._sitting.dials.items():
            if place.kept is not None and self._sitting.game.claim_on(label) is None:
                self.record(label, None)

    def untouched(self, label: str) -> bool:
        """Whether a claimed dial was not turned yet, and need not be, so that the claim can be taken back."""
        place = self._sitting.dials[label]
        claim = self._sitting.game.claim_on(label)
        asked_for = claim is not None and claim.purpose == "trigger"
        return not (asked_for or place.tracker.turning or place.kept is not None or place.unseen_from is not None)

    def end(self, dial: DialPlace) -> None:
        """The turn that is under way ends here and is kept."""
        turn = dial.tracker.end_turn(self._sitting.clock.now_ns())
        if turn is not None:
            dial.kept = turn if dial.kept is None else joined(dial.kept, turn)

    def close_all(self) -> None:
        """At the end of a game every open turn is written down as it is."""
        for label, dial in self._sitting.dials.items():
            self.end(dial)
            if dial.kept is not None:
                self.record(label, self._sitting.game.claim_on(label))

    def let_claims_run_out(self) -> None:
        """Drop the open claim if it was waited for too long."""
        claim = self._sitting.game.open_claim
        if claim is None:
            return
        if self._sitting.clock.now_ns() - self._claimed_ns.get(claim.seat, (0, 0))[1] > CLAIM_RUNS_OUT_NS:
            self._sitting.happen(ev.ClaimDropped(seat=claim.seat, why="ran out"))
