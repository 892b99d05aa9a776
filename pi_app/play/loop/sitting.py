"""The game as it stands, and the one way on: on disk first, then true, then told.

That order, in `happen`, is the promise of the house. What is told goes two ways: lines to viewers, and pictures to the
seats' own screens.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from hardware.clock import Clock
from pi_app.game import events as ev
from pi_app.game.moves import what_now
from pi_app.game.state import Game, Phase
from pi_app.journal import Journal, NotRecordedError
from pi_app.journal.disk_trouble import Refusals
from pi_app.play.clock_notice import clock_words
from pi_app.play.seats_and_dials import DialPlace, Gatherer, Listener, SeatPlace
from pi_app.report.moment import NO_GAME, Moment
from pi_app.report.pictures import Dark, SeatPicture
from pi_app.report.seat_screen import Attention, seat_die, seat_looks, seat_says, seat_token
from pi_app.report.visibility import REFEREE
from pi_app.text.language import N_
from pi_app.text.language import words as words_of

SAY_NS: Final = 4_000_000_000
"""How long a neutral sentence stays on a seat's screen."""

DISK_RESTS_NS: Final = 1_000_000_000
"""After a refusal the disk is not asked again for so long by anything but a player's own hand."""


WRITTEN_AGAIN: Final = N_("Journal ({path}): it can be written again. Play goes on.")


class Sitting:
    """One game after the other at one table: `moment` is true, `journal` has it, seats and listeners were told it."""

    def __init__(
        self,
        *,
        clock: Clock,
        journal: Journal[Moment, ev.AnyEvent],
        seats: Mapping[str, SeatPlace],
        dials: Mapping[str, DialPlace],
        listeners: Sequence[Listener],
        language: str,
        show_ns: int,
        resume: tuple[str, Moment] | None,
    ) -> None:
        """`show_ns` is how long a face stays on a screen. `resume`: a game that goes on."""
        self.clock, self.journal, self.seats, self.dials, self.listeners = clock, journal, seats, dials, listeners
        self._gatherers = [each for each in listeners if isinstance(each, Gatherer)]
        self.game_id, self.moment = ("", NO_GAME) if resume is None else resume
        self.words = words_of(language)
        self.ready = False
        """Whether every dial was seen at rest, or waited for long enough: a game is on, or may begin."""
        self.step_ns = clock.now_ns()
        """When this round began. Displays go by it: a lamp's flashes are then whole rounds, whatever else one does."""
        self._show_ns = show_ns
        self._refused_ns: int | None = None
        self._refusals = Refusals()

    @property
    def game(self) -> Game:
        """The game as it stands."""
        return self.moment.game

    @property
    def playing(self) -> bool:
        """Whether a game is on."""
        return self.game.phase is Phase.PLAYING

    @property
    def may_write(self) -> bool:
        """Whether the loop itself may write an event now: a game is on, and the disk has not just refused one."""
        return self.playing and self.disk_rested

    @property
    def disk_rested(self) -> bool:
        """Whether the disk may be asked again after it refused an event."""
        return self._refused_ns is None or self.clock.now_ns() - self._refused_ns > DISK_RESTS_NS

    def happen(self, event: ev.AnyEvent) -> bool:
        """Write an event down, make it true, tell every viewer what is new for them. False: the disk did not take
        it, so it did not happen and nobody is told."""
        try:
            after = self.journal.append(self.game_id, self.moment, event)
        except NotRecordedError as error:
            self._refused_ns = self.clock.now_ns()
            if self._refusals.is_new(error.cause, self._refused_ns):
                self.tell_referee(str(error))
            for place in self.seats.values():
                self.says(place, Attention.NOT_RECORDED)
            return False
        if self._refusals.is_over():
            self.inform(WRITTEN_AGAIN, path=self.journal.path)
        self._tell_news(after)
        for correction in self.journal.take_corrections():
            self.tell_referee(clock_words(correction, self.words))
        return True

    def catch_up(self) -> None:
        """Take in what another program added to the journal (a trap table shown by force, S-9)."""
        self._tell_news(self.journal.catch_up(self.game_id, self.moment))

    def _tell_news(self, after: Moment) -> None:
        before, self.moment = self.moment, after
        for label, place in self.dials.items():
            place.tracker.ends_at_rest = after.game.claim_on(label) is None
        for viewer in after.reports:
            for line in after.news(viewer, before):
                self.tell(viewer, line)
        if after.game.squares is not before.game.squares and before.game.phase is Phase.PLAYING:
            for note in what_now(before.game, after.game):
                self.tell_referee(note.text(self.words))

    def tell(self, viewer: str, line: str) -> None:
        """One line, as it is, for one viewer."""
        at_ns = self.clock.now_ns()
        for listener in self.listeners:
            listener.told(viewer, line, at_ns)

    def tell_referee(self, line: str) -> None:
        """One line, as it is, for the referee alone."""
        self.tell(REFEREE.name, line)

    def inform(self, sentence: str, **blanks: object) -> None:
        """A sentence for the referee in the table's language, with its blanks filled."""
        self.tell_referee(self.words(sentence).format(**blanks))

    # ------------------------------------------------------------------ on the seats' own screens

    def says(self, place: SeatPlace, attention: Attention, label: str | None = None) -> None:
        """A neutral sentence on a seat's own screen, for a few seconds."""
        self._put(place, seat_says(attention, self._words_for(place.seat), label), SAY_NS)

    def prompt(self, place: SeatPlace, attention: Attention, label: str | None = None) -> None:
        """What a seat may do next in its turn: the device's number if it has one, else this."""
        die = seat_die(self.game, place.seat, self._words_for(place.seat), label)
        if die is None:
            self.says(place, attention, label)
        else:
            self._put(place, die, self._show_ns)

    def show_face(self, place: SeatPlace, label: str) -> None:
        """What this seat may see of a square, on its own screen."""
        picture = seat_looks(self.game, place.seat, label, self._words_for(place.seat))
        place.last_look = (label, self.step_ns)
        self._put(place, picture, self._show_ns)

    def show_token(self, place: SeatPlace) -> bool:
        """What was drawn, on the seat's own screen, for as long as a face would be shown. False if it holds nothing."""
        picture = seat_token(self.game, place.seat, self._words_for(place.seat))
        if picture is not None:
            self._put(place, picture, self._show_ns)
        return picture is not None

    def dark(self, place: SeatPlace) -> None:
        """Nothing more on a seat's screen."""
        now_ns = self.step_ns
        if place.last_look is not None:
            place.last_look = (place.last_look[0], now_ns)
        place.until_ns = None
        place.display.show(Dark(), now_ns)

    def refresh_screens(self) -> None:
        """Make those dark whose time is over, and move every display on by one round; printed lines as well."""
        now_ns = self.step_ns
        for place in self.seats.values():
            if place.until_ns is not None and now_ns >= place.until_ns:
                self.dark(place)
            place.display.tick(now_ns)
        for listener in self._gatherers:
            listener.pause(now_ns)

    def _put(self, place: SeatPlace, picture: SeatPicture, for_ns: int) -> None:
        place.until_ns = self.clock.now_ns() + for_ns  # the disk may have taken its time in this round
        place.display.show(picture, self.step_ns)

    def _words_for(self, seat: str) -> Callable[[str], str]:
        player = self.game.seats.get(seat)
        return words_of(self.seats[seat].language if player is None else player.language)
