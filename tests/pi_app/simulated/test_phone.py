"""The phone without a phone: what it takes for a frame, and what it counts."""

from __future__ import annotations

import pytest

from pi_app.pages import sealing
from pi_app.pages.content import SeatView
from pi_app.pages.joining import PhoneSeats, Post, first_after
from pi_app.pages.sealing import Session, open_post, seal_frame
from pi_app.pages.sizes import padded, plain_text
from pi_app.simulated.phone import PhoneSession, knock

SESSION = Session(bytes(16), bytes(range(32)), bytes(range(32, 64)))
VIEW = SeatView(seat="ANN", name="Ann", table="Table", language="en", phase="playing", after=first_after(2))


def test_it_reads_a_frame_and_posts_above_what_the_frame_says() -> None:
    phone = PhoneSession(SESSION)
    assert open_post(SESSION, phone.post(sealing.TAP)) == (1, sealing.TAP)
    said = phone.open_frame(seal_frame(SESSION, 7, plain_text(VIEW, 4096)))
    assert said is not None
    assert (said["name"], said["picture"], phone.number) == ("Ann", None, 7)
    assert open_post(SESSION, phone.resume()) == (first_after(2) + 1, sealing.OPEN_STREAM)


@pytest.mark.parametrize("size", [0, 8, 32, 47, 48, 51])
def test_what_is_too_short_is_no_frame(size: int) -> None:
    phone = PhoneSession(SESSION)
    whole = seal_frame(SESSION, 1, padded(b"{}", 128))
    assert phone.open_frame(whole[:size]) is None
    assert phone.open_frame(seal_frame(SESSION, 1, b"")) is None
    assert phone.open_frame(whole) == {}


def test_a_text_that_is_no_object_is_no_frame() -> None:
    assert PhoneSession(SESSION).open_frame(seal_frame(SESSION, 1, padded(b"[1]", 128))) is None


def test_only_the_code_that_was_scanned_opens_what_follows() -> None:
    """A table that does not know the code cannot answer in its name."""
    seats = PhoneSeats(["ANN"])
    code = seats.new_code("ANN")
    body, finish = knock(code)
    admission = seats.knock(1, "join", body)
    assert admission is not None
    frame = seal_frame(admission.session, 1, plain_text(VIEW, 4096))
    other = bytes([*admission.greeting[:-1], admission.greeting[-1] ^ 1])
    assert finish(other).open_frame(frame) is None
    phone = finish(admission.greeting)
    assert phone.open_frame(frame) is not None
    assert seats.posted(phone.post(sealing.LEAVE)) == ("ANN", Post.LEAVE)
    with pytest.raises(ValueError, match=r"^This is no greeting of a table\.$"):
        finish(admission.greeting + b"x")
