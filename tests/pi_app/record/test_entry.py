"""The bytes of one entry: sizes, leaf, promises."""

from __future__ import annotations

import hashlib
import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_app.record import entry as rec
from pi_app.record.entry import PublicPart, SealedPart, TooLongError

PART = PublicPart(
    format=2,
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
        b'{"format":2,"kind":"looked","seq":7,"game":"g1","boot":"b","mono_ns":5,"wall":"2026-01-02T03:04:05+00:00",'
        b'"clock":"ntp","before":"' + b"0" * 64 + b'","seat":"ANN"}'
    )
    assert len(text) == rec.PUBLIC_BYTES
    assert rec.read_public(text) == PART


@pytest.mark.parametrize(("lines", "size"), [(0, 768), (400, 768), (700, 1536), (1500, 3072)])
def test_a_long_public_half_doubles_its_size(lines: int, size: int) -> None:
    assert len(rec.public_bytes(msgspec.structs.replace(PART, log=("x" * lines,)))) == size


def test_a_sealed_half_opens_with_its_key_and_tells_nothing_by_its_length() -> None:
    public = rec.public_bytes(PART)
    short = SealedPart(event=msgspec.Raw(b'{"kind":"looked"}'), seats="0")
    long = SealedPart(event=msgspec.Raw(b'{"kind":"looked","more":"' + b"x" * 300 + b'"}'), seats="0")
    sealed = [rec.sealed_bytes(part, KEY, public, rec.sealed_size("looked", 2)) for part in (short, long)]
    assert {len(data) for data in sealed} == {rec.sealed_length("looked", 2)}
    opened = rec.read_sealed(sealed[1], KEY, public)
    assert opened is not None
    assert bytes(opened.event) == bytes(long.event)
    assert rec.read_sealed(sealed[1], KEY, public + b" ") is None
    assert "more" not in repr(opened)


def test_what_does_not_fit_is_refused() -> None:
    part = SealedPart(event=msgspec.Raw(b'"' + b"x" * 700 + b'"'), seats="0")
    with pytest.raises(TooLongError, match=r"^72[0-9] bytes where 640 have room$"):
        rec.sealed_bytes(part, KEY, b"", rec.sealed_size("looked", 2))


@pytest.mark.parametrize(
    ("kind", "squares", "size"),
    [("started", 2, 12_288), ("started", 16, 69_632), ("set-up checked", 2, 4096), ("turned", 16, 640)],
)
def test_sizes(kind: str, squares: int, size: int) -> None:
    assert rec.sealed_size(kind, squares) == size
    assert rec.sealed_length(kind, squares) == size + 40


def test_the_leaf_knows_where_the_public_half_ends() -> None:
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
