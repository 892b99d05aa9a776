"""Puts phones at a table: what they send becomes gestures, and what changes for anyone becomes a frame for each.

A batch has one frame for every phone that is connected, all of one length, all made before the first is sent, in an
order that is drawn each time. When a batch is made depends on events, gestures and time, never on what lies under a
square (S-6).
"""

from __future__ import annotations

import base64
import os
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from pi_app.displays.seat import code_word
from pi_app.game import events as ev
from pi_app.game.state import Phase
from pi_app.journal.budget import Budget
from pi_app.journal.record.heads import Head
from pi_app.pages.address import code_text
from pi_app.pages.content import MOST_NEWS, Content, SeatView, picture_of, qr_code, seat_view
from pi_app.pages.joining import Admission, PhoneSeats, Post, first_after
from pi_app.pages.link import Link
from pi_app.pages.messages import (
    GAME_BYTES,
    NO_GAME,
    Admitted,
    Counts,
    Dropped,
    Frames,
    Knock,
    Left,
    NamedGame,
    Posted,
    Refused,
    StaffAnswer,
    StaffAsk,
    Word,
)
from pi_app.pages.qr import modules
from pi_app.pages.sealing import KEY_BYTES, SLOT_BYTES, Random, Session, seal_frame
from pi_app.pages.sizes import FIRST_FRAME_BYTES, frame_size, picture_room, plain_text
from pi_app.pages.staff_kinds import NO_STAFF_PAGE
from pi_app.pages.staff_sealing import refusal_body
from pi_app.play.first_event import fair_pick
from pi_app.play.gestures import Gesture
from pi_app.play.loop.players import Players
from pi_app.play.loop.session import GameSession
from pi_app.play.loop.setup import PhoneCode
from pi_app.play.routed_display import GesturePlace
from pi_app.play.seats_and_dials import TableSeat
from pi_app.report.lamp_code import Flashes, card_code
from pi_app.report.pictures import SECRETS, SeatPicture
from pi_app.report.public_lines import PublicLines
from pi_app.text.language import SAMPLE, SIMULATED, Words
from pi_app.text.language import words as words_of

BEAT_NS: Final = 5_000_000_000
"""A batch follows the last one after this time at the latest: it keeps the streams alive."""

BATCHES: Final = Budget(at_once=40, every_ns=50_000_000)
"""More batches wait: whoever holds and lets go a hundred times a second does not slow the table down."""

JOINS: Final = Budget(at_once=10, every_ns=30_000_000_000)
"""The phones that may join and leave one seat: each writes an entry to the record."""

GESTURES: Final[Mapping[Post, Gesture]] = {
    Post.TAP: Gesture.TAP,
    Post.HOLD: Gesture.HOLD,
    Post.LET_GO: Gesture.LET_GO,
}


@dataclass(frozen=True, slots=True)
class TablePages:
    """Where a table's phones find their pages. `host`: such as `10.77.0.1` or `10.77.0.1:8080`; `host_now` returns it
    for a machine whose address can change; `cards`: the codes of printed cards, by seat. `pick` draws the order of
    frames, and `random` makes codes and keys."""

    link: Link
    host: str = "localhost"
    cards: Mapping[str, bytes] = field(default_factory=lambda: MappingProxyType({}))
    pick: Callable[[int], int] = fair_pick
    random: Random = os.urandom
    host_now: Callable[[], str] | None = None
    hosts: Callable[[], tuple[str, ...]] = tuple
    """The hosts that the page process serves now."""
    staff: Callable[[bytes, int], bytes] | None = None
    """Answers what a staff page sends, at a time in ns; None without such a page."""


