"""How a game begins, and how one that a power cut ended goes on."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

from pi_app.dials.tracker import Between
from pi_app.game import events as ev
from pi_app.game.ruleset import rules_line
from pi_app.play.loop.dials import DialWatch
from pi_app.play.loop.sitting import Sitting
from pi_app.play.loop.turns import Turns
from pi_app.play.seats_and_dials import DialPlace
from pi_app.report.moment import NO_GAME
from pi_app.report.visibility import PUBLIC, REFEREE
from pi_app.text.language import N_

STARTS_WITHIN_NS: Final = 5_000_000_000
"""A game begins when every dial stands still; one that never does must not keep the others waiting."""

UNREMARKABLE: Final = frozenset({"magnet good", "angle stands still"})


class Beginning:
    """What a game begins with, until the disk has taken it."""

    def __init__(
        self,
        sitting: Sitting,
        watch: DialWatch,
        turns: Turns,
        *,
        start: Callable[[bool | None], ev.Started],
        new_game_id: Callable[[], str],
        notes: Sequence[str],
        resumes: bool,
    ) -> None:
        """`start` makes the first event; whether trap tables are shuffled is handed to it. `notes` are told to the
        referee before anything else."""
        self._sitting, self._watch, self._turns = sitting, watch, turns
        self.start, self._new_game_id, self._notes = start, new_game_id, notes
        self._shuffle: bool | None = None
        self._opened_ns = sitting.step_ns
        self.due: deque[Callable[[], bool]] = deque((self._resume,) if resumes else (self._new_game, self.check))
        """The steps that are still to be written down."""

    def begin_when_seen(self) -> None:
        """Begin as soon as every dial was seen at rest; at the latest after five seconds."""
        still = all(place.seen and self._at_rest(place) for place in self._sitting.dials.values())
        if not still and self._sitting.clock.now_ns() - self._opened_ns < STARTS_WITHIN_NS:
            return
        self._sitting.ready = True
        for note in self._notes:
            self._sitting.tell_referee(note)
        for label in self._sitting.dials:
            self._watch.rested(label)
        self.begin()

    def begin(self) -> None:
        """Write down what is due, as far as the disk takes it."""
        while self.due and self.due[0]():
            self.due.popleft()

    @staticmethod
    def _at_rest(place: DialPlace) -> bool:
        return place.lost or place.good_ns is None or not place.tracker.moving

    def _new_game(self) -> bool:
        self._sitting.game_id = self._new_game_id()
        self._sitting.moment = NO_GAME
        if not self._sitting.happen(self.start(self._shuffle)):
            return False
        self._tell_the_rules()
        for place in self._sitting.dials.values():
            place.lost, place.unseen_from, place.kept = False, None, None
            place.unnoted = [said for said in place.conditions.values() if said.condition not in UNREMARKABLE]
        return True

    def check(self) -> bool:
        """Write down where every dial stands. False: the disk did not take it."""
        squares = self._sitting.game.squares
        stands = {label: self._watch.position(label) for label in squares}
        raws = {
            label: None if place.lost else place.raw
            for label, place in self._sitting.dials.items()
            if label in squares and squares[label].absolute
        }
        return self._sitting.happen(ev.SetupChecked(stands=stands, raws=raws))

    def _resume(self) -> bool:
        """Go on where the journal ends. A dial that stands elsewhere now was turned while nobody looked."""
        if not self._sitting.happen(ev.Resumed(version=self.start(False).version)):
            return False
        self._tell_the_rules()
        for claim in self._sitting.game.claims:
            self._turns.claimed(claim.seat)
        for label, square in self._sitting.game.squares.items():
            place = self._sitting.dials[label]
            place.lost = square.lost
            at = self._watch.position(label)
            elsewhere = at is not None or (square.stands is not None and self._stands_between(place))
            if elsewhere and at != square.stands:
                place.unseen_from = square.stands
                if self._sitting.game.claim_on(label) is None:
                    self._turns.record(label, None)
        return True

    @staticmethod
    def _stands_between(place: DialPlace) -> bool:
        return isinstance(place.tracker.stand, Between) and not place.lost and not place.tracker.moving

    def new_game_asked(self, shuffle: bool | None) -> None:
        """Somebody typed `new`. `shuffle`: whether trap tables are dealt anew; None is as the settings say."""
        if self._sitting.playing:
            self._sitting.inform(N_("A game is on. Say 'end' before you begin another."))
            return
        self._shuffle = shuffle
        self.due = deque((self._new_game, self.check))
        self.begin()

    def _tell_the_rules(self) -> None:
        """The switches of this game, to all; no line of a report, whose digests older records keep."""
        for viewer in (PUBLIC.name, REFEREE.name):
            self._sitting.tell(viewer, rules_line(self._sitting.game.ruleset, self._sitting.words))
