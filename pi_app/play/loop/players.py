"""The players' actions at their seats: claim, turn, hold and look, roll, agree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec

from pi_app.game import events as ev
from pi_app.game.state import Claim, Phase
from pi_app.journal.budget import Budget
from pi_app.play.commands import parse as commands
from pi_app.play.gestures import Gesture
from pi_app.play.loop.beginning import Beginning
from pi_app.play.loop.dials import DialWatch
from pi_app.play.loop.session import CODE_PAGE, SENTENCE_NS, GameSession
from pi_app.play.loop.setup import Phones, Randomness
from pi_app.play.loop.turns import Turns
from pi_app.play.routed_display import GesturePlace
from pi_app.play.seats_and_dials import TableSeat
from pi_app.report.seat_screen import Attention
from pi_app.report.visibility import PUBLIC
from pi_app.text.language import N_

HELD_REST_NS: Final = 500_000_000
"""A dial must rest this long before a hold shows its face: a hand or a coin pauses for less between two clicks."""

AGAIN_NS: Final = 10_000_000_000
"""Another hold within this time shows the next square that the seat knows; a later one starts with the newest."""

OFFER_STANDS_NS: Final = (1_000_000_000, SENTENCE_NS)
"""The earliest and the latest time after an offer at which a tap accepts it."""

PRESSES: Final = Budget(at_once=60, every_ns=10_000_000_000)
"""The claims taken back and the looks of one seat's button: 420 in the worst hour. A button that sticks or bounces for
long makes thousands; a claim with a turn takes a hand at a dial, and is not counted."""

TOO_OFTEN: Final = N_(
    "The button of {name} is pressed so often that some presses do not count. Check that it does not stick."
)


class Players:
    """Turns gestures at the buttons into events and pictures."""

    def __init__(
        self,
        session: GameSession,
        watch: DialWatch,
        turns: Turns,
        beginning: Beginning,
        *,
        dice: Randomness,
        device_rolls: bool,
    ) -> None:
        """With `device_rolls` the device rolls at every claim."""
        self._session, self._watch, self._turns, self._beginning = session, watch, turns, beginning
        self.dice, self._device_rolls = dice, device_rolls
        self._presses: dict[str, Budget] = {}
        self.phones: Phones | None = None
        self.noticed: Callable[[str, Gesture | None], bool] = lambda seat, gesture: False
        """Gets each gesture at a seat before it counts, and each knock of a phone (no seat, no gesture). If it returns
        True, the gesture has no effect: no game is on, and the table answers it in another way."""
        self._told: set[str] = set()
        """Seats whose button is pressed too often; everybody knows it."""

    @property
    def may_play(self) -> bool:
        """Whether a game is on, and its beginning is on disk."""
        return self._session.playing and self._session.ready and not self._beginning.due

    def forget(self) -> None:
        """Forget how often each seat pressed its button in the game that has ended."""
        self._presses.clear()
        self._told.clear()
        if self.phones is not None:
            self.phones.forget()

    def _has_room(self, seat: TableSeat) -> bool:
        """Return whether one more press of a seat may reach the record. If not, its screen says so."""
        now_ns = self._session.clock.now_ns()
        room = self._presses.get(seat.key, PRESSES).room(now_ns)
        if room == PRESSES.at_once:
            self._told.discard(seat.key)
        if room < 1:
            self._session.show_sentence(seat, Attention.NOT_RECORDED)
            if seat.key not in self._told:
                self._told.add(seat.key)
                name = self._session.game.seats[seat.key].name
                self._session.tell(PUBLIC.name, self._session.words(TOO_OFTEN).format(name=name))
        return room > 0

    def _pressed(self, seat: TableSeat) -> None:
        self._presses[seat.key] = self._presses.get(seat.key, PRESSES).used(self._session.clock.now_ns())

    def poll(self, seat: TableSeat) -> bool:
        """Read a seat's button and act on its gesture. Return whether there was one."""
        now_ns = self._session.clock.now_ns()
        gesture = None if seat.button is None else seat.gestures.feed(seat.button.pressed, now_ns)
        if gesture is not None:
            self.act(seat, gesture, GesturePlace.BUTTON)
        elif seat.waits_for_rest:
            self._still_held(seat)
        return gesture is not None

    def act(self, seat: TableSeat, gesture: Gesture, source: GesturePlace) -> None:
        """Carry out a gesture at a seat's button or phone. A newer one takes over from a hold at the other of the two:
        then letting go there has no effect."""
        consumed = self.noticed(seat.key, gesture)
        if gesture is Gesture.LET_GO:
            if seat.held_at is source:
                self._let_go(seat)
            return
        if consumed:
            return
        seat.held_at = source if gesture is Gesture.HOLD else None
        seat.routed.source = source
        (self._held if gesture is Gesture.HOLD else self._tapped)(seat)

    def _let_go(self, seat: TableSeat) -> None:
        seat.held_at, seat.waits_for_rest = None, False
        hand = self._session.game.turn_of(seat.key)
        seat.turn_over = hand is not None and hand.square is not None
        self._session.darken(seat)

    def _tapped(self, seat: TableSeat) -> None:
        game = self._session.game
        if game.phase is not Phase.PLAYING:
            self._session.show_sentence(seat, Attention.NO_GAME)
            return
        if self._beginning.due:
            self._session.show_sentence(seat, Attention.NOT_RECORDED)
            return
        if self._agreed(seat):
            return
        claim = game.claim_of(seat.key)
        if claim is None and game.open_claim is not None:
            self._session.show_sentence(seat, Attention.WAIT_FOR_OTHER)
        elif claim is None:
            if self._has_room(seat):
                self._claim(seat.key, _grade(seat))
        elif claim.square is None or self._turns.untouched(claim.square):
            if self._session.record_event(ev.ClaimDropped(seat=seat.key, why="taken back")):
                self._pressed(seat)
                self._session.show_sentence(seat, Attention.CLAIM_BACK)
        else:
            self._session.prompt(seat, Attention.HOLD_TO_LOOK, claim.square)

    def _claim(self, key: str, grade: ev.Grade) -> None:
        self._turns.record_unclaimed()
        if self._session.record_event(ev.Claimed(seat=key, grade=grade)):
            self.claimed(key, grade)

    def claimed(self, key: str, grade: ev.Grade, label: str | None = None) -> None:
        """Confirm a claim that is on disk to its seat, with a die if the device rolls at this table."""
        self._turns.claimed(key)
        seat = self._session.seats[key]
        seat.turn_over = False
        if not self._device_rolls or self.roll(seat, grade):
            self._session.prompt(seat, Attention.CLAIM_TAKEN, label)

    def roll(self, seat: TableSeat, grade: ev.Grade) -> bool:
        """Roll for a seat, once in a turn. A seat without a screen rolls at the table. Return False if the disk refused
        the die."""
        game = self._session.game
        claim, hand = game.claim_of(seat.key), game.turn_of(seat.key)
        if claim is None or (hand is not None and hand.die is not None):
            return True
        if not seat.has_screen:
            sentence = N_("{name} has no screen for a number: roll at the table, and type: rolled {seat} N")
            self._session.inform(sentence, name=game.seats[seat.key].name, seat=seat.key)
            return True
        rolled = ev.Rolled(seat=seat.key, square=claim.square, die=self.dice.roll(), how="device", grade=grade)
        return self._session.record_event(rolled)

    def _held(self, seat: TableSeat) -> None:
        seat.offer, seat.waits_for_rest = None, False
        claim = self._session.game.claim_of(seat.key)
        if self._session.game.phase is Phase.NONE:
            self._session.show_sentence(seat, Attention.NO_GAME)
        elif self._beginning.due:
            self._session.show_sentence(seat, Attention.NOT_RECORDED)
        elif claim is not None and claim.square is None:
            seat.waits_for_rest = any(dial.tracker.undecided for dial in self._session.dials.values())
            if not self._device_rolls or self.roll(seat, _grade(seat)):
                self._session.prompt(seat, Attention.TURN_FIRST)
        elif claim is not None and claim.square is not None:
            self._look_first(seat, claim, claim.square)
        else:
            self._look_again(seat)

    def _still_held(self, seat: TableSeat) -> None:
        """Show the face as soon as the dial rests, if the button was held too soon and is still held."""
        claim = self._session.game.claim_of(seat.key)
        if claim is None:
            seat.waits_for_rest = False
        elif claim.square is not None and self._has_come_to_rest(claim.square):
            self._held(seat)

    def _has_come_to_rest(self, label: str) -> bool:
        dial = self._session.dials[label]
        stands = not (dial.lost or dial.tracker.moving) and self._watch.position(label) is not None
        return stands and not self._pauses(label)

    def _pauses(self, label: str) -> bool:
        """Whether a dial has stood for so short a time that its hand may be between two clicks."""
        tracker = self._session.dials[label].tracker
        return tracker.turning and tracker.off_rest and tracker.held_ns < HELD_REST_NS

    def _look_first(self, seat: TableSeat, claim: Claim, label: str) -> None:
        """Record the look that ends a turn, then show the face (T-EXP-5)."""
        dial = self._session.dials[label]
        if not self._session.game.squares[label].homed:
            if not self._session.game.found_starts:
                self._session.show_sentence(seat, Attention.NOT_HOMED, label)
            elif self._session.record_event(ev.ClaimDropped(seat=seat.key, why="unclear")):  # it gets a start now
                self._session.show_sentence(seat, Attention.NO_START, label)
            return
        if dial.lost or dial.tracker.glitching:
            self._session.show_sentence(seat, Attention.CANNOT_READ, label)
            return
        if self._watch.tiles.withheld(label):
            self._session.show_sentence(seat, Attention.NOT_VERIFIED, label)
            return
        if dial.tracker.moving:
            seat.waits_for_rest = True
            self._session.show_sentence(seat, Attention.STILL_TURNING, label)
            return
        if self._watch.position(label) is None:
            self._session.show_sentence(seat, Attention.LOOK_AGAIN, label)
            return
        if self._pauses(label):
            seat.waits_for_rest = True
            self._session.show_sentence(seat, Attention.STILL_TURNING, label)
            return
        self._turns.end(dial)
        if dial.kept is None and dial.unseen_from is None:
            self._session.prompt(seat, Attention.TURN_FIRST, label)
        elif self._turns.record(label, claim):
            self._session.show_face(seat, label)
            self._watch.rested(label)

    def _look_again(self, seat: TableSeat) -> None:
        """Show the newest square that this seat knows; soon after, the next one (T-EXP-10); after them, the card of a
        dealt lamp code. A token that was drawn and is neither kept nor put back comes first; everybody can see who
        holds one."""
        if self._session.show_token(seat):
            return
        pages = self._session.card_pages(seat)
        known = [*self._session.game.may_look(seat.key), *pages, *self._code_pages(seat)]
        if not known:
            self._session.show_sentence(seat, Attention.NOTHING_KNOWN)
            return
        if self._session.playing and not self._has_room(seat):
            return
        label = known[0]
        now_ns = self._session.clock.now_ns()
        if seat.last_look is not None and now_ns - seat.last_look[1] < AGAIN_NS and seat.last_look[0] in known:
            label = known[(known.index(seat.last_look[0]) + 1) % len(known)]
        if label == CODE_PAGE:
            self.show_code(seat)
            return
        if label in pages:
            self._session.show_card(seat, pages.index(label))
            return
        looked = ev.Looked(seat=seat.key, square=label, grade="phone" if _grade(seat) == "phone" else msgspec.UNSET)
        if self._session.playing and not self._session.record_event(looked):
            self._session.show_sentence(seat, Attention.NOT_RECORDED)
            return
        self._pressed(seat)
        self._session.show_face(seat, label)

    def _code_pages(self, seat: TableSeat) -> tuple[str, ...]:
        """Return the name of the code for a phone, if the seat has none and its screen can show one."""
        wanted = self.phones is not None and seat.own_screen and not seat.routed.has_phone
        return (CODE_PAGE,) if wanted and self._session.playing else ()

    def show_code(self, seat: TableSeat) -> str:
        """Show on a seat's own screen a new code for a phone. Return a sentence for the table."""
        name = self._session.game.seats[seat.key].name
        if self.phones is None:
            sentence = N_("This table has no pages for phones: its settings have no [pages].")
        elif not seat.own_screen:
            sentence = N_("{name} has no screen for a code: scan the printed card of the seat.")
        elif self._beginning.due:
            sentence = N_("The game is not recorded yet; type it again.")
        else:
            self._session.show_code(seat, self.phones.new_code(seat.key))
            sentence = N_("The screen of {name} shows the code for a phone.")
        return self._session.words(sentence).format(name=name)

    def offer(self, event: ev.Shared) -> None:
        """Ask a seat to agree with a tap, because another player may have typed the line (S-8)."""
        seat, name = self._session.seats[event.seat], self._session.game.seats[event.seat].name
        if not (seat.routed.has_phone or (seat.button is not None and seat.own_screen)):
            sentence = N_("{name} has no button and screen to agree with: tell them aloud.")
        else:
            seat.offer = (event, self._session.step_ns)
            self._session.show_sentence(seat, Attention.SHARE, event.square)
            sentence = N_("{name} was asked, and agrees with a tap.")
        self._session.inform(sentence, name=name)

    def _agreed(self, seat: TableSeat) -> bool:
        """Return whether a tap accepted an offer. A tap too early to have read it does not."""
        offer, seat.offer = seat.offer, None
        if offer is None or not OFFER_STANDS_NS[0] <= self._session.step_ns - offer[1] <= OFFER_STANDS_NS[1]:
            return False
        if commands.may_share(self._session.game, offer[0]) and self._session.record_event(offer[0]):
            self._session.darken(seat)
        return True


def _grade(seat: TableSeat) -> ev.Grade:
    """The grade of what the player does now: it is at the seat's phone, or at its button."""
    return "phone" if seat.routed.source is GesturePlace.PHONE else "button"
