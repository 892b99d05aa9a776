"""Readers of a centre: tokens, cookies with an end, and wrong tokens that have to wait."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pi_app.centre.roles import (
    COOKIE_S,
    MOST_ADDRESSES,
    PUBLIC,
    ReaderRights,
    WrongTokens,
    cookie_key,
    cookie_of,
    new_token,
    reader_in,
    reader_of,
    rights_of,
    token_hash,
)
from pi_app.centre.settings import ReaderSettings
from tests.pi_app.centre.records import CENTRE, STRANGER

TOKEN = "ABCDE-FGHIJ-KLMNO-PQRST-UVWXY-Z"
ANN = ReaderSettings(name="Ann", role="auditor", token_sha256=token_hash(TOKEN))
LEO = ReaderSettings(name="Léo · 3", role="shop", shop="Lyon", token_sha256=token_hash("LEO"))
GUEST = ReaderSettings(name="Guest", role="public")
READERS = (ANN, LEO, GUEST)
KEY = cookie_key(CENTRE.key)
NOW_S = 5_000


def test_each_role_sees_its_own_tables() -> None:
    auditor, shop, public = map(rights_of, READERS)
    assert [each.sees("Lyon") for each in (auditor, shop, public)] == [True, True, False]
    assert [each.sees("Oslo") for each in (auditor, shop, public)] == [True, False, False]
    assert [each.sees("") for each in (auditor, shop, public)] == [True, False, False]
    assert rights_of(None) == PUBLIC == ReaderRights("public")
    assert not ReaderRights("shop", "").sees(""), "a shop without a name sees no table without a shop"


def test_a_token_is_long_and_found_however_it_is_typed() -> None:
    tokens = {new_token() for _ in range(50)}
    assert len(tokens) == 50
    assert all(len(each.replace("-", "")) == 26 and token_hash(each) != token_hash(each[1:]) for each in tokens)
    assert reader_of(TOKEN.lower().replace("-", " "), READERS) == ANN
    for wrong in ("", "-", TOKEN[:-1], f"{TOKEN}A", "é" * 30, "A" * 10_000, "\ud800"):
        assert reader_of(wrong, READERS) is None, wrong


def test_a_reader_without_a_token_is_never_found() -> None:
    assert reader_of("-" * 64, (GUEST,)) is None
    assert reader_of("", (GUEST,)) is None


def test_a_cookie_stands_for_its_reader_until_its_end() -> None:
    for reader in (ANN, LEO):
        cookie = cookie_of(reader, KEY, NOW_S + COOKIE_S)
        assert cookie.isascii()
        assert not set(cookie) & set(' ;,"\\')
        assert reader_in(cookie, KEY, READERS, NOW_S) == reader
        assert reader_in(cookie, KEY, READERS, NOW_S + COOKIE_S - 1) == reader
        assert reader_in(cookie, KEY, READERS, NOW_S + COOKIE_S) is None


@pytest.mark.parametrize(
    "changed", [{"role": "shop", "shop": "Oslo"}, {"token_sha256": token_hash("x")}, {"shop": "x"}, {"name": "Bea"}]
)
def test_a_reader_who_was_changed_has_to_enter_again(changed: dict[str, str]) -> None:
    cookie = cookie_of(ANN, KEY, NOW_S + 10)
    assert reader_in(cookie, KEY, (replace(ANN, **changed),), NOW_S) is None
    assert reader_in(cookie, KEY, (), NOW_S) is None


def test_a_cookie_that_was_changed_stands_for_no_reader() -> None:
    cookie = cookie_of(ANN, KEY, NOW_S + 10)
    until, name, mac = cookie.split(".")
    bea = cookie_of(replace(ANN, name="Bea"), KEY, NOW_S + 10)
    longer = f"{NOW_S + 11}.{name}.{mac}"
    other = f"{until}.{bea.split('.')[1]}.{mac}"
    forged = cookie_of(ANN, cookie_key(STRANGER), NOW_S + 10)
    too_late = cookie_of(ANN, KEY, NOW_S + COOKIE_S + 1)
    for each in (longer, other, forged, too_late, "", "..", f"{cookie}0", cookie[:-1], f"9.€.{mac}", "9" * 5_000):
        assert reader_in(each, KEY, (ANN, replace(ANN, name="Bea")), NOW_S) is None, each


@given(st.text(max_size=200) | st.from_regex(r"[0-9]{1,12}\.[A-Za-z0-9_-]{1,40}\.[0-9a-f]{64}", fullmatch=True))
def test_no_made_up_cookie_is_one(cookie: str) -> None:
    assert reader_in(cookie, KEY, READERS, NOW_S) is None


def test_wrong_tokens_wait_for_each_address_alone() -> None:
    wrong = WrongTokens()
    for number in range(5):
        assert wrong.wait_s("10.0.0.1", 100) == 0, number
        wrong.count("10.0.0.1", 100)
    assert (wrong.wait_s("10.0.0.1", 100), wrong.wait_s("10.0.0.2", 100)) == (20, 0)
    assert (wrong.wait_s("10.0.0.1", 119), wrong.wait_s("10.0.0.1", 120)) == (20, 0)
    wrong.count("10.0.0.1", 120)
    assert wrong.wait_s("10.0.0.1", 121) == 20
    assert wrong.wait_s("10.0.0.1", 1_000) == 0


def test_a_network_of_ipv6_is_one_address() -> None:
    wrong = WrongTokens()
    for number in range(5):
        wrong.count(f"2001:db8:0:1::{number}", 100)
    assert wrong.wait_s("2001:db8:0:1:ffff::1", 100) > 0
    assert wrong.wait_s("2001:db8:0:2::1", 100) == 0


def test_many_addresses_take_little_memory() -> None:
    wrong = WrongTokens()
    for _ in range(5):
        wrong.count("10.9.9.9", 100)
    for number in range(MOST_ADDRESSES - 1):
        wrong.count(f"address {number}", 100)
    assert wrong.wait_s("10.9.9.9", 100) > 0
    wrong.count("one more", 100)
    assert wrong.wait_s("10.9.9.9", 100) == 0, "the one that was wrong longest ago is forgotten"


def test_tokens_are_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every reader is compared, also after the right one was found."""
    compared: list[str] = []

    def digest(mine: str, theirs: str) -> bool:
        compared.append(theirs)
        return mine == theirs

    monkeypatch.setattr("hmac.compare_digest", digest)
    assert reader_of(TOKEN, READERS) == ANN
    assert len(compared) == len(READERS)
