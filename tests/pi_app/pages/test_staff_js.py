"""The staff page's script and the table agree on every byte."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator

import pytest

from pi_app.pages import cpace
from pi_app.pages import staff_kinds as kinds
from pi_app.pages import staff_sealing as staff
from tests.pi_app.pages.cpace_figures import DRAFTS, SID, YA, YB
from tests.pi_app.pages.node import MISSING, NODE, CryptoJs

pytestmark = pytest.mark.skipif(NODE is None, reason=MISSING)
HOST = "10.77.0.1"


@pytest.fixture(scope="module")
def script() -> Iterator[CryptoJs]:
    with CryptoJs("staff.js") as running:
        yield running


@pytest.mark.parametrize("size", [0, 1, 111, 112, 127, 128, 300])
def test_sha512(script: CryptoJs, size: int) -> None:
    data = bytes(number % 251 for number in range(size))
    assert script.call("sha512", data) == hashlib.sha512(data).digest() == cpace.sha512(data)


@pytest.mark.parametrize("revision", DRAFTS)
def test_the_figures_of_the_draft(script: CryptoJs, revision: str) -> None:
    channel, generator, first, second, point, isk = DRAFTS[revision]
    made = script.call("generator", b"Password", channel, SID)
    assert made.hex() == generator
    shares = script.call("x25519", YA, made), script.call("x25519", YB, made)
    assert [each.hex() for each in shares] == [first, second]
    assert script.call("keyOf", SID, bytes.fromhex(point), [shares[0], b"ADa"], [shares[1], b"ADb"]).hex() == isk


@pytest.mark.parametrize(("pin", "read"), [("271828", ""), ("000000000000", "048213"), ("271828", "000000")])
def test_a_page_gets_in_and_both_understand_each_other(script: CryptoJs, pin: str, read: str) -> None:
    begun = script.call("beginExchange", pin, HOST, read)
    body = begun["body"]
    if read:
        assert body[0] == kinds.SHARE_AT_TABLE
        number, body = staff.number_in(body)
        assert number == int(read)
    answered = staff.answer_share(pin, body, (HOST,))
    assert answered is not None
    table, share = answered
    page = script.call("proved", begun, staff.answer_body(kinds.SHARE, share))
    assert table.is_proved(staff.proof_in(page["body"]))
    assert page["tables"] == staff.proof_of(staff.TABLE_PROOF, table)
    assert (page["down"], page["up"]) == (table.keys.down, table.keys.up)
    ask = script.call("sealAsk", page, 7, '{"do": "look"}')
    assert staff.open_ask(table.keys, ask) == (7, b'{"do": "look"}')
    answer = staff.seal_answer(table.keys, 7, json.dumps({"said": "Grüß Gott"}).encode())
    assert script.call("openAnswer", page, 7, answer) == {"said": "Grüß Gott"}
    assert script.call("openAnswer", page, 8, answer) is None


def test_another_pin_gives_other_keys(script: CryptoJs) -> None:
    begun = script.call("beginExchange", "271828", HOST)
    answered = staff.answer_share("314159", begun["body"], (HOST,))
    assert answered is not None
    page = script.call("proved", begun, staff.answer_body(kinds.SHARE, answered[1]))
    assert not answered[0].is_proved(staff.proof_in(page["body"]))
    assert page["tables"] != staff.proof_of(staff.TABLE_PROOF, answered[0])
