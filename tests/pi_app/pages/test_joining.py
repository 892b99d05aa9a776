"""Who holds which seat: codes, streams, posts, restarts and the end of the game."""

from __future__ import annotations

import pprint

import pytest

from pi_app.pages import sealing
from pi_app.pages.joining import AGAIN_NS, Admission, PhoneSeats, Post, first_after
from pi_app.pages.messages import POST_BYTES
from pi_app.simulated.phone import PhoneSession, knock, sealed_post

CARD = bytes(range(16))


def scanned(seats: PhoneSeats, conn: int, code: bytes) -> tuple[PhoneSession, Admission]:
    """A phone that scans a code and gets in."""
    body, finish = knock(code)
    admission = seats.knock(conn, "join", body)
    assert admission is not None
    return finish(admission.greeting), admission


def refused(seats: PhoneSeats, code: bytes) -> bool:
    return seats.knock(999, "join", knock(code)[0]) is None


def test_a_code_admits_one_phone() -> None:
    seats = PhoneSeats(["ANN", "BEN"])
    code = seats.new_code("ANN")
    phone, admission = scanned(seats, 1, code)
    assert (admission.seat, admission.moved, admission.replaced_conn, admission.resumed) == ("ANN", False, None, False)
    assert (dict(seats.connected), seats.taken, seats.session("ANN")) == ({"ANN": 1}, ("ANN",), admission.session)
    assert seats.session("BEN") is None
    assert refused(seats, code)
    assert seats.posted(phone.post(sealing.TAP)) == ("ANN", Post.TAP)


def test_of_two_phones_that_knock_with_one_code_the_first_gets_in() -> None:
    seats = PhoneSeats(["ANN"])
    code = seats.new_code("ANN")
    first, second = knock(code)[0], knock(code)[0]
    assert seats.knock(1, "join", first) is not None
    assert seats.knock(2, "join", second) is None


def test_a_new_code_voids_the_older_one_of_that_seat_alone() -> None:
    seats = PhoneSeats(["ANN", "BEN"])
    old, other, new = seats.new_code("ANN"), seats.new_code("BEN"), seats.new_code("ANN")
    assert refused(seats, old)
    assert [scanned(seats, conn, code)[1].seat for conn, code in enumerate((other, new))] == ["BEN", "ANN"]


def test_a_seat_that_the_table_does_not_have_gets_no_code() -> None:
    with pytest.raises(KeyError):
        PhoneSeats(["ANN"]).new_code("CLEO")


def test_a_card_admits_again_and_each_time_the_seat_moves() -> None:
    seats = PhoneSeats(["ANN"])
    seats.use_cards({"ANN": CARD, "GONE": bytes(16)})
    old, first = scanned(seats, 1, CARD)
    new, second = scanned(seats, 2, CARD)
    assert (first.moved, second.moved, second.replaced_conn) == (False, True, 1)
    assert seats.posted(old.post(sealing.TAP)) is None
    assert seats.knock(3, "stream", old.resume()) is None
    assert seats.posted(new.post(sealing.HOLD)) == ("ANN", Post.HOLD)
    assert refused(seats, bytes(16))


def test_a_join_spends_the_one_time_code_too() -> None:
    seats = PhoneSeats(["ANN"])
    seats.use_cards({"ANN": CARD})
    code = seats.new_code("ANN")
    scanned(seats, 1, CARD)
    assert refused(seats, code)


def test_a_recorded_knock_with_a_card_does_not_move_the_seat() -> None:
    seats = PhoneSeats(["ANN"])
    seats.use_cards({"ANN": CARD})
    body, finish = knock(CARD)
    admission = seats.knock(1, "join", body)
    assert admission is not None
    assert seats.knock(2, "join", body[:-1] + bytes([body[-1] ^ 1])) is None
    assert seats.posted(finish(admission.greeting).post(sealing.TAP)) == ("ANN", Post.TAP)
    assert (seats.knock(2, "join", body), seats.refusal("join", body)) == (None, "twice")
    scanned(seats, 3, CARD)
    assert (seats.knock(4, "join", body), seats.refusal("join", body)) == (None, "code")


