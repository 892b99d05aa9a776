"""The deal of the lamp codes: every order as likely as any other, and no other text is one."""

from __future__ import annotations

import random
from collections import Counter

import msgspec
import pytest

from pi_app.game import events as ev
from pi_app.game.lamp_deal import LETTERS, ONCE, drawn
from pi_app.play.first_event import fair_pick


def test_what_is_drawn() -> None:
    assert drawn("public", fair_pick) == ""
    assert drawn("once", fair_pick) == ONCE
    dealt = drawn("dealt", fair_pick)
    assert sorted(dealt) == sorted(LETTERS)
    assert {drawn("dealt", fair_pick) for _ in range(20)} != {dealt}


def test_every_word_has_every_pattern_as_often() -> None:
    """Clear and look again too: at a fixed place they would tell a camera that it saw no trap."""
    draw = random.Random("deal")
    seen = Counter(each for _ in range(2000) for each in enumerate(drawn("dealt", draw.randrange)))
    assert len(seen) == 100
    assert all(140 < count < 260 for count in seen.values())


@pytest.mark.parametrize("text", ["", ONCE, "abcdefghij", "jihgfedcba"])
def test_a_lamp_code_is_read_from_a_record(text: str) -> None:
    seat = ev.SeatSetup(seat="ANN", name="Ann", lamp=text)
    assert msgspec.json.decode(msgspec.json.encode(seat), type=ev.SeatSetup).lamp == text


@pytest.mark.parametrize(
    "text", ["abc", "abcdefghia", "abcdefghijk", "abcdefghik", "twice", "abcdefghij\n", "ABCDEFGHIJ"]
)
def test_a_strangers_lamp_code_is_refused(text: str) -> None:
    data = msgspec.json.encode({"seat": "ANN", "name": "Ann", "lamp": text})
    with pytest.raises(msgspec.ValidationError, match="lamp"):
        msgspec.json.decode(data, type=ev.SeatSetup)


def test_a_seat_of_an_older_record_has_the_public_code() -> None:
    old = b'{"seat":"ANN","name":"Ann","language":"de","heroes":[]}'
    assert msgspec.json.decode(old, type=ev.SeatSetup).lamp == ""


def test_a_seat_prints_without_its_code() -> None:
    printed = repr(ev.SeatSetup(seat="ANN", name="Ann", lamp="jihgfedcba"))
    assert printed == "SeatSetup(seat='ANN', name='Ann', language='en', heroes=(), lamp=(sealed))"
