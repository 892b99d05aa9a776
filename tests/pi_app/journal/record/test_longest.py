"""The longest event of a class, from the types of its fields."""

from __future__ import annotations

import enum
from typing import Annotated, Literal

import msgspec
import pytest
from msgspec import Meta

from pi_app.journal.record.happenings import Event
from pi_app.journal.record.longest import DIGEST, UnboundedError, json_bytes, longest_event, sealed_text


class Colour(enum.Enum):
    RED = "red"
    YELLOW = "yellow"


class Inside(msgspec.Struct):
    colour: Colour
    good: bool


class Spun(Event, frozen=True, kw_only=True, tag="spun"):
    square: str
    way: Literal["quick", "slow", "at once"]
    die: Annotated[int, Meta(ge=1, le=6)]
    xp: Annotated[int, Meta(ge=-999, le=999)]
    token: Annotated[int, Meta(ge=0, lt=100)]
    dice: tuple[Annotated[int, Meta(ge=1, le=6)], Annotated[int, Meta(ge=1, le=6)]]
    inside: Inside | None = None
    seat: str | None = None


class Told(Event, frozen=True, kw_only=True, tag="told"):
    words: tuple[str, ...]


KNOWN = {"square": "T01", "seat": "A"}


def test_each_field_has_its_longest_value() -> None:
    assert longest_event(Spun, KNOWN) == {
        "kind": "spun",
        "square": "T01",
        "way": "at once",
        "die": 1,
        "xp": -999,
        "token": 99,
        "dice": [1, 1],
        "inside": {"colour": "yellow", "good": False},
        "seat": None,
    }


def test_a_value_for_one_class_goes_before_that_for_all() -> None:
    assert longest_event(Spun, KNOWN | {"Spun.square": "T0123"})["square"] == "T0123"


@pytest.mark.parametrize("known", [{}, {"square": "T01"}])
def test_a_field_that_nothing_limits_is_refused(known: dict[str, object]) -> None:
    with pytest.raises(UnboundedError, match=r"^(Spun.square|Spun.seat|Told.words) can be of any length: neither"):
        longest_event(Spun if not known else Told, known)


@pytest.mark.parametrize(
    ("value", "length"), [("abc", 5), ('"', 4), ("é", 4), ("語", 5), ("😀", 6), ("a\nb", 6), (None, 4)]
)
def test_lengths_are_those_of_json_in_utf_8(value: object, length: int) -> None:
    assert json_bytes(value) == length


def test_a_sealed_text_has_the_digest_and_the_salts_too() -> None:
    text = b'{"event":{"kind":"told"},"seats":"' + DIGEST.encode() + b'","salts":{"a":"b"}}'
    assert sealed_text({"kind": "told"}, {"a": "b"}, None) == len(text)