def test_a_knock_that_was_recorded_in_one_game_is_none_in_another() -> None:
    """Its page carries the public name of the game, and the knock is bound to it. A code counts in every game."""
    first, second = bytes([1] * 16), bytes([2] * 16)
    seats = PhoneSeats(["ANN", "BEN"])
    printed = seats.new_code("BEN")
    seats.begin(first)
    seats.use_cards({"ANN": CARD})
    body, finish = knock(CARD, game=first)
    admission = seats.knock(1, "join", body)
    assert admission is not None
    seats.void()
    seats.begin(second)
    seats.use_cards({"ANN": CARD})
    assert (seats.knock(2, "join", body), seats.refusal("join", body)) == (None, "code")
    assert seats.knock(3, "stream", finish(admission.greeting).resume()) is None
    assert seats.taken == ()
    again = seats.knock(4, "join", knock(CARD, game=second)[0])
    assert again is not None
    assert (again.seat, again.moved) == ("ANN", False)
    assert seats.knock(5, "join", knock(printed, game=second)[0]) is None, "the end of a game voids it"


def test_a_one_time_code_that_was_shown_before_the_game_had_its_name_counts() -> None:
    seats = PhoneSeats(["ANN"])
    code = seats.new_code("ANN")
    seats.begin(bytes([7] * 16))
    assert seats.knock(1, "join", knock(code)[0]) is None, "a page that came before: it loads the name and knocks again"
    admission = seats.knock(2, "join", knock(code, game=bytes([7] * 16))[0])
    assert admission is not None
    assert admission.seat == "ANN"


def test_a_join_that_is_sent_again_is_answered_in_the_same_way() -> None:
    """A phone whose network lost the answer sends the same bytes over another connection: the newest stream counts."""
    seats = PhoneSeats(["ANN"])
    code = seats.new_code("ANN")
    body, finish = knock(code)
    first = seats.knock(1, "join", body, 5)
    again = seats.knock(2, "join", body, 5 + AGAIN_NS)
    assert first is not None
    assert again is not None
    assert (again.session, again.greeting) == (first.session, first.greeting)
    assert (again.seat, again.moved, again.replaced_conn, again.resumed) == ("ANN", False, 1, True)
    assert dict(seats.connected) == {"ANN": 2}
    assert refused(seats, code), "the code stays spent"
    late = seats.knock(3, "join", body, 6 + AGAIN_NS)
    assert (late, seats.refusal("join", body)) == (None, "twice")
    assert seats.posted(finish(again.greeting).post(sealing.HOLD)) == ("ANN", Post.HOLD)


def test_who_repeats_a_recorded_join_loses_the_stream_to_the_phone_for_good() -> None:
    seats = PhoneSeats(["ANN"])
    body, finish = knock(seats.new_code("ANN"))
    admission = seats.knock(1, "join", body)
    assert admission is not None
    stolen = seats.knock(2, "join", body)
    assert stolen is not None
    phone = finish(admission.greeting)
    back = seats.knock(3, "stream", phone.resume())
    assert back is not None
    assert (back.replaced_conn, back.resumed, dict(seats.connected)) == (2, True, {"ANN": 3})
    assert seats.knock(4, "join", body) is None
    assert dict(seats.connected) == {"ANN": 3}


def test_an_older_knock_of_the_phone_that_has_the_seat_is_told_apart_from_a_void_code() -> None:
    """The page forgets its keys at `code`, and goes on at `twice`."""
    seats = PhoneSeats(["ANN"])
    phone, admission = scanned(seats, 1, seats.new_code("ANN"))
    older, newer = phone.resume(), phone.resume()
    assert seats.knock(2, "stream", newer) is not None
    assert (seats.knock(3, "stream", older), seats.refusal("stream", older)) == (None, "twice")
    assert seats.refusal("stream", phone.post(sealing.TAP)) == "code"
    assert seats.refusal("stream", sealed_post(admission.session, 1, 99)) == "code"
    assert seats.refusal("stream", bytes(128)) == seats.refusal("join", bytes(128)) == "code"
    scanned(seats, 4, seats.new_code("ANN"))
    assert seats.refusal("stream", older) == "code"


