"""The state of the game, and the only way to change it: write to disk, then apply, then report.

`record_event` keeps that order. Reports go two ways: lines to viewers, and pictures to the seats' own screens.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from pi_app.game import events as ev
from pi_app.game.lamp_deal import Pick
from pi_app.game.moves import what_now
from pi_app.game.state import Game, Phase
from pi_app.journal import Journal, NotRecordedError
from pi_app.journal.disk_trouble import Refusals, advice, refusal
from pi_app.play.clock_notice import clock_words
from pi_app.play.loop.setup import PhoneCode, TableOptions, TableParts
from pi_app.play.repeats import RepeatedNotices
from pi_app.play.routed_display import GesturePlace
from pi_app.play.seats_and_dials import Gatherer, Listener, TableDial, TableSeat
from pi_app.report.lamp_code import dealt_code
from pi_app.report.moment import NO_GAME, Moment
from pi_app.report.pictures import Dark, SeatPicture
from pi_app.report.seat_screen import (
    CARD_PAGES,
    Attention,
    seat_card,
    seat_code,
    seat_die,
    seat_looks,
    seat_says,
    seat_token,
)
from pi_app.report.visibility import REFEREE
from pi_app.text.language import N_, Words, count_of
from pi_app.text.language import words as words_of

SENTENCE_NS: Final = 4_000_000_000
"""How long a neutral sentence stays on a seat's screen."""

CODE_NS: Final = 60_000_000_000
"""How long the code for a phone stays on a seat's screen."""

CODE_PAGE: Final = "phone-code"
"""Its name among the pictures that a seat looks at, which no square has."""

DISK_RETRY_NS: Final = 1_000_000_000
"""After a refusal only a player's action retries the disk earlier than this."""

DISK_TRY_NS: Final = 10_000_000_000
"""So often is a disk tried that refused an event while no game is on."""

WRITTEN_AGAIN: Final = N_("Journal ({path}): writing works again. Play goes on.")


