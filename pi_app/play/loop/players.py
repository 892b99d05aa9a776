"""What players do at their seats: claim, turn, hold and look, roll, say yes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pi_app.game import events as ev
from pi_app.game.state import Claim, Phase
from pi_app.play.commands import parse as commands
from pi_app.play.gestures import Gesture
from pi_app.play.loop.beginning import Beginning
from pi_app.play.loop.dials import DialWatch
from pi_app.play.loop.sitting import SAY_NS, Sitting
from pi_app.play.loop.turns import Turns
from pi_app.play.seats_and_dials import SeatPlace
from pi_app.report.seat_screen import Attention
from pi_app.text.language import N_

HELD_REST_NS: Final = 500_000_000
"""A dial must stand this long before a button that was held too soon shows its face: a coin pauses between two clicks
for less."""

AGAIN_NS: Final = 10_000_000_000
"""Holding again within this shows the next square that the seat knows; later it begins with the newest."""

OFFER_STANDS_NS: Final = (1_000_000_000, SAY_NS)
"""A tap is the yes to an offer from so long after it was shown, and as long as it is."""


class Players:
    """The seats, each with its button and its screen."""

    def __init__(
        self,
        sitting: Sitting,
        watch: DialWatch,
        turns: Turns,
        beginning: Beginning,
        *,
        die: Callable[[], int],
        device_rolls: bool,
    ) -> None:
        """`die` gives 1 to 6; with `device_rolls` it is rolled at every claim."""
        self._sitting, self._watch, self._turns, self._beginning = sitting, watch, turns, beginning
        self.die, self._device_rolls = die, device_rolls

    def listen_to(self, place: SeatPlace) -> bool:
        """Look at a seat's button. Whether its player did anything with it."""
        if place.button is None:
            return False
        gesture = place.thumb.feed(place.button.pressed, self._sitting.clock.now_ns())
        if gesture is Gesture.TAP:
            self._tapped(place)
        elif gesture is Gesture.HOLD:
            self._held(place)
        elif place.held_on and gesture is None:
            self._holds_on(place)
        elif gesture is Gesture.LET_GO:
            place.held_on = False
            hand = self._sitting.game.turn_of(place.seat)
            place.turn_over = hand is not None and hand.square is not None
            self._sitting.dark(place)
        return gesture is not None

    def _tapped(self, place: SeatPlace) -> None:
        game = self._sitting.game
        if game.phase is not Phase.PLAYING:
            self._sitting.says(place, Attention.NO_GAME)
            return
        if self._beginning.due:
            self._sitting.says(place, Attention.NOT_RECORDED)
            return
        if self._agreed(place):
            return
        claim = game.claim_of(place.seat)
        if claim is None and game.open_claim is not None:
            self._sitting.says(place, Attention.WAIT_FOR_OTHER)
        elif claim is None:
            self._claim(place.seat, "button")
        elif claim.square is None or self._turns.untouched(claim.square):
            if self._sitting.happen(ev.ClaimDropped(seat=place.seat, why="taken back")):
                self._sitting.says(place, Attention.CLAIM_BACK)
        else:
            self._sitting.prompt(place, Attention.HOLD_TO_LOOK, claim.square)

    def _claim(self, seat: str, grade: ev.Grade) -> None:
        if self._sitting.happen(ev.Claimed(seat=seat, grade=grade)):
            self.claimed(seat, grade)

    def claimed(self, seat: str, grade: ev.Grade, label: str | None = None) -> None:
        """A claim is on disk: its seat is told, with the number if the device rolls at this table."""
        self._turns.claimed(seat)
        place = self._sitting.seats[seat]
        place.turn_over = False
        if not self._device_rolls or self.roll(place, grade):
            self._sitting.prompt(place, Attention.CLAIM_TAKEN, label)

    def roll(self, place: SeatPlace, grade: ev.Grade) -> bool:
        """Roll for a seat, once in a turn. A seat without a screen rolls at the table. False: the disk did not take
        the die."""
        game = self._sitting.game
        claim, hand = game.claim_of(place.seat), game.turn_of(place.seat)
        if claim is None or (hand is not None and hand.die is not None):
            return True
        if not place.has_screen:
            told = N_("{name} has no screen for a number: roll at the table, and say: rolled {seat} N")
            self._sitting.inform(told, name=game.seats[place.seat].name, seat=place.seat)
            return True
        rolled = ev.Rolled(seat=place.seat, square=claim.square, die=self.die(), how="device", grade=grade)
        return self._sitting.happen(rolled)

    def _held(self, place: SeatPlace) -> None:
        place.offer, place.held_on = None, False
        claim = self._sitting.game.claim_of(place.seat)
        if self._sitting.game.phase is Phase.NONE:
            self._sitting.says(place, Attention.NO_GAME)
        elif self._beginning.due:
            self._sitting.says(place, Attention.NOT_RECORDED)
        elif claim is not None and claim.square is None:
            place.held_on = any(dial.tracker.undecided for dial in self._sitting.dials.values())
            if not self._device_rolls or self.roll(place, "button"):
                self._sitting.prompt(place, Attention.TURN_FIRST)
        elif claim is not None and claim.square is not None:
            self._look_first(place, claim, claim.square)
        else:
            self._look_again(place)

    def _holds_on(self, place: SeatPlace) -> None:
        """A thumb that came too soon need not come again: the face is shown once the dial has come to rest."""
        claim = self._sitting.game.claim_of(place.seat)
        if claim is None:
            place.held_on = False
        elif claim.square is not None and self._has_come_to_rest(claim.square):
            self._held(place)

    def _has_come_to_rest(self, label: str) -> bool:
        dial = self._sitting.dials[label]
        stands = not (dial.lost or dial.tracker.moving) and self._watch.position(label) is not None
        return stands and (not dial.tracker.turning or dial.tracker.held_ns >= HELD_REST_NS)

    def _look_first(self, place: SeatPlace, claim: Claim, label: str) -> None:
        """The look that ends a turn: written down, then shown (T-EXP-5)."""
        dial = self._sitting.dials[label]
        if not self._sitting.game.squares[label].homed:
            self._sitting.says(place, Attention.NOT_HOMED, label)
            return
        if dial.lost or dial.tracker.hopping:
            self._sitting.says(place, Attention.CANNOT_READ, label)
            return
        if self._watch.tiles.withheld(label):
            self._sitting.says(place, Attention.NOT_VERIFIED, label)
            return
        if dial.tracker.moving:
            place.held_on = True
            self._sitting.says(place, Attention.STILL_TURNING, label)
            return
        if self._watch.position(label) is None:
            self._sitting.says(place, Attention.LOOK_AGAIN, label)
            return
        self._turns.end(dial)
        if dial.kept is None and dial.unseen_from is None:
            self._sitting.prompt(place, Attention.TURN_FIRST, label)
        elif self._turns.record(label, claim):
            self._sitting.show_face(place, label)
            self._watch.rested(label)

    def _look_again(self, place: SeatPlace) -> None:
        """Newest first; holding again soon goes on to the next square that this seat knows (T-EXP-10). A token that was
        drawn and neither kept nor put back goes before; everybody can see who holds one."""
        if self._sitting.show_token(place):
            return
        known = self._sitting.game.may_look(place.seat)
        if not known:
            self._sitting.says(place, Attention.NOTHING_KNOWN)
            return
        label = known[0]
        now_ns = self._sitting.clock.now_ns()
        if place.last_look is not None and now_ns - place.last_look[1] < AGAIN_NS and place.last_look[0] in known:
            label = known[(known.index(place.last_look[0]) + 1) % len(known)]
        if self._sitting.playing and not self._sitting.happen(ev.Looked(seat=place.seat, square=label)):
            self._sitting.says(place, Attention.NOT_RECORDED)
            return
        self._sitting.show_face(place, label)

    def offer(self, event: ev.Shared) -> None:
        """Whoever types it may be another player: the seat itself says yes, with a tap (S-8)."""
        place, name = self._sitting.seats[event.seat], self._sitting.game.seats[event.seat].name
        if place.button is None or not place.has_screen:
            told = N_("{name} has no button and screen to say yes with: tell them by word of mouth.")
        else:
            place.offer = (event, self._sitting.step_ns)
            self._sitting.says(place, Attention.SHARE, event.square)
            told = N_("{name} is asked, and says yes with a tap.")
        self._sitting.inform(told, name=name)

    def _agreed(self, place: SeatPlace) -> bool:
        """Whether a tap was the yes to an offer. One that comes sooner than anybody reads is none."""
        offer, place.offer = place.offer, None
        if offer is None or not OFFER_STANDS_NS[0] <= self._sitting.step_ns - offer[1] <= OFFER_STANDS_NS[1]:
            return False
        if commands.may_share(self._sitting.game, offer[0]) and self._sitting.happen(offer[0]):
            self._sitting.dark(place)
        return True