def test_one_phone_may_hold_several_seats() -> None:
    seats = PhoneSeats(["ANN", "BEN"])
    ann, _ = scanned(seats, 1, seats.new_code("ANN"))
    ben, _ = scanned(seats, 2, seats.new_code("BEN"))
    assert ann.slot != ben.slot
    assert dict(seats.connected) == {"ANN": 1, "BEN": 2}
    assert [seats.posted(each.post(sealing.TAP)) for each in (ann, ben)] == [("ANN", Post.TAP), ("BEN", Post.TAP)]


def test_a_phone_comes_back_on_another_stream_and_the_older_one_ends() -> None:
    seats = PhoneSeats(["ANN"])
    phone, joined = scanned(seats, 1, seats.new_code("ANN"))
    back = seats.knock(2, "stream", phone.resume())
    assert back is not None
    assert (back.seat, back.session, back.moved, back.replaced_conn, back.resumed) == (
        "ANN",
        joined.session,
        False,
        1,
        True,
    )
    assert len(back.greeting) == len(joined.greeting)
    assert seats.left(1) is None
    assert dict(seats.connected) == {"ANN": 2}
    assert seats.left(2) == "ANN"
    assert (dict(seats.connected), seats.taken) == ({}, ("ANN",))
    again = seats.knock(3, "stream", phone.resume())
    assert again is not None
    assert again.replaced_conn is None


def test_a_stream_number_that_is_in_use_is_refused() -> None:
    seats = PhoneSeats(["ANN", "BEN"])
    scanned(seats, 1, seats.new_code("ANN"))
    body, _ = knock(seats.new_code("BEN"))
    assert seats.knock(1, "join", body) is None
    assert seats.knock(2, "join", body) is not None


def test_replays_give_nothing() -> None:
    seats = PhoneSeats(["ANN"])
    phone, _ = scanned(seats, 1, seats.new_code("ANN"))
    stream, tap, hold = phone.resume(), phone.post(sealing.TAP), phone.post(sealing.HOLD)
    assert seats.posted(hold) == ("ANN", Post.HOLD)
    assert [seats.posted(each) for each in (hold, tap, stream)] == [None, None, None]
    assert seats.knock(2, "stream", stream) is not None
    assert [seats.knock(3, "stream", each) for each in (stream, tap, hold)] == [None, None, None]


def test_a_stream_that_a_tap_overtook_is_still_opened() -> None:
    seats = PhoneSeats(["ANN"])
    phone, _ = scanned(seats, 1, seats.new_code("ANN"))
    stream, tap = phone.resume(), phone.post(sealing.TAP)
    assert seats.posted(tap) == ("ANN", Post.TAP)
    assert seats.knock(2, "stream", stream) is not None


def test_a_gesture_is_no_knock_and_a_knock_no_gesture() -> None:
    seats = PhoneSeats(["ANN"])
    phone, _ = scanned(seats, 1, seats.new_code("ANN"))
    tap = phone.post(sealing.TAP)
    assert seats.knock(2, "stream", tap) is None
    assert seats.posted(phone.resume()) is None
    assert seats.posted(tap) == ("ANN", Post.TAP)


@pytest.mark.parametrize("size", [0, 1, 127, 128, 129])
def test_bytes_that_mean_nothing_do_nothing(size: int) -> None:
    seats = PhoneSeats(["ANN"])
    seats.use_cards({"ANN": CARD})
    scanned(seats, 1, seats.new_code("ANN"))
    body = bytes(size)
    assert (seats.knock(2, "join", body), seats.knock(2, "stream", body), seats.posted(body)) == (None, None, None)


def test_the_right_slot_does_not_help_a_forger() -> None:
    seats = PhoneSeats(["ANN"])
    phone, admission = scanned(seats, 1, seats.new_code("ANN"))
    forged = phone.slot + bytes(POST_BYTES - len(phone.slot))
    assert (seats.posted(forged), seats.knock(2, "stream", forged)) == (None, None)
    assert seats.posted(sealed_post(admission.session, 1, 99)) is None


