"""The bytes of one entry: sizes, leaf, promises."""

from __future__ import annotations

import hashlib
import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_app.journal.record import entry as rec
from pi_app.journal.record.entry import Opening, PublicPart, SealedPart, TooLongError

PART = PublicPart(
    format=3,
    kind="looked",
    seq=7,
    game="g1",
    boot="b",
    mono_ns=5,
    wall="2026-01-02T03:04:05+00:00",
    clock="ntp",
    before=rec.FIRST_BEFORE,
    seat="ANN",
)
KEY = bytes(32)


def test_golden_public_half() -> None:
    text = rec.public_bytes(PART)
    assert text.rstrip() == (
        b'{"format":3,"kind":"looked","seq":7,"game":"g1","boot":"b","mono_ns":5,"wall":"2026-01-02T03:04:05+00:00",'
        b'"clock":"ntp","before":"' + b"0" * 64 + b'","seat":"ANN"}'
    )
    assert len(text) == rec.PUBLIC_BYTES
    assert rec.read_public(text) == PART


@pytest.mark.parametrize(("lines", "size"), [(0, 512), (200, 512), (700, 1024), (1500, 2048)])
def test_a_long_public_half_doubles_its_size(lines: int, size: int) -> None:
    assert len(rec.public_bytes(msgspec.structs.replace(PART, log=("x" * lines,)))) == size


def test_a_sealed_half_opens_with_its_key_and_tells_nothing_by_its_length() -> None:
    public = rec.public_bytes(PART)
    short = SealedPart(event=msgspec.Raw(b'{"kind":"looked"}'), seats="0")
    long = SealedPart(event=msgspec.Raw(b'{"kind":"looked","more":"' + b"x" * 300 + b'"}'), seats="0")
    sealed = [rec.sealed_bytes(part, KEY, public, rec.sealed_size("looked", None)) for part in (short, long)]
    assert {len(data) for data in sealed} == {rec.sealed_length("looked", None)}
    opened = rec.read_sealed(sealed[1], KEY, public)
    assert opened is not None
    assert bytes(opened.event) == bytes(long.event)
    assert rec.read_sealed(sealed[1], KEY, public + b" ") is None
    assert "more" not in repr(opened)


def test_an_event_that_does_not_fit_is_refused() -> None:
    part = SealedPart(event=msgspec.Raw(b'"' + b"x" * 700 + b'"'), seats="0")
    with pytest.raises(TooLongError, match=r"^an event is longer than any entry of this game may be$"):
        rec.sealed_bytes(part, KEY, b"", rec.sealed_size("looked", None))


OPENING = Opening(device="d", key="k", ruleset="r", room=18_432, squares={})


@pytest.mark.parametrize(("kind", "size"), [("started", 18_432), ("set-up checked", 4096), ("turned", 640)])
def test_sizes(kind: str, size: int) -> None:
    assert rec.sealed_size(kind, OPENING) == size
    assert rec.sealed_length(kind, OPENING) == size + 40


@pytest.mark.parametrize(("sealed", "setup"), [(1280, 8192), (2560, 16_384), (5120, 32_768)])
def test_a_game_with_long_names_has_larger_entries_of_every_kind(sealed: int, setup: int) -> None:
    opening = msgspec.structs.replace(OPENING, sealed=sealed)
    sizes = [rec.sealed_size(kind, opening) for kind in ("started", "set-up checked", "turned", "ended", "claimed")]
    assert sizes == [18_432, setup, sealed, sealed, sealed]


@pytest.mark.parametrize("sealed", [-640, 0, 1, 639, 641, 1920, 10_240, 2**40])
def test_a_size_that_no_game_has_is_no_length(sealed: int) -> None:
    opening = msgspec.structs.replace(OPENING, sealed=sealed)
    assert [rec.sealed_size(kind, opening) for kind in ("started", "set-up checked", "turned")] == [0, 0, 0]


def test_an_ordinary_opening_is_written_as_ever() -> None:
    assert msgspec.json.encode(OPENING) == b'{"device":"d","key":"k","ruleset":"r","room":18432,"squares":{}}'


