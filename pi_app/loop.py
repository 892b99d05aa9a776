"""The table's loop: looks become turns, turns become events, events are written down and then told.

It is handed parts and makes none. Nothing here knows whether a part is real or a twin. The order in `_happen` is
the promise of the house: on disk first, then the game, then the displays.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from hardware.clock import Clock
from hardware.readings import Magnet, Reading, Sample, Trouble, TroubleKind
from pi_app import commands
from pi_app import events as ev
from pi_app.care import ALL_PLUGGED_IN, ALL_READ_AGAIN, READ_AGAIN
from pi_app.clock_words import clock_words
from pi_app.conversion import Figure
from pi_app.dial import Between, Seated, Tracker, Turn, joined
from pi_app.displays.words import LABELLED, N_, listed
from pi_app.displays.words import words as words_of
from pi_app.faces import Dark, SeatPicture
from pi_app.feed import Feed, Look, rounds
from pi_app.fingerprint import Fingerprints
from pi_app.game import Claim, Phase
from pi_app.journal import Journal, NotRecordedError
from pi_app.news import News, NoNews
from pi_app.places import DialPlace, Listener, SeatPlace, Timing, counted_from, motion_of, unlocated
from pi_app.report import (
    NO_GAME,
    PUBLIC,
    REFEREE,
    Attention,
    Moment,
    seat_die,
    seat_looks,
    seat_says,
    seat_token,
)
from pi_app.ruleset import rules_line
from pi_app.ruling_words import converted
from pi_app.seat import Gesture
from pi_app.table_moves import said, what_now
from pi_app.tidy import tidy

SAY_NS: Final = 4_000_000_000
"""How long a neutral sentence stays on a seat's screen."""

CLAIM_RUNS_OUT_NS: Final = 120_000_000_000
"""A claim that no dial followed would keep the others waiting; after this it is dropped."""

LOST_AFTER_NS: Final = 100_000_000
"""A dial that gave no angle for this long is lost: longer than any retry, shorter than anyone's patience."""

ALL_LOST_NS: Final = 100_000_000
"""Dials that are lost for one reason are lost within this of each other."""

TOGETHER_NS: Final = 300_000_000
"""Dials that come back within this of each other are told of in one sentence."""

AGAIN_NS: Final = 10_000_000_000
"""Holding again within this shows the next square that the seat knows; later it begins with the newest."""

CLEARER: Final = frozenset({TroubleKind.IMPLAUSIBLE, TroubleKind.OTHER_TILE, TroubleKind.NO_MAGNET})
"""What a dial may turn out to have after it was lost: worth a word, where one more failed look is not."""

MAGNETS: Final[Mapping[Magnet, ev.Condition]] = {
    Magnet.GOOD: "magnet good",
    Magnet.TOO_WEAK: "magnet too weak",
    Magnet.TOO_STRONG: "magnet too strong",
}

UNREMARKABLE: Final = frozenset({"magnet good", "angle stands still"})

FOREIGN_EVERY_NS: Final = 1_000_000_000

DISK_RESTS_NS: Final = 1_000_000_000
"""After a refusal the disk is not asked again for so long by anything but a player's own hand."""

QUIET_AFTER_NS: Final = 20_000_000_000
"""With no game on and nothing stirring for so long, the dials are looked at now and then only."""

QUIET_PERIOD_NS: Final = 40_000_000
"""From step to step at a quiet table: nobody taps a button for a shorter time."""

OFFER_STANDS_NS: Final = (1_000_000_000, SAY_NS)
"""A tap is the yes to an offer from so long after it was shown, and as long as it is."""

STARTS_WITHIN_NS: Final = 5_000_000_000
"""A game begins when every dial stands still; one that never does must not keep the others waiting."""