class PhoneTable:
    """The phones of one table."""

    def __init__(self, session: GameSession, players: Players, pages: TablePages) -> None:
        self.session, self._players, self._pages = session, players, pages
        self._link = pages.link
        self._phones = PhoneSeats(session.seats, pages.random)
        self._public = PublicLines(seat.language for seat in session.seats.values())
        self._game: str | None = None
        """The game that phones can join, by its id."""
        self._numbers: dict[str, int] = {}
        """The seats' numbers for the page process, in the order in which they were first joined."""
        self._number = 0
        self._frame_bytes = FIRST_FRAME_BYTES
        self._room = 0
        self._news: dict[str, deque[str]] = {}
        """The newest public sentences, by language."""
        self._lines: dict[str, Mapping[str, str]] = {}
        self._views: tuple[Head | None, tuple[SeatView, ...]] = None, ()
        """The public parts of all seats, and the head that they have."""
        self._sent: object = None
        """What phones could see when the last batch was made."""
        self._sent_ns = 0
        self._batches, self._joins = BATCHES, dict.fromkeys(session.seats, JOINS)
        self._due = False
        self._staff_answers: list[StaffAnswer] = []
        self._ready: Frames | None = None
        """The batch that the next round sends first of all."""
        self._last_made = False
        """Whether the last batch of this game was made."""
        self._trouble: str | None = None
        self.counts = Counts(pages=0, joins=0, refused=0, streams=0)
        """What the page process counted last."""

    # ------------------------------------------------------------------------------------------------ from phones

    def new_code(self, seat: str) -> PhoneCode:
        """Make a new code for a seat; an older one is void."""
        host = self._pages.host if self._pages.host_now is None else self._pages.host_now()
        link = f"HTTP://{host.upper()}/#{code_text(self._phones.new_code(seat))}"
        return PhoneCode(link, host, modules(link, "L"))

    def take(self) -> bool:
        """Carry out what phones have sent. Return whether a player did something."""
        self._begin_game()
        acted = False
        for message in self._link.take():
            match message:
                case Knock():
                    self._knocked(message)
                case Posted(body):
                    acted = self._posted(body) or acted
                case Left(conn):
                    self._stream_ended(self._phones.left(conn))
                case StaffAsk(conn, body):
                    self._answer_staff(conn, body)
                case Counts():
                    self.counts = message
                case _:
                    pass
        self._report_trouble()
        return acted

    def _answer_staff(self, conn: int, body: bytes) -> None:
        """Answer a staff page at the beginning of the next round: how long its arithmetic took stays here."""
        if self._pages.staff is None:
            answer = refusal_body(NO_STAFF_PAGE, random=self._pages.random)
        else:
            answer = self._pages.staff(body, self.session.clock.now_ns())
        self._staff_answers.append(StaffAnswer(conn, answer))

    def _begin_game(self) -> None:
        """Make a game that has just begun, or was just resumed, one that phones can join."""
        if not self._players.may_play or self.session.game_id == self._game:
            return
        self._end_game("over")
        game, self._game = self.session.game, self.session.game_id
        self._number, self._frame_bytes = first_after(game.resumed), FIRST_FRAME_BYTES
        self._room = picture_room(game)
        name = self._pages.random(GAME_BYTES)
        self._phones.begin(name)
        self._link.send(NamedGame(name))
        self._phones.use_cards(self._pages.cards)
        for key, phone in game.phones.items():
            self._resume(key, phone.session)
        for key, seat in self.session.seats.items():
            (seat.routed.joined if key in game.phones else seat.routed.left)()

    def _resume(self, seat: str, text: str) -> None:
        """Let the phone that held a seat before a restart hold it again."""
        data = base64.b64decode(text)
        slot, down, up = data[:SLOT_BYTES], data[SLOT_BYTES : SLOT_BYTES + KEY_BYTES], data[SLOT_BYTES + KEY_BYTES :]
        self._phones.resume(seat, Session(slot, down, up), first_after(self.session.game.resumed))

    def forget(self) -> None:
        """Void all codes and keys, and forget what phones have shown. The page process names no game of this group."""
        self._end_game("over")
        self._public = PublicLines(seat.language for seat in self.session.seats.values())
        self._link.send(NamedGame(NO_GAME))
        self._phones.begin(NO_GAME)

    def _knocked(self, knock: Knock) -> None:
        self._players.noticed("", None)
        if self._game is None or not self._players.may_play:
            self._link.send(Refused(knock.conn, "game"))
            return
        unrecorded: list[Word] = []

        def record(admission: Admission) -> bool:
            unrecorded.extend(self._record_joined(admission))
            return not unrecorded

        admission = self._phones.knock(knock.conn, knock.kind, knock.body, self.session.clock.now_ns(), record)
        if admission is None:
            word = unrecorded[0] if unrecorded else self._phones.refusal(knock.kind, knock.body)
            self._link.send(Refused(knock.conn, word))
            return
        seat = self.session.seats[admission.seat]
        if admission.replaced_conn is not None:
            self._drop(admission.replaced_conn, "twice" if admission.resumed else "moved")
        self._stream_ended(seat.key)
        if not admission.resumed:
            self.session.darken_code(seat)
            seat.routed.joined()
        number = self._numbers.setdefault(seat.key, len(self._numbers))
        self._link.send(Admitted(knock.conn, admission.greeting, number))
        self._due = True

    def _record_joined(self, admission: Admission) -> tuple[Word, ...]:
        """Write down that a phone holds a seat. Return why it is not written down; nothing if it is."""
        session = admission.session
        text = base64.b64encode(session.slot + session.down + session.up).decode()
        return self._record(ev.PhoneJoined(seat=admission.seat, moved=admission.moved, session=text))

    def _record(self, event: ev.PhoneJoined | ev.PhoneLeft) -> tuple[Word, ...]:
        """Record who holds a seat. Return "full" if that happens too often at this seat, "disk" if the disk refused it,
        and nothing if it is recorded."""
        now_ns, budget = self.session.clock.now_ns(), self._joins[event.seat]
        if budget.room(now_ns) < 1:
            return ("full",)
        if not self.session.record_event(event):
            return ("disk",)
        self._joins[event.seat] = budget.used(now_ns)
        return ()

    def _posted(self, body: bytes) -> bool:
        """Carry out a gesture of a phone; what is forged or repeated has no effect."""
        posted = self._phones.posted(body) if self._game is not None else None
        if posted is None:
            return False
        seat, post = self.session.seats[posted[0]], posted[1]
        if post is Post.LEAVE:
            self._leave(seat)
        else:
            self._players.act(seat, GESTURES[post], GesturePlace.PHONE)
        return True

    def _leave(self, seat: TableSeat) -> None:
        if self._players.may_play and not self._record(ev.PhoneLeft(seat=seat.key)):
            self._stream_ended(seat.key)
            seat.routed.left()
            conn = self._phones.leave(seat.key)
            if conn is not None:
                self._drop(conn, "code")

    def _stream_ended(self, key: str | None) -> None:
        """A phone whose stream is over, or is a new one, no longer holds."""
        if key is not None:
            self._players.act(self.session.seats[key], Gesture.LET_GO, GesturePlace.PHONE)

    def _drop(self, conn: int, word: Word) -> None:
        self._link.send(Dropped(conn, word))

    def _report_trouble(self) -> None:
        if self._link.trouble is not None and self._link.trouble != self._trouble:
            self.session.notice(self.session.words(self._link.trouble))
        self._trouble = self._link.trouble

    # -------------------------------------------------------------------------------------------------- to phones

    def send(self) -> None:
        """Send the batch that the last round has made. A trap takes longer to draw and to seal than a clear square; at
        the beginning of a round that time is over, so the time of sending does not tell them apart (S-6)."""
        while self._staff_answers:
            self._link.send(self._staff_answers.pop())
        ready, self._ready = self._ready, None
        if ready is not None:
            self._link.send(ready)
        if self._game is not None and self._last_made:
            self._end_game("over")

    def make(self) -> None:
        """Make a frame for every phone, if anything visible has changed for anyone, or five seconds after the last."""
        if self._game is None or self._last_made:
            return
        if self.session.game.phase is Phase.ENDED:
            self._make_batch(last=True)
            self._last_made = True
            return
        if not self._phones.connected:
            return
        now_ns, visible = self.session.step_ns, self.visible()
        if visible != self._sent or self._due or now_ns - self._sent_ns >= BEAT_NS:
            if self._batches.room(now_ns) < 1:
                return
            self._batches = self._batches.used(now_ns)
            self._sent, self._sent_ns, self._due = visible, now_ns, False
            self._make_batch()

    def visible(self) -> object:
        """What decides whether phones get a batch: how often something happened, never what it was."""
        seats = self.session.seats.values()
        return (
            self.session.events,
            sum(seat.routed.shows for seat in seats),
            tuple(seat.key for seat in seats if seat.held_at is GesturePlace.PHONE),
        )

    def _make_batch(self, *, last: bool = False) -> None:
        public = self._public_views()
        if last:
            public = _with_qr(public)
        connected = dict(self._phones.connected)
        self._frame_bytes = frame_size(public, self._room, self._frame_bytes)
        self._number += 1
        after, frames = first_after(self.session.game.resumed), []
        for view in public:
            conn, session = connected.get(view.seat), self._phones.session(view.seat)
            if conn is not None and session is not None:
                held, picture = self.shown_on(view.seat)
                whole = replace(view, held=held, picture=picture, after=after)
                frames.append((conn, seal_frame(session, self._number, plain_text(whole, self._frame_bytes))))
        self._ready = Frames(tuple(self._shuffled(frames)))

    def _shuffled(self, frames: list[tuple[int, bytes]]) -> list[tuple[int, bytes]]:
        return [frames.pop(self._pages.pick(len(frames))) for _ in range(len(frames))]

    def _public_views(self) -> tuple[SeatView, ...]:
        """The public parts of what all seats' phones show, whether a phone holds them or not. With the head of the
        record, whose length never changes, each phone is a witness of the game so far."""
        game = self.session.game
        if not game.seats:
            return ()  # and perhaps no key yet that signs a head: the disk may refuse it
        head = self.session.journal.head()
        if self._views[0] != head:
            for language in dict.fromkeys(seat.language for seat in game.seats.values()):
                self._add_news(language)
            self._views = head, tuple(replace(self._view(key), head=head.text()) for key in game.seats)
        return self._views[1]

    def _view(self, key: str) -> SeatView:
        game = self.session.game
        language = game.seats[key].language
        marks, news = self._marks(words_of(language)), tuple(self._news[language])
        return seat_view(game, key, self._public, marks=marks, news=news)

    def _add_news(self, language: str) -> None:
        """Keep the public sentences of a language that are new."""
        lines = self._public.lines(self.session.game, language)
        before = self._lines.get(language, {**lines, "ruling": ""})  # the first phone reads that it joined
        self._lines[language] = lines
        news = self._news.setdefault(language, deque(maxlen=MOST_NEWS))
        news.extend(line for key, line in lines.items() if line and before.get(key) != line)

    def _marks(self, words: Words) -> tuple[str, ...]:
        game = self.session.game
        sample = any(square.table.is_sample for square in game.squares.values())
        return tuple(words(mark) for mark, given in ((SIMULATED, game.simulated), (SAMPLE, sample)) if given)

    def shown_on(self, key: str) -> tuple[bool, Content | None]:
        """Whether the table takes a phone's finger as down, and what the phone may show now: a secret only then."""
        seat = self.session.seats[key]
        held, picture = seat.held_at is GesturePlace.PHONE, seat.routed.on_phone
        if isinstance(picture, SECRETS) and not held:
            return held, None
        player = self.session.game.seats[key]
        return held, picture_of(picture, words_of(player.language), _pattern(player.lamp, picture))

    def _end_game(self, word: Word) -> None:
        """Void all codes and keys."""
        for seat in self.session.seats.values():
            seat.routed.left()
        for conn in self._phones.void():
            self._drop(conn, word)
        self._game, self._sent, self._views = None, None, (None, ())
        self._ready, self._last_made = None, False
        self._news.clear()
        self._lines.clear()


def _pattern(lamp: str, picture: SeatPicture) -> Flashes | None:
    """The flashes that a seat's lamp gives for a picture; None for a lamp whose patterns only a look explains."""
    word, code = code_word(picture), card_code(lamp)
    return None if word is None or code is None else code[word]


def _with_qr(views: tuple[SeatView, ...]) -> tuple[SeatView, ...]:
    """The last frames of a game have the head as a QR code too."""
    code = qr_code(modules(views[0].head.replace(" ", ""), "M"))
    return tuple(replace(view, qr=code) for view in views)