def test_a_phone_leaves_its_seat_and_a_new_code_brings_another() -> None:
    seats = PhoneSeats(["ANN"])
    phone, _ = scanned(seats, 1, seats.new_code("ANN"))
    assert seats.posted(phone.post(sealing.LEAVE)) == ("ANN", Post.LEAVE)
    assert seats.leave("ANN") == 1
    assert (seats.taken, seats.posted(phone.post(sealing.TAP)), seats.left(1)) == ((), None, None)
    assert seats.leave("ANN") is None
    _, admission = scanned(seats, 2, seats.new_code("ANN"))
    assert admission.moved is False


def restarted(seat: str, admission: Admission, restarts: int) -> PhoneSeats:
    seats = PhoneSeats([seat])
    seats.resume(seat, admission.session, first_after(restarts))
    return seats


def test_after_a_power_cut_the_same_phone_comes_back() -> None:
    seats = PhoneSeats(["ANN"])
    phone, admission = scanned(seats, 1, seats.new_code("ANN"))
    seats = restarted("ANN", admission, 1)
    assert (seats.taken, dict(seats.connected)) == (("ANN",), {})
    back = seats.knock(1, "stream", phone.resume())
    assert back is not None
    assert back.resumed
    phone.counter = first_after(1)  # its first frame says so
    assert seats.posted(phone.post(sealing.TAP)) == ("ANN", Post.TAP)


def test_what_was_sent_before_a_power_cut_is_no_gesture_after_it() -> None:
    """Even for who replays the opening of a stream first."""
    seats = PhoneSeats(["ANN"])
    phone, admission = scanned(seats, 1, seats.new_code("ANN"))
    stream, tap = phone.resume(), phone.post(sealing.TAP)
    assert seats.knock(2, "stream", stream) is not None
    assert seats.posted(tap) is not None
    seats = restarted("ANN", admission, 1)
    assert seats.posted(tap) is None
    assert seats.knock(3, "stream", stream) is not None
    assert seats.posted(tap) is None
    back = seats.knock(4, "stream", phone.resume())
    assert back is not None
    assert back.replaced_conn == 3
    assert seats.knock(5, "stream", stream) is None


def test_a_phone_that_ignores_after_is_safe_too_once_it_has_come_back() -> None:
    seats = PhoneSeats(["ANN"])
    phone, admission = scanned(seats, 1, seats.new_code("ANN"))
    tap = phone.post(sealing.TAP)
    seats = PhoneSeats(["ANN"])
    seats.resume("ANN", admission.session)
    assert seats.posted(tap) is None
    assert seats.knock(1, "stream", phone.resume()) is not None
    assert seats.posted(tap) is None
    assert seats.posted(phone.post(sealing.TAP)) == ("ANN", Post.TAP)


def test_every_restart_begins_above_the_one_before() -> None:
    assert [first_after(restarts) for restarts in range(3)] == [0, 2**32, 2**33]
    assert first_after(2**20) <= sealing.MOST_NUMBER


def test_the_end_of_the_game_voids_everything() -> None:
    seats = PhoneSeats(["ANN", "BEN"])
    seats.use_cards({"BEN": CARD})
    phone, _ = scanned(seats, 4, seats.new_code("ANN"))
    code = seats.new_code("BEN")
    assert seats.void() == (4,)
    assert refused(seats, code)
    assert refused(seats, CARD)
    assert (seats.posted(phone.post(sealing.TAP)), seats.knock(5, "stream", phone.resume())) == (None, None)
    assert (seats.taken, dict(seats.connected), seats.left(4), seats.void()) == ((), {}, None, ())
    assert scanned(seats, 6, seats.new_code("ANN"))[1].moved is False


def test_no_key_and_no_code_is_printed() -> None:
    seats = PhoneSeats(["ANN"])
    code = seats.new_code("ANN")
    _, admission = scanned(seats, 1, code)
    assert repr(seats) == "PhoneSeats((sealed))"
    assert repr(admission) == (
        "Admission(seat='ANN', moved=False, replaced_conn=None, resumed=False, session=(sealed))"
    )
    printed = pprint.pformat([seats, admission, admission.session])
    assert not any(repr(each) in printed for each in (code, admission.session.down, admission.session.up))