class Loop:
    """One table being played."""

    def __init__(
        self,
        *,
        clock: Clock,
        feed: Feed,
        dials: Mapping[str, Tracker],
        seats: Sequence[SeatPlace],
        journal: Journal[Moment, ev.AnyEvent],
        start: Callable[[bool | None], ev.Started],
        pick: Callable[[int], int],
        spawn: Sequence[Figure] = (),
        new_game_id: Callable[[], str],
        roll: Callable[[], int],
        device_rolls: bool = False,
        listeners: Sequence[Listener] = (),
        timing: Timing | None = None,
        resume: tuple[str, Moment] | None = None,
        language: str = "en",
        notes: Sequence[str] = (),
        fingerprints: Fingerprints | None = None,
        machine: News | None = None,
    ) -> None:
        """`pick` gives 0 to n-1, each as likely as the others; `spawn` is the owner's Mage Spawn pool. `roll` gives a
        die of 1 to 6; with `device_rolls` it is rolled at every claim."""
        self.clock, self.feed, self.journal = clock, feed, journal
        self.dials = {label: DialPlace(tracker) for label, tracker in dials.items()}
        self.seats = {place.seat: place for place in seats}
        self.moment = NO_GAME if resume is None else resume[1]
        self.game_id = "" if resume is None else resume[0]
        self.running = True
        self._due: deque[Callable[[], bool]] = deque(
            (self._new_game, self._check) if resume is None else (self._resume,)
        )
        """What a game begins with, until the disk has taken it."""
        self._start, self._new_game_id = start, new_game_id
        self._shuffle: bool | None = None
        self._pick, self._spawn = pick, spawn
        self._die, self._device_rolls = roll, device_rolls
        self._machine = machine or NoNews()
        self._timing = timing or Timing()
        self.listeners = listeners
        self._words = words_of(language)
        self._notes = notes
        self._fingerprints = fingerprints or Fingerprints({})
        self._inbox: deque[str] = deque()
        self._claimed_ns: dict[str, int] = {}
        self._why: dict[str, int] = {}
        self._back: dict[str, int] = {}
        self._foreign_ns = 0
        self._refused_ns: int | None = None
        self._opened_ns = self._step_ns = self._stirred_ns = clock.now_ns()
        """When this step began. Displays go by it: a lamp's flashes are then whole steps, whatever else a step does."""
        self.ready = False

    def say(self, line: str) -> None:
        """Hand in a line of the table's command language; it is carried out in the next step. Any thread may call."""
        self._inbox.append(line)

    def run(self) -> None:
        """Play until somebody says quit."""
        while self.running:
            self.step()

    def step(self) -> None:
        """One round: look, listen, show, rest."""
        began_ns = self._step_ns = self.clock.now_ns()
        self._look()
        if not self.ready:
            self._begin_when_seen()
        elif self._due and self._disk_rested:
            self._begin()
        for place in self.seats.values():
            self._listen_to(place)
        while self._inbox and (self.ready or self._inbox[0].strip().lower() == "quit"):
            self._obey(self._inbox.popleft())
        self._let_claims_run_out()
        self._note_conditions()
        self._tell_why()
        self._tell_who_is_back()
        self._hear_others()
        self._hear_the_machine()
        self._refresh()
        self._tidy()
        quiet = self.feed.quiet = self._quiet
        self.feed.rest(began_ns + max(self._timing.period_ns, QUIET_PERIOD_NS if quiet else 0))

    @property
    def _quiet(self) -> bool:
        """No game is on, and for long no dial moved or failed, nobody pressed or said anything."""
        return self.ready and not self._playing and self._step_ns - self._stirred_ns > QUIET_AFTER_NS

    def _tidy(self) -> None:
        """Long work of Python's and of the journal's own waits until nobody does."""
        idle = not self.moment.game.claims
        tidy(idle=idle)
        if idle:
            self.journal.tidy()

    # ------------------------------------------------------------------ dials

    def _look(self) -> None:
        for one_round in rounds(self.feed.take()):
            self._look_at(one_round)

    def _look_at(self, looks: Sequence[Look]) -> None:
        starting: list[str] = []
        for label, sample in looks:
            place = self.dials[label]
            turn = self._follow(label, place, sample)
            if turn is not None:
                self._turned(label, turn)
            if place.tracker.turning:
                self._stirred_ns = self._step_ns
            turning = place.tracker.turning and not place.tracker.leapt
            if turning and not place.was_turning:
                starting.append(label)
            place.was_turning = turning
        if starting:
            self._bind(starting)

    def _follow(self, label: str, place: DialPlace, sample: Sample) -> Turn | None:
        if isinstance(sample, Trouble):
            self._missed(label, place, sample)
            return place.tracker.feed(sample.at_ns, None)
        if sample.life != place.life and not self._new_life(label, place, sample):
            return place.tracker.feed(sample.at_ns, None)
        turn = place.tracker.feed(sample.at_ns, (sample.raw - place.zero) % place.tracker.shape.counts_per_turn)
        self._answered(label, place, sample)
        return turn

    def _new_life(self, label: str, place: DialPlace, reading: Reading) -> bool:
        """A dial that only counts steps counts anew. False: the disk did not take it, so it is asked again."""
        known = place.life and self._playing and self.moment.game.squares[label].homed
        if known and not (self._may_write and self._happen(ev.CountLost(square=label))):
            return False
        counted_from(place, 0, reading.life)
        return True

    def _home(self, event: ev.Homed) -> None:
        """The dial stands at its start mark, says the referee: that is where it counts from."""
        place = self.dials[event.square]
        if place.lost or place.raw is None:
            told = self._words(N_("{square} does not answer; it cannot be homed now."))
        elif place.tracker.moving:
            told = self._words(N_("{square} still moves; let it rest and say it again."))
        elif not self._happen(event):
            return
        else:
            counted_from(place, place.raw, place.life)
            told = self._words(N_("{square} counts from its start mark now."))
        self._tell(REFEREE.name, told.format(square=event.square))

    def _missed(self, label: str, place: DialPlace, trouble: Trouble) -> None:
        self._stirred_ns = self._step_ns
        if trouble.news:
            self._tell(REFEREE.name, trouble.news)
        place.seen = place.seen or trouble.kind is not TroubleKind.NOT_READ
        if trouble.kind is TroubleKind.OTHER_TILE and "tile" not in place.conditions:
            place.noted("tile", ev.DialNoted(square=label, condition="another tile"))
        since_ns = place.good_ns
        long_ago = since_ns is not None and trouble.at_ns - since_ns > LOST_AFTER_NS
        if place.lost:
            self._found_out(place, trouble)
        if place.lost or not self.ready or not self._may_write or not (long_ago or since_ns is None):
            return
        if self._happen(ev.DialLost(square=label, trouble=trouble.kind.value)):
            place.told = frozenset({trouble.kind})
            self._explain(place, trouble)
            place.lost = True

    def _found_out(self, place: DialPlace, trouble: Trouble) -> None:
        """A lost dial that answers again and still is not right: a tile on the wrong lead, another chip. Said once."""
        if trouble.kind in CLEARER and trouble.kind not in place.told:
            place.told |= {trouble.kind}
            self._explain(place, trouble)

    def _explain(self, place: DialPlace, trouble: Trouble) -> None:
        """One sentence is enough for all dials that are lost for the same reason."""
        if trouble.words in self._why or not any(
            other.lost and other.words == trouble.words for other in self.dials.values()
        ):
            self._why[trouble.words] = trouble.at_ns
        place.words = trouble.words

    def _tell_why(self) -> None:
        """Behind the lines of all the squares that it is about, or it would scroll away before them."""
        for words in [words for words, at_ns in self._why.items() if self.clock.now_ns() - at_ns >= ALL_LOST_NS]:
            del self._why[words]
            self._tell(REFEREE.name, words)

    def _answered(self, label: str, place: DialPlace, reading: Reading) -> None:
        place.seen = True
        gone_ns = 0 if place.good_ns is None else reading.at_ns - place.good_ns
        if place.lost and self._may_write and self._happen(ev.DialBack(square=label, unseen_s=round(gone_ns / 1e9, 1))):
            place.lost = False
            self._back[label] = reading.at_ns
        if gone_ns > LOST_AFTER_NS:
            self._fingerprints.plugged(label)
            place.conditions.pop("lead", None)
        place.conditions.pop("tile", None)
        place.good_ns, place.raw = reading.at_ns, reading.raw
        if reading.magnet is not Magnet.UNKNOWN and (news := place.care.magnet(reading.magnet)) is not None:
            self._care(label, news)
            place.noted("magnet", ev.DialNoted(square=label, condition=MAGNETS[reading.magnet]))
        if place.tracker.hopping is not place.care.hops:
            self._care(label, place.care.hopping(place.tracker.hopping))
            hops: ev.Condition = "angle hops" if place.care.hops else "angle stands still"
            place.noted("angle", ev.DialNoted(square=label, condition=hops))

    def _note_conditions(self) -> None:
        """Write down what the dials' parts said of themselves, as soon as a game is on that can have it."""
        for place in self.dials.values():
            while place.unnoted and self.ready and self._may_write and self._happen(place.unnoted[0]):
                del place.unnoted[0]

    def _tell_who_is_back(self) -> None:
        """Dials that come back together are told together."""
        if not self._back or self.clock.now_ns() - max(self._back.values()) < TOGETHER_NS:
            return
        back = [label for label in self.dials if label in self._back]
        self._back.clear()
        if len(back) == 1:
            self._care(back[0], READ_AGAIN)
            return
        pulled = [self.dials[label].words for label in back if TroubleKind.SILENT in self.dials[label].told]
        told = ALL_READ_AGAIN if len(set(pulled)) < 2 else ALL_PLUGGED_IN
        self._tell(REFEREE.name, self._words(told).format(squares=listed(back, self._words)))

    def _care(self, label: str, news: str | None) -> None:
        if news is not None:
            self._tell(REFEREE.name, self._words(news).format(square=label))

    def _bind(self, starting: Sequence[str]) -> None:
        """The first dial that moves under a claim is what the claim is about. Two in one scan are nobody's: it must
        not be guessed which of them a player may read. One whose angle only leapt has not moved."""
        claim = self.moment.game.open_claim
        free = [label for label in starting if self._may_be_claimed(label)]
        if claim is None or not free:
            return
        if len(free) > 1:
            self._tell(REFEREE.name, self._words(N_("Two dials moved at once under one claim; neither counts.")))
            return
        if self._happen(ev.Bound(seat=claim.seat, square=free[0])):
            self._prompt(self.seats[claim.seat], Attention.HOLD_TO_LOOK, free[0])

    def _may_be_claimed(self, label: str) -> bool:
        square = self.moment.game.squares.get(label)
        return square is not None and not square.to_be_turned_to_disarmed and self.moment.game.claim_on(label) is None

    def _turned(self, label: str, turn: Turn) -> None:
        """A turn that ended by itself: nobody's."""
        place = self.dials[label]
        self._rested(label)
        if self._playing:
            place.kept = turn if place.kept is None else joined(place.kept, turn)
            if self._was_missed(place, turn):
                self._bind([label])
            if self.moment.game.claim_on(label) is None:
                self._record_turn(label, None)

    def _was_missed(self, place: DialPlace, turn: Turn) -> bool:
        """Whether a hand turned it under the open claim, so quickly that no look saw it go; how it went is known."""
        claim = self.moment.game.open_claim
        claimed_ns = None if claim is None else self._claimed_ns.get(claim.seat)
        return (
            claimed_ns is not None and turn.clicks is not None and not place.was_turning and turn.start_ns >= claimed_ns
        )

    def _rested(self, label: str) -> None:
        """A dial stands in a detent: does it stand where this square's dial should? Only a hint comes of it."""
        place = self.dials[label]
        if place.raw is None or place.lost or place.tracker.hopping or not isinstance(place.tracker.stand, Seated):
            return
        self._fingerprints.rested(label, place.raw)
        told = N_(
            "The leads of {one} and {other} are likely swapped ({sure} % sure, after rests in {rests} detents): each "
            "dial rests where the other one was calibrated to. Look at both leads; if they are right, calibrate both "
            "dials again."
        )
        for found in self._fingerprints.news():
            sure = min(99, int(100 * found.sure))
            self._tell(
                REFEREE.name,
                self._words(told).format(one=found.one, other=found.other, sure=sure, rests=found.rests),
            )
            swapped = ev.DialNoted(square=found.one, condition="leads likely swapped", other=found.other)
            self.dials[found.one].noted("lead", swapped)

    def _record_turn(self, label: str, claim: Claim | None) -> bool:
        """Write down the turn that is kept, or that a dial stands elsewhere than when the program last ran."""
        place = self.dials[label]
        motion = self._unseen_motion(label) if place.kept is None else motion_of(place.kept, place.unseen_from)
        if not self.moment.game.squares[label].homed or place.tracker.hopping:
            motion = unlocated(motion)
        told = self._happen(
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
        stand = self.dials[label].tracker.stand
        return ev.Motion(
            from_position=self.dials[label].unseen_from,
            to_position=self._position(label),
            clicks=None,
            between=(stand.low, stand.high) if isinstance(stand, Between) else None,
            end_raw=self.dials[label].raw,
            while_off=True,
        )

    def _record_what_was_kept(self) -> None:
        """Turns that nobody claimed and that the disk did not take: try them again."""
        if not self._may_write:
            return
        for label, place in self.dials.items():
            if place.kept is not None and self.moment.game.claim_on(label) is None:
                self._record_turn(label, None)

    # ------------------------------------------------------------------ start and resume

    def _begin_when_seen(self) -> None:
        still = all(place.seen and self._at_rest(place) for place in self.dials.values())
        if not still and self.clock.now_ns() - self._opened_ns < STARTS_WITHIN_NS:
            return
        self.ready = True
        for note in self._notes:
            self._tell(REFEREE.name, note)
        for label in self.dials:
            self._rested(label)
        self._begin()

    def _begin(self) -> None:
        while self._due and self._due[0]():
            self._due.popleft()

    @staticmethod
    def _at_rest(place: DialPlace) -> bool:
        return place.lost or place.good_ns is None or not place.tracker.moving

    def _new_game(self) -> bool:
        self.game_id = self._new_game_id()
        self.moment = NO_GAME
        if not self._happen(self._start(self._shuffle)):
            return False
        self._tell_the_rules()
        for place in self.dials.values():
            place.lost, place.unseen_from, place.kept = False, None, None
            place.unnoted = [said for said in place.conditions.values() if said.condition not in UNREMARKABLE]
        return True

    def _check(self) -> bool:
        squares = self.moment.game.squares
        stands = {label: self._position(label) for label in squares}
        raws = {
            label: None if place.lost else place.raw
            for label, place in self.dials.items()
            if label in squares and squares[label].absolute
        }
        return self._happen(ev.SetupChecked(stands=stands, raws=raws))

    def _position(self, label: str) -> int | None:
        place = self.dials[label]
        stand = place.tracker.stand
        square = self.moment.game.squares.get(label)
        homed = square is None or square.homed
        known = homed and not place.lost and not place.tracker.hopping
        return stand.position if isinstance(stand, Seated) and known else None

    def _resume(self) -> bool:
        """Go on where the journal ends. A dial that stands elsewhere now was turned while nobody looked."""
        if not self._happen(ev.Resumed(version=self._start(False).version)):
            return False
        self._tell_the_rules()
        for claim in self.moment.game.claims:
            self._claimed_ns[claim.seat] = self.clock.now_ns()
        for label, square in self.moment.game.squares.items():
            place = self.dials[label]
            place.lost = square.lost
            at = self._position(label)
            elsewhere = at is not None or (square.stands is not None and self._stands_between(place))
            if elsewhere and at != square.stands:
                place.unseen_from = square.stands
                if self.moment.game.claim_on(label) is None:
                    self._record_turn(label, None)
        return True

    @staticmethod
    def _stands_between(place: DialPlace) -> bool:
        return isinstance(place.tracker.stand, Between) and not place.lost and not place.tracker.moving

    # ------------------------------------------------------------------ seats

    def _listen_to(self, place: SeatPlace) -> None:
        if place.button is None:
            return
        gesture = place.thumb.feed(place.button.pressed, self.clock.now_ns())
        if gesture is not None:
            self._stirred_ns = self._step_ns
        if gesture is Gesture.TAP:
            self._tapped(place)
        elif gesture is Gesture.HOLD:
            self._held(place)
        elif gesture is Gesture.LET_GO:
            hand = self.moment.game.hand_of(place.seat)
            place.turn_over = hand is not None and hand.square is not None
            self._dark(place)

    def _tapped(self, place: SeatPlace) -> None:
        game = self.moment.game
        if game.phase is not Phase.PLAYING:
            self._says(place, Attention.NO_GAME)
            return
        if self._due:
            self._says(place, Attention.NOT_RECORDED)
            return
        if self._agreed(place):
            return
        claim = game.claim_of(place.seat)
        if claim is None and game.open_claim is not None:
            self._says(place, Attention.WAIT_FOR_OTHER)
        elif claim is None:
            self._claim(place.seat, "button")
        elif claim.square is None or self._untouched(claim.square):
            if self._happen(ev.ClaimDropped(seat=place.seat, why="taken back")):
                self._says(place, Attention.CLAIM_BACK)
        else:
            self._prompt(place, Attention.HOLD_TO_LOOK, claim.square)

    def _untouched(self, label: str) -> bool:
        place = self.dials[label]
        claim = self.moment.game.claim_on(label)
        asked_for = claim is not None and claim.purpose == "trigger"
        return not (asked_for or place.tracker.turning or place.kept is not None or place.unseen_from is not None)

    def _claim(self, seat: str, grade: ev.Grade) -> None:
        if self._happen(ev.Claimed(seat=seat, grade=grade)):
            self._claimed(seat, grade)

    def _claimed(self, seat: str, grade: ev.Grade, label: str | None = None) -> None:
        """A claim is on disk: its seat is told, with the number if the device rolls at this table."""
        self._claimed_ns[seat] = self.clock.now_ns()
        place = self.seats[seat]
        place.turn_over = False
        if not self._device_rolls or self._roll(place, grade):
            self._prompt(place, Attention.CLAIM_TAKEN, label)

    def _roll(self, place: SeatPlace, grade: ev.Grade) -> bool:
        """Roll for a seat, once in a turn. A seat without a screen rolls at the table. False: the disk did not take
        the die."""
        game = self.moment.game
        claim, hand = game.claim_of(place.seat), game.hand_of(place.seat)
        if claim is None or (hand is not None and hand.die is not None):
            return True
        if not place.has_screen:
            told = self._words(N_("{name} has no screen for a number: roll at the table, and say: rolled {seat} N"))
            self._tell(REFEREE.name, told.format(name=game.seats[place.seat].name, seat=place.seat))
            return True
        rolled = ev.Rolled(seat=place.seat, square=claim.square, die=self._die(), how="device", grade=grade)
        return self._happen(rolled)

    def _held(self, place: SeatPlace) -> None:
        place.offer = None
        claim = self.moment.game.claim_of(place.seat)
        if self.moment.game.phase is Phase.NONE:
            self._says(place, Attention.NO_GAME)
        elif self._due:
            self._says(place, Attention.NOT_RECORDED)
        elif claim is not None and claim.square is None:
            if not self._device_rolls or self._roll(place, "button"):
                self._prompt(place, Attention.TURN_FIRST)
        elif claim is not None and claim.square is not None:
            self._look_first(place, claim, claim.square)
        else:
            self._look_again(place)

    def _look_first(self, place: SeatPlace, claim: Claim, label: str) -> None:
        """The look that ends a turn: written down, then shown (T-EXP-5)."""
        dial = self.dials[label]
        if not self.moment.game.squares[label].homed:
            self._says(place, Attention.NOT_HOMED, label)
            return
        if dial.lost or dial.tracker.hopping:
            self._says(place, Attention.CANNOT_READ, label)
            return
        if dial.tracker.moving:
            self._says(place, Attention.STILL_TURNING, label)
            return
        if self._position(label) is None:
            self._says(place, Attention.LOOK_AGAIN, label)
            return
        self._end_turn(dial)
        if dial.kept is None and dial.unseen_from is None:
            self._prompt(place, Attention.TURN_FIRST, label)
        elif self._record_turn(label, claim):
            self._show(place, label)
            self._rested(label)

    def _end_turn(self, dial: DialPlace) -> None:
        turn = dial.tracker.end_turn(self.clock.now_ns())
        if turn is not None:
            dial.kept = turn if dial.kept is None else joined(dial.kept, turn)

    def _look_again(self, place: SeatPlace) -> None:
        """Newest first; holding again soon goes on to the next square that this seat knows (T-EXP-10). A token that was
        drawn and neither kept nor put back goes before; everybody can see who holds one."""
        if self._show_token(place):
            return
        known = self.moment.game.may_look(place.seat)
        if not known:
            self._says(place, Attention.NOTHING_KNOWN)
            return
        label = known[0]
        now_ns = self.clock.now_ns()
        if place.last_look is not None and now_ns - place.last_look[1] < AGAIN_NS and place.last_look[0] in known:
            label = known[(known.index(place.last_look[0]) + 1) % len(known)]
        if self._playing and not self._happen(ev.Looked(seat=place.seat, square=label)):
            self._says(place, Attention.NOT_RECORDED)
            return
        self._show(place, label)

    def _show(self, place: SeatPlace, label: str) -> None:
        picture = seat_looks(self.moment.game, place.seat, label, self._words_for(place.seat))
        place.last_look = (label, self._step_ns)
        self._put(place, picture, self._timing.show_ns)

    def _says(self, place: SeatPlace, attention: Attention, label: str | None = None) -> None:
        self._put(place, seat_says(attention, self._words_for(place.seat), label), SAY_NS)

    def _prompt(self, place: SeatPlace, attention: Attention, label: str | None = None) -> None:
        """What a seat may do next in its turn: the device's number if it has one, else this."""
        die = seat_die(self.moment.game, place.seat, self._words_for(place.seat), label)
        if die is None:
            self._says(place, attention, label)
        else:
            self._put(place, die, self._timing.show_ns)

    def _show_token(self, place: SeatPlace) -> bool:
        """What was drawn, on the seat's own screen, for as long as a face would be shown. False if it holds nothing."""
        picture = seat_token(self.moment.game, place.seat, self._words_for(place.seat))
        if picture is not None:
            self._put(place, picture, self._timing.show_ns)
        return picture is not None

    def _put(self, place: SeatPlace, picture: SeatPicture, for_ns: int) -> None:
        place.until_ns = self._step_ns + for_ns
        place.display.show(picture, self._step_ns)

    def _dark(self, place: SeatPlace) -> None:
        now_ns = self._step_ns
        if place.last_look is not None:
            place.last_look = (place.last_look[0], now_ns)
        place.until_ns = None
        place.display.show(Dark(), now_ns)

    def _words_for(self, seat: str) -> Callable[[str], str]:
        player = self.moment.game.seats.get(seat)
        return words_of(self.seats[seat].language if player is None else player.language)

    def _refresh(self) -> None:
        now_ns = self._step_ns
        for place in self.seats.values():
            if place.until_ns is not None and now_ns >= place.until_ns:
                self._dark(place)
            place.display.tick(now_ns)

    # ------------------------------------------------------------------ the table's own words

    def _obey(self, line: str) -> None:
        self._stirred_ns = self._step_ns
        if not line.strip():
            return
        try:
            command = commands.parse(line, self.moment.game, self._words)
        except commands.RefusedError as refusal:
            self._tell(REFEREE.name, str(refusal))
            return
        match command:
            case commands.Order():
                self._carry_out(command)
            case commands.Throw(dice):
                self._throw(line, dice)
            case commands.Chance(made):
                self._order(made(self._pick))
            case commands.Answer(lines):
                for told in lines:
                    self._tell(REFEREE.name, told)
            case commands.Convert(figures, points):
                for told in converted(self._spawn, figures, points, self._words):
                    self._tell(REFEREE.name, told)
            case commands.Roll(seat):
                self._roll_asked(self.seats[seat])
            case commands.Check():
                self._check_asked()
            case commands.NewGame(shuffle):
                self._new_game_asked(shuffle)
            case commands.Status():
                self._status()
            case commands.Help():
                told = self._words(LABELLED)
                for usage, meaning in commands.USAGE.values():
                    self._tell(REFEREE.name, told.format(label=usage, said=self._words(meaning)))
            case commands.Quit():
                self.running = False

    def _say(self, notes: Iterable[str]) -> None:
        for note in notes:
            self._tell(REFEREE.name, note)

    def _carry_out(self, order: commands.Order) -> None:
        """On disk first, then said, then what follows from it."""
        if self._order(order.event):
            self._say(order.notes)
            if order.then is not None:
                self._order(order.then)

    def _throw(self, line: str, dice: int) -> None:
        """Roll for a line. It was looked at before: what may be refused is refused before anybody rolls."""
        thrown = tuple(self._die() for _ in range(dice))
        order = commands.parse(line, self.moment.game, self._words, thrown)
        if isinstance(order, commands.Order):
            self._carry_out(order)

    def _order(self, event: ev.AnyEvent) -> bool:
        """Whether it is on disk now."""
        if isinstance(event, ev.Shared):
            self._offer(event)
            return False
        if isinstance(event, ev.Homed):
            self._home(event)
            return True
        if isinstance(event, ev.Rolled):
            self._rolled(event)
            return True
        if isinstance(event, ev.Ended):
            self._close_turns()
        if not self._happen(event):
            return False
        match event:
            case ev.Claimed():
                self._claimed(event.seat, event.grade)
            case ev.ClaimDropped():
                self._says(self.seats[event.seat], Attention.CLAIM_BACK)
            case ev.Triggered() if self.moment.game.claim_on(event.square) is not None:
                self._claimed(event.seat, "table", event.square)
            case ev.Drawn(seat=seat):
                self._show_token(self.seats[seat])
            case ev.Ended():
                self._hand_out_the_head()
            case _:
                pass
        return True

    def _offer(self, event: ev.Shared) -> None:
        """Whoever types it may be another player: the seat itself says yes, with a tap (S-8)."""
        place, name = self.seats[event.seat], self.moment.game.seats[event.seat].name
        if place.button is None or not place.has_screen:
            told = self._words(N_("{name} has no button and screen to say yes with: tell them by word of mouth."))
        else:
            place.offer = (event, self._step_ns)
            self._says(place, Attention.SHARE, event.square)
            told = self._words(N_("{name} is asked, and says yes with a tap."))
        self._tell(REFEREE.name, told.format(name=name))

    def _agreed(self, place: SeatPlace) -> bool:
        """Whether a tap was the yes to an offer. One that comes sooner than anybody reads is none."""
        offer, place.offer = place.offer, None
        if offer is None or not OFFER_STANDS_NS[0] <= self._step_ns - offer[1] <= OFFER_STANDS_NS[1]:
            return False
        if commands.may_share(self.moment.game, offer[0]) and self._happen(offer[0]):
            self._dark(place)
        return True

    def _roll_asked(self, place: SeatPlace) -> None:
        if self._roll(place, "table"):
            self._prompt(place, Attention.CLAIM_TAKEN)

    def _rolled(self, event: ev.Rolled) -> None:
        """What was rolled at the table. The answer is the same for every number, and right or not is a finding."""
        if self.seats[event.seat].turn_over:
            told = self._words(N_("{name} has looked and let go: that turn is over."))
        elif not self._happen(event):
            return
        else:
            told = self._words(N_("What {name} rolled is written down."))
        self._tell(REFEREE.name, told.format(name=self.moment.game.seats[event.seat].name))

    def _close_turns(self) -> None:
        """At the end of a game every open turn is written down as it is."""
        for label, dial in self.dials.items():
            self._end_turn(dial)
            if dial.kept is not None:
                self._record_turn(label, self.moment.game.claim_on(label))

    def _check_asked(self) -> None:
        if not self._playing:
            self._tell(REFEREE.name, self._words(N_("No game is on. Say 'new' to begin one.")))
            return
        self._check()
        off = [square.label for square in self.moment.game.squares.values() if square.start_ok is False]
        unhomed = [square.label for square in self.moment.game.squares.values() if not square.homed]
        if unhomed:
            told = self._words(N_("Count steps and are not homed, so nobody knows (T-AUD-1): {squares}."))
            self._tell(REFEREE.name, told.format(squares=listed(unhomed, self._words)))
        if off:
            told = self._words(N_("Not at the start mark: {squares} (T-AUD-1)."))
            self._tell(REFEREE.name, told.format(squares=listed(off, self._words)))
        elif not unhomed:
            self._tell(REFEREE.name, self._words(N_("Every dial stands at its start mark.")))

    def _new_game_asked(self, shuffle: bool | None) -> None:
        if self._playing:
            self._tell(REFEREE.name, self._words(N_("A game is on. Say 'end' before you begin another.")))
            return
        self._shuffle = shuffle
        self._due = deque((self._new_game, self._check))
        self._begin()

    def _tell_the_rules(self) -> None:
        """The switches of this game, to all; no line of a report, whose digests older records keep."""
        for viewer in (PUBLIC.name, REFEREE.name):
            self._tell(viewer, rules_line(self.moment.game.ruleset, self._words))

    def _status(self) -> None:
        if self.moment.game.phase is not Phase.NONE:
            self._tell(REFEREE.name, rules_line(self.moment.game.ruleset, self._words))
        found = self.moment.reports.get(REFEREE.name)
        for line in found.lines.values() if found is not None else ():
            if line:
                self._tell(REFEREE.name, line)

    def _let_claims_run_out(self) -> None:
        claim = self.moment.game.open_claim
        if claim is None:
            return
        if self.clock.now_ns() - self._claimed_ns.get(claim.seat, 0) > CLAIM_RUNS_OUT_NS:
            self._happen(ev.ClaimDropped(seat=claim.seat, why="ran out"))

    def _hear_others(self) -> None:
        """Take in what another program added to the journal (a trap table shown by force, S-9)."""
        now_ns = self.clock.now_ns()
        if now_ns - self._foreign_ns < FOREIGN_EVERY_NS or not self.game_id:
            return
        self._foreign_ns = now_ns
        self._record_what_was_kept()
        after = self.journal.catch_up(self.game_id, self.moment)
        self._tell_news(after)

    def _hear_the_machine(self) -> None:
        """Power, heat, date, disk, screens: the referee's business, and neither public nor in the record."""
        for line in self._machine.take():
            self._tell(REFEREE.name, line)

    # ------------------------------------------------------------------ on disk, then true, then told

    @property
    def _playing(self) -> bool:
        return self.moment.game.phase is Phase.PLAYING

    @property
    def _may_write(self) -> bool:
        """Whether the loop itself may write an event now: a game is on, and the disk has not just refused one."""
        return self._playing and self._disk_rested

    @property
    def _disk_rested(self) -> bool:
        return self._refused_ns is None or self.clock.now_ns() - self._refused_ns > DISK_RESTS_NS

    def _happen(self, event: ev.AnyEvent) -> bool:
        """Write an event down, make it true, tell every viewer what is new for them. False: the disk did not take
        it, so it did not happen and nobody is told."""
        try:
            after = self.journal.append(self.game_id, self.moment, event)
        except NotRecordedError as error:
            self._refused_ns = self.clock.now_ns()
            self._tell(REFEREE.name, str(error))
            for place in self.seats.values():
                self._says(place, Attention.NOT_RECORDED)
            return False
        self._tell_news(after)
        for correction in self.journal.take_corrections():
            self._tell(REFEREE.name, clock_words(correction, self._words))
        return True

    def _hand_out_the_head(self) -> None:
        """Whoever takes a photo of it is a witness of the whole record."""
        head = self.journal.head()
        told = self._words(N_("The record has {count} entries. Take a photo of its head: {head}"))
        self._tell(PUBLIC.name, told.format(count=head.size, head=head.text()))

    def _tell_news(self, after: Moment) -> None:
        before, self.moment = self.moment, after
        for label, place in self.dials.items():
            place.tracker.ends_at_rest = after.game.claim_on(label) is None
        for viewer in after.reports:
            for line in after.news(viewer, before):
                self._tell(viewer, line)
        if after.game.squares is not before.game.squares and before.game.phase is Phase.PLAYING:
            self._say(said(note, self._words) for note in what_now(before.game, after.game))

    def _tell(self, viewer: str, line: str) -> None:
        at_ns = self.clock.now_ns()
        for listener in self.listeners:
            listener.told(viewer, line, at_ns)