@pytest.mark.parametrize(
    ("lengths", "size"),
    [
        ({"turned": 640, "set-up checked": 4096}, 640),
        ({"turned": 641, "set-up checked": 4096}, 1280),
        ({"turned": 640, "set-up checked": 4097}, 1280),
        ({"turned": 5120, "set-up checked": 100}, 5120),
        ({}, 640),
    ],
)
def test_the_size_is_the_smallest_that_all_entries_fit_into(lengths: dict[str, int], size: int) -> None:
    assert rec.sealed_for(lengths) == size


@pytest.mark.parametrize("kind", ["turned", "set-up checked"])
def test_a_game_whose_entries_could_be_too_long_is_refused_and_the_kind_is_named(kind: str) -> None:
    with pytest.raises(TooLongError, match=rf"^the entry `{kind}` of this game could need 32769 bytes, more than any"):
        rec.sealed_for({"looked": 100, kind: 32_769})


def test_whether_an_event_fits_does_not_depend_on_what_its_square_shows() -> None:
    """The shorter face is refused where the longest one would be."""
    for face in (b'{"kind":"clear"}', b'{"kind":"trap","more":"long"}'):
        shown = rec.SquareContent(table="t", face=msgspec.Raw(face))
        part = SealedPart(event=msgspec.Raw(b'"' + b"x" * 500 + b'"'), seats="0", shown=shown)
        spare = 640 - rec.sealed_text_bytes(part) + len(msgspec.json.encode(shown))
        rec.sealed_bytes(part, KEY, b"", 640, spare)
        with pytest.raises(TooLongError):
            rec.sealed_bytes(part, KEY, b"", 640, spare + 1)


@pytest.mark.parametrize("room", [-1024, 0, 1000, 1025, 2**23 + 1024])
def test_a_room_that_no_game_asks_for_is_no_length(room: int) -> None:
    assert rec.sealed_size("started", msgspec.structs.replace(OPENING, room=room)) == 0


@pytest.mark.parametrize(("expected", "length", "room"), [(1, 300, 1024), (2500, 300, 3072), (2500, 3200, 6144)])
def test_a_room_is_what_was_expected_unless_it_is_too_small(expected: int, length: int, room: int) -> None:
    assert rec.room_for(SealedPart(event=msgspec.Raw(b'"' + b"x" * length + b'"'), seats="0"), expected) == room


def test_an_event_that_fits_into_no_room_is_refused() -> None:
    part = SealedPart(event=msgspec.Raw(b'"' + b"x" * 2**23 + b'"'), seats="0")
    with pytest.raises(
        TooLongError, match=r"^its first entry needs 8388[0-9]{3} bytes, and at most 8388608 are possible$"
    ):
        rec.room_for(part, 1024)


def test_the_leaf_covers_where_the_public_half_ends() -> None:
    assert rec.leaf(b"ab", b"c") == hashlib.sha256(b"\0" + b"\0\0\0\2" + b"abc").digest()
    assert rec.leaf(b"ab", b"c") != rec.leaf(b"a", b"bc")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@given(json_values)
def test_a_promise_is_kept_by_its_own_value_and_salt(value: object) -> None:
    salt = rec.new_salt()
    promise = rec.commitment(salt, value)
    assert rec.keeps(promise, salt, value)
    assert rec.keeps(promise, salt, json.loads(rec.canonical(value)))
    assert not rec.keeps(promise, rec.new_salt(), value)
    assert not rec.keeps(promise, salt, [value])
    assert not any(rec.keeps(promise, broken, value) for broken in (None, "", salt[:-2], "zz" * 32, 5))


def test_golden_promise() -> None:
    value = {"b": [1, True, None], "a": 'ü"\\\n\x01'}
    assert rec.canonical(value) == b'{"a":"\xc3\xbc\\"\\\\\\n\\u0001","b":[1,true,null]}'
    assert rec.commitment("00" * 32, value) == hashlib.sha256(bytes(32) + rec.canonical(value)).hexdigest()
