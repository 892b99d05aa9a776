"""Phones, strangers and a careless network in any order: a seat never has two phones, and nothing counts twice."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from pi_app.pages import sealing
from pi_app.pages.joining import AGAIN_NS, PhoneSeats, Post, first_after
from pi_app.simulated.phone import PhoneSession, knock

SEATS = ("ANN", "BEN", "CLEO")
CARDS = {"ANN": b"card of Ann     ", "BEN": b"card of Ben     "}

seats = st.sampled_from(SEATS)


class Phones(RuleBasedStateMachine):
    """The model: the code of each seat, the phone that has it, and everything that was ever sent."""

    def __init__(self) -> None:
        super().__init__()
        self.table = PhoneSeats(SEATS)
        self.once: dict[str, bytes] = {}
        self.cards: dict[str, bytes] = {}
        self.dead_codes: list[bytes] = []
        self.phones: dict[str, PhoneSession] = {}
        self.replaced: list[PhoneSession] = []
        self.streams: dict[str, int] = {}
        self.sent: list[bytes] = []
        self.joins_sent: list[tuple[str, PhoneSession, int, bytes]] = []
        """The seat, the phone, the time, and what it sent."""
        self.used: list[PhoneSession] = []
        """Phones that have used their keys."""
        self.posts: list[bytes] = []
        self.conn = self.restarts = self.games = self.now_ns = 0
        self.begins_a_game()

    def begins_a_game(self) -> None:
        self.games += 1
        self.game = self.games.to_bytes(16, "big")
        self.table.begin(self.game)

    def new_conn(self) -> int:
        self.conn += 1
        return self.conn

    # ------------------------------------------------------------------------------------------------- the table

    @rule(seat=seats)
    def makes_a_code(self, seat: str) -> None:
        if seat in self.once:
            self.dead_codes.append(self.once[seat])
        self.once[seat] = self.table.new_code(seat)

    @rule()
    def uses_cards(self) -> None:
        self.table.use_cards(CARDS)
        self.cards = dict(CARDS)

    @rule(seat=seats)
    def frees_a_seat(self, seat: str) -> None:
        assert self.table.leave(seat) == self.streams.pop(seat, None)
        self.forget(seat)

    @rule()
    def ends_the_game(self) -> None:
        assert sorted(self.table.void()) == sorted(self.streams.values())
        self.dead_codes += self.once.values()
        self.once, self.cards, self.streams = {}, {}, {}
        for seat in SEATS:
            self.forget(seat)
        self.begins_a_game()

    @rule(seconds=st.sampled_from([1, 4, 11]))
    def waits(self, seconds: int) -> None:
        self.now_ns += seconds * 1_000_000_000

    @rule(cards=st.booleans())
    def is_restarted(self, cards: bool) -> None:
        self.restarts += 1
        sessions = {seat: self.table.session(seat) for seat in self.phones}
        self.table = PhoneSeats(SEATS)
        for seat, session in sessions.items():
            assert session is not None
            self.table.resume(seat, session, first_after(self.restarts))
        self.dead_codes += self.once.values()
        self.once, self.streams, self.cards = {}, {}, {}
        self.begins_a_game()
        if cards:
            self.uses_cards()

    def forget(self, seat: str) -> None:
        if seat in self.phones:
            self.replaced.append(self.phones.pop(seat))

    # ------------------------------------------------------------------------------------------------- the phones

    @rule(seat=seats, card=st.booleans())
    def scans(self, seat: str, card: bool) -> None:
        code = (self.cards if card else self.once).get(seat)
        if code is not None:
            self.joins(seat, code)

    @rule(data=st.data())
    @precondition(lambda self: self.dead_codes)
    def scans_a_dead_code(self, data: st.DataObject) -> None:
        body, _ = knock(data.draw(st.sampled_from(self.dead_codes)), game=self.game)
        assert self.table.knock(self.new_conn(), "join", body) is None

    @rule(seat=seats)
    def two_scan_at_once(self, seat: str) -> None:
        if seat in self.once:
            code = self.once[seat]
            late, _ = knock(code, game=self.game)
            self.joins(seat, code)
            assert self.table.knock(self.new_conn(), "join", late) is None

    def joins(self, seat: str, code: bytes) -> None:
        assert self.table.knock(self.new_conn(), "join", knock(code, game=bytes(16))[0]) is None
        body, finish = knock(code, game=self.game)
        conn = self.new_conn()
        admission = self.table.knock(conn, "join", body, self.now_ns)
        assert admission is not None
        assert admission.seat == seat
        assert admission.moved is (seat in self.phones)
        assert admission.replaced_conn == self.streams.get(seat)
        assert not admission.resumed
        self.forget(seat)
        self.phones[seat], self.streams[seat] = finish(admission.greeting), conn
        self.joins_sent.append((seat, self.phones[seat], self.now_ns, body))
        self.reads_a_frame(seat)
        if seat in self.once:
            self.dead_codes.append(self.once.pop(seat))

    def reads_a_frame(self, seat: str) -> None:
        self.phones[seat].counter = max(self.phones[seat].counter, first_after(self.restarts))

    @rule(seat=seats)
    def comes_back(self, seat: str) -> None:
        if seat in self.phones:
            body, conn = self.phones[seat].resume(), self.new_conn()
            admission = self.table.knock(conn, "stream", body)
            assert admission is not None
            assert (admission.seat, admission.resumed) == (seat, True)
            assert admission.replaced_conn == self.streams.get(seat)
            self.streams[seat] = conn
            self.used.append(self.phones[seat])
            self.reads_a_frame(seat)
            self.sent.append(body)

    @rule(seat=seats, kind=st.sampled_from([each for each in sealing.KINDS if each != sealing.OPEN_STREAM]))
    def makes_a_gesture(self, seat: str, kind: int) -> None:
        """Where the phone itself has opened its stream, since the table was restarted."""
        if seat in self.streams and self.phones[seat].counter >= first_after(self.restarts):
            body = self.phones[seat].post(kind)
            assert self.table.posted(body) == (seat, Post(kind))
            self.used.append(self.phones[seat])
            self.sent.append(body)
            self.posts.append(body)

    @rule(data=st.data(), kind=st.sampled_from(sealing.KINDS))
    @precondition(lambda self: self.replaced)
    def a_replaced_phone_speaks(self, data: st.DataObject, kind: int) -> None:
        body = data.draw(st.sampled_from(self.replaced)).post(kind)
        assert self.table.posted(body) is None
        assert self.table.knock(self.new_conn(), "stream", body) is None

    # ------------------------------------------------------------------------------------------------ the network

    @rule(seat=seats)
    def loses_a_stream(self, seat: str) -> None:
        if seat in self.streams:
            assert self.table.left(self.streams.pop(seat)) == seat

    @rule(conn=st.integers(0, 60))
    def says_late_that_a_stream_is_over(self, conn: int) -> None:
        if conn not in self.streams.values():
            assert self.table.left(conn) is None

    @rule(data=st.data())
    @precondition(lambda self: self.sent)
    def repeats(self, data: st.DataObject) -> None:
        """A stream that was opened before a restart may open once more: only its own phone can read it."""
        body = data.draw(st.sampled_from(self.sent))
        assert self.table.posted(body) is None
        assert self.table.knock(self.new_conn(), "join", body) is None
        conn = self.new_conn()
        admission = self.table.knock(conn, "stream", body)
        if admission is not None:
            assert self.restarts
            assert self.phones[admission.seat].slot == sealing.slot_of(body)
            self.streams[admission.seat] = conn
        assert all(self.table.posted(post) is None for post in self.posts)

    @rule(data=st.data())
    @precondition(lambda self: self.joins_sent)
    def repeats_a_knock(self, data: st.DataObject) -> None:
        """The phone that has the seat gets the same answer, for ten seconds and until it uses its keys."""
        seat, phone, at_ns, body = data.draw(st.sampled_from(self.joins_sent))
        conn, has_the_seat = self.new_conn(), self.phones.get(seat) is phone
        admission = self.table.knock(conn, "join", body, self.now_ns)
        fresh = self.now_ns - at_ns <= AGAIN_NS and phone not in self.used
        if admission is None:
            assert not (has_the_seat and fresh and self.restarts == 0)
            return
        assert has_the_seat
        assert fresh
        assert (admission.seat, admission.session.slot, admission.resumed) == (seat, phone.slot, True)
        assert (admission.moved, admission.replaced_conn) == (False, self.streams.get(seat))
        self.streams[seat] = conn

    # --------------------------------------------------------------------------------------------- what stays true

    @invariant()
    def a_seat_has_at_most_one_phone_and_it_is_the_newest(self) -> None:
        assert set(self.table.taken) == set(self.phones)
        for seat in SEATS:
            session, phone = self.table.session(seat), self.phones.get(seat)
            assert (session is None) is (phone is None)
            assert session is None or phone is None or session.slot == phone.slot

    @invariant()
    def streams_are_those_of_the_phones(self) -> None:
        assert dict(self.table.connected) == self.streams


def test_no_order_of_what_phones_and_strangers_do_breaks_what_stays_true() -> None:
    run_state_machine_as_test(Phones, settings=settings(max_examples=60, stateful_step_count=40, deadline=None))
