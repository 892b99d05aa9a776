"""The staff's exchange: who knows the PIN gets in, and nobody on the way learns or changes anything."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from pi_app.pages import staff_kinds as kinds
from pi_app.pages import staff_sealing as staff
from pi_app.pages.messages import ANSWER_BYTES, ASK_BYTES
from pi_app.pages.staff_sealing import Exchange, StaffKeys

HOSTS = ("10.77.0.1", "shop.local:8080")
PIN = "271828"


def exchange(pin: str = PIN, typed: str = PIN, host: str = HOSTS[0]) -> tuple[Exchange, Exchange, bytes] | None:
    """The table's and the page's end, and the page's second ask."""
    page = staff.begin(typed, host)
    assert len(page.body) == ASK_BYTES
    answered = staff.answer_share(pin, page.body, HOSTS)
    if answered is None:
        return None
    table, share = answered
    proved = page.proved(staff.answer_body(kinds.SHARE, share))
    assert proved is not None
    return table, *proved


def keys() -> tuple[StaffKeys, StaffKeys]:
    made = exchange()
    assert made is not None
    return made[0].keys, made[1].keys


def test_both_ends_have_one_key_and_prove_it() -> None:
    made = exchange()
    assert made is not None
    table, page, ask = made
    assert staff.sid_of(ask) == table.sid
    assert table.is_proved(staff.proof_in(ask))
    assert (table.keys.down, table.keys.up) == (page.keys.down, page.keys.up)
    assert staff.proof_of(staff.TABLE_PROOF, table) == staff.proof_of(staff.TABLE_PROOF, page)
    assert staff.proof_of(staff.TABLE_PROOF, table) != staff.proof_in(ask)


@given(st.text("0123456789", min_size=6, max_size=12).filter(lambda pin: pin != PIN))
@settings(max_examples=10)
def test_another_pin_proves_nothing(typed: str) -> None:
    made = exchange(typed=typed)
    assert made is not None
    assert not made[0].is_proved(staff.proof_in(made[2]))
    assert made[0].keys.up != made[1].keys.up


def test_a_page_from_another_host_is_refused() -> None:
    assert exchange(host="10.77.0.2") is None
    assert exchange(host="") is None
    assert exchange(host=HOSTS[1]) is not None


def test_a_share_of_low_order_is_refused() -> None:
    page = staff.begin(PIN, HOSTS[0])
    body = page.body[:17] + bytes(32) + page.body[49:]
    assert staff.answer_share(PIN, body, HOSTS) is None


@given(st.binary(min_size=ASK_BYTES, max_size=ASK_BYTES))
@settings(max_examples=30)
def test_garbage_is_no_ask(body: bytes) -> None:
    assert staff.answer_share(PIN, body, HOSTS) is None
    assert staff.open_ask(StaffKeys(bytes(16), bytes(32), bytes(32)), body) is None


@given(st.integers(0, 2**53 - 1), st.binary(max_size=staff.MOST_ASKED_TEXT).filter(lambda text: text[-1:] != b"\0"))
@settings(max_examples=10)
def test_asks_and_answers_are_sealed_for_the_other_end(number: int, text: bytes) -> None:
    table, page = keys()
    ask = staff.seal_ask(page, number, text)
    assert len(ask) == ASK_BYTES
    assert staff.open_ask(table, ask) == (number, text)
    answer = staff.seal_answer(table, number, text)
    assert len(answer) == ANSWER_BYTES
    assert staff.open_answer(page, number, answer) == text
    assert staff.open_answer(page, number + 1, answer) is None


@given(st.integers(0, 511), st.integers(1, 255))
@settings(max_examples=20)
def test_a_changed_byte_opens_nothing(at: int, by: int) -> None:
    table, page = keys()
    ask = bytearray(staff.seal_ask(page, 1, b"look"))
    ask[at] ^= by
    opened = staff.open_ask(table, bytes(ask))
    assert opened is None or at <= 16  # the kind and the session, which the table reads before


def test_keys_are_not_printed() -> None:
    table, _ = keys()
    assert table.up.hex() not in repr(table)