class GameSession:
    """The games of one table, one after the other: `moment` is on disk in `journal` and reported to seats and
    listeners."""

    def __init__(
        self,
        parts: TableParts,
        journal: Journal[Moment, ev.AnyEvent],
        options: TableOptions,
        listeners: Sequence[Listener],
        resume: tuple[str, Moment] | None,
    ) -> None:
        """`resume`: an unfinished game to continue."""
        self.clock, self.journal = parts.clock, journal
        self.seats: Mapping[str, TableSeat] = {seat.key: seat for seat in parts.seats}
        self.dials: Mapping[str, TableDial] = {label: TableDial(tracker) for label, tracker in parts.dials.items()}
        self.listeners = listeners
        self.gatherers = [listener for listener in listeners if isinstance(listener, Gatherer)]
        self.game_id, self.moment = ("", NO_GAME) if resume is None else resume
        self.words = words_of(options.language)
        self.ready = False
        """Whether every dial rested once, or the wait for it is over: a game is on, or can begin."""
        self.step_ns = self.clock.now_ns()
        """When this round began. Displays use it, so that a lamp's flashes last whole rounds."""
        self._show_ns = options.show_ns
        self.events = 0
        """How many events were recorded, or came from another program."""
        self.refused_for_good = False
        """Whether the last event was refused, and will be every time."""
        self.writing_ns: int | None = None
        """Since when the disk is being written to; None while it is not."""
        self.refused_by = ""
        """Why the disk refused the last event (`NotRecordedError.cause`); empty if it took it."""
        self.refused = 0
        """How many events were refused."""
        self.write_ns = 0
        """How long the last event took to write."""
        self._refused_ns: int | None = None
        self.refused_since_ns: int | None = None
        """Since when the disk refuses every event; None while it takes them."""
        self._refusals = Refusals()
        self._repeats = RepeatedNotices(self.words)

    @property
    def game(self) -> Game:
        """The state of the game."""
        return self.moment.game

    @property
    def playing(self) -> bool:
        """Whether a game is on."""
        return self.game.phase is Phase.PLAYING

    @property
    def may_write(self) -> bool:
        """Whether the loop may write an event now: a game is on, and the disk has not just refused one."""
        return self.playing and self.disk_ready

    @property
    def disk_ready(self) -> bool:
        """Whether the disk may be tried again after it refused an event."""
        return self._refused_ns is None or self.clock.now_ns() - self._refused_ns > DISK_RETRY_NS

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        self.writing_ns = self.clock.now_ns()
        try:
            yield
        finally:
            self.writing_ns = None

    def tidy_journal(self) -> None:
        """Let the journal do what it has put off."""
        with self._writing():
            self.journal.checkpoint_if_due()

    def record_event(self, event: ev.AnyEvent, said: Sequence[str] = ()) -> bool:
        """Write an event to disk, apply it, tell the referee what is `said` of it, and report the changes to every
        viewer. Return False if the disk refused it: nothing is applied then, and nothing reported."""
        began_ns = self.clock.now_ns()
        try:
            with self._writing():
                after = self.journal.append(self.game_id, self.moment, event)
        except NotRecordedError as error:
            self._note_refusal(error)
            return False
        self.write_ns = self.clock.now_ns() - began_ns
        self._writes_again()
        for sentence in said:
            self.tell_referee(sentence)
        self._report_changes(after, event)
        for correction in self.journal.take_corrections():
            self.notice(clock_words(correction, self.words))
        return True

    def _note_refusal(self, error: NotRecordedError) -> None:
        self.refused_for_good, self.refused_by = error.for_good, error.cause
        self._refused_ns = now_ns = self.clock.now_ns()
        self.refused_since_ns = self.refused_since_ns or now_ns
        self.refused += 1
        number = error.cause.rpartition(" ")[2]  # one full disk refuses a key, an index and an entry
        if self._refusals.is_new(number if number.isdigit() else error.cause, now_ns):
            self.tell_referee(str(error))
        for seat in self.seats.values():
            picture = seat_says(Attention.NOT_RECORDED, self._words_for(seat.key))
            if seat.until_ns is not None and seat.routed.is_shown(picture):
                seat.until_ns = now_ns + SENTENCE_NS
            else:
                self._put(seat, picture, SENTENCE_NS)

    def check_recorded(self) -> None:
        """Check at the end of play that the disk took the last event. Raises NotRecordedError."""
        if self.refused_since_ns is None:
            return
        number = int(digits) if (digits := self.refused_by.rpartition(" ")[2]).isdigit() else None
        why = "" if number is None else f" ({os.strerror(number)})"
        raise NotRecordedError(
            f"Journal ({self.journal.path}): the game was not recorded to its end, and the disk refused "
            f"{count_of(self.refused, 'event')}{why}. {advice(number)}, and play again.",
            self.refused_by,
        )

    def _writes_again(self) -> None:
        """The disk takes what is written, perhaps again."""
        self.refused_since_ns, self.refused_by = None, ""
        if self._refusals.is_over():
            self.inform(WRITTEN_AGAIN, path=self.journal.path)

    def try_disk(self) -> None:
        """Try a disk that refused the last event, now and then, while no game is on: no event does that then."""
        if self._refused_ns is None or self.refused_since_ns is None or self.playing:
            return
        if self.clock.now_ns() - self._refused_ns < DISK_TRY_NS:
            return
        with self._writing():
            number = refusal(self.journal.path.parent)
        self._refused_ns = self.clock.now_ns()
        if number is None:
            self._writes_again()

    def catch_up(self) -> None:
        """Apply the events that another program added to the journal (a trap table shown with --in-play, S-9)."""
        self._report_changes(self.journal.catch_up(self.game_id, self.moment))

    def _report_changes(self, after: Moment, event: ev.AnyEvent | None = None) -> None:
        before, self.moment = self.moment, after
        self.events += event is not None or after is not before
        for label, dial in self.dials.items():
            dial.tracker.ends_at_rest = after.game.claim_on(label) is None
        for viewer in after.reports:
            for line in after.news(viewer, before):
                self.tell(viewer, line)
        changed = after.game.squares is not before.game.squares and before.game.phase is Phase.PLAYING
        if changed and event is not None and not isinstance(event, ev.Undone):
            for note in what_now(before.game, after.game, event):
                self.tell_referee(note.text(self.words))

    def tell(self, viewer: str, line: str) -> None:
        """Send one line to one viewer, unchanged."""
        at_ns = self.clock.now_ns()
        for listener in self.listeners:
            listener.told(viewer, line, at_ns)

    def tell_referee(self, line: str) -> None:
        """Send one line to the referee alone, unchanged."""
        self.tell(REFEREE.name, line)

    def inform(self, sentence: str, **blanks: object) -> None:
        """Send the referee a sentence in the table's language, with its blanks filled."""
        self.tell_referee(self.words(sentence).format(**blanks))

    def notice(self, line: str) -> None:
        """Send the referee a notice about a part, unless that part sends too many."""
        for sent in self._repeats.take(line, self.clock.now_ns()):
            self.tell_referee(sent)

    def sum_up_notices(self) -> None:
        """Send the referee the sums of the notices that were held back."""
        for line in self._repeats.sums(self.clock.now_ns()):
            self.tell_referee(line)

    # ------------------------------------------------------------------ on the seats' own screens

    def deal_lamps(self, pick: Pick, dealt: Callable[[str, str], None] | None = None) -> None:
        """Let each lamp blink the code that its seat has in this game, and tell `dealt` of it."""
        for key, seat in self.seats.items():
            lamp = self.game.seats[key].lamp if key in self.game.seats else ""
            seat.routed.deal(lamp, pick)
            if dealt is not None:
                dealt(key, lamp)

    def show_sentence(self, seat: TableSeat, attention: Attention, label: str | None = None) -> None:
        """Show a neutral sentence on a seat's own screen for a few seconds."""
        self._put(seat, seat_says(attention, self._words_for(seat.key), label), SENTENCE_NS)

    def prompt(self, seat: TableSeat, attention: Attention, label: str | None = None) -> None:
        """Show a seat the die that the device rolled for its turn, or else this sentence."""
        die = seat_die(self.game, seat.key, self._words_for(seat.key), label)
        if die is None:
            self.show_sentence(seat, attention, label)
        else:
            self._show_or_announce(seat, die, label)

    def show_face(self, seat: TableSeat, label: str) -> None:
        """Show on a seat's own screen what it may see of a square."""
        picture = seat_looks(self.game, seat.key, label, self._words_for(seat.key))
        seat.last_look = (label, self.step_ns)
        self._put(seat, picture, self._show_ns)

    def show_token(self, seat: TableSeat) -> bool:
        """Show the token that a seat has drawn, for as long as a face. Return False if it holds none."""
        picture = seat_token(self.game, seat.key, self._words_for(seat.key))
        if picture is not None:
            self._show_or_announce(seat, picture)
        return picture is not None

    def _show_or_announce(self, seat: TableSeat, picture: SeatPicture, label: str | None = None) -> None:
        """Show a secret that the player did not hold for. A phone shows one only while it is held: it says so."""
        if seat.routed.source is GesturePlace.PHONE and seat.held_at is not GesturePlace.PHONE:
            self.show_sentence(seat, Attention.NUMBER_WAITS, label)
        else:
            self._put(seat, picture, self._show_ns)

    def show_code(self, seat: TableSeat, code: PhoneCode) -> None:
        """Show on a seat's own screen the code with which a phone takes it."""
        seat.last_look = (CODE_PAGE, self.step_ns)
        self._put(seat, seat_code(code.link, code.address, code.modules, self._words_for(seat.key)), CODE_NS)

    def card_pages(self, seat: TableSeat) -> Sequence[str]:
        """Return the names of the pages of a seat's lamp card, which no square has; none without a dealt code."""
        player = self.game.seats.get(seat.key)
        dealt = seat.has_screen and player is not None and dealt_code(player.lamp) is not None
        return [f"page {number}" for number in range(1, len(CARD_PAGES) + 1)] if dealt else []

    def show_card(self, seat: TableSeat, page: int) -> None:
        """Show a page of a seat's lamp card on its own screen, for as long as a face."""
        picture = seat_card(self.game, seat.key, page, self._words_for(seat.key))
        if picture is not None:
            seat.last_look = (self.card_pages(seat)[page], self.step_ns)
            self._put(seat, picture, self._show_ns)

    def show_between(self, seat: TableSeat, picture: SeatPicture) -> None:
        """Show what stands on a seat's screen while play shows nothing there."""
        if seat.until_ns is None:
            seat.routed.show(picture, self.step_ns)

    def speak(self, language: str) -> None:
        """Speak another language from now on, to everybody and on every seat's screen. A game that is on keeps its
        own."""
        self.words = words_of(language)
        for seat in self.seats.values():
            seat.language = language
            seat.routed.speak(self.words)

    def forget(self) -> None:
        """Forget the game that has ended, and what its players did."""
        self.game_id, self.moment, self.refused_for_good = "", NO_GAME, False
        self._repeats = RepeatedNotices(self.words)
        for seat in self.seats.values():
            self.darken(seat)
            seat.turn_over = seat.waits_for_rest = False
            seat.last_look = seat.offer = seat.held_at = None
            seat.routed.left()
            seat.routed.deal("", lambda count: 0)
        for dial in self.dials.values():
            dial.kept = dial.unseen_from = None
            dial.kept_turns = 0

    def darken(self, seat: TableSeat) -> None:
        """Clear a seat's screen."""
        now_ns = self.step_ns
        if seat.last_look is not None:
            seat.last_look = (seat.last_look[0], now_ns)
        seat.until_ns = None
        seat.routed.show(Dark(), now_ns)

    def darken_code(self, seat: TableSeat) -> None:
        """Clear a seat's screen if it shows the code for a phone: that code is spent."""
        if seat.until_ns is not None and seat.last_look is not None and seat.last_look[0] == CODE_PAGE:
            self.darken(seat)

    def refresh_screens(self) -> None:
        """Clear the screens whose time is over, and update every display and the listeners that gather lines."""
        now_ns = self.step_ns
        for seat in self.seats.values():
            if seat.until_ns is not None and now_ns >= seat.until_ns:
                self.darken(seat)
            seat.routed.tick(now_ns)
        for listener in self.gatherers:
            listener.pause(now_ns)

    def _put(self, seat: TableSeat, picture: SeatPicture, for_ns: int) -> None:
        seat.until_ns = self.clock.now_ns() + for_ns  # now: the disk may have been slow in this round
        seat.routed.show(picture, self.step_ns)

    def _words_for(self, key: str) -> Words:
        player = self.game.seats.get(key)
        return words_of(self.seats[key].language if player is None else player.language)
