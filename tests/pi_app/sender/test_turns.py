"""The turns of one record: when each is taken, what trouble is said, and when another process is needed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_app.journal.cosigned import WITNESSES, PinnedWitness, pin
from pi_app.sender.client import CentreReply, UnreachableError
from pi_app.sender.orders import SenderOrders
from pi_app.sender.outbox import Outbox
from pi_app.sender.sender import NOT_ENROLLED
from pi_app.sender.turns import PATIENCE, WAITS, WITNESS_WAITS, RecordTurns, turns_of
from tests.pi_app.centre.records import CENTRE
from tests.pi_app.sender.one_witness import WITNESS, Witness
from tests.pi_app.sender.shop import Shop

LATER_S = 1_000.0
"""Longer than any pause."""

CENTRE_AT, WITNESS_AT = "http://centre.example:8460/", "https://witness.example/"


class Away:
    def post(self, path: str, body: bytes) -> CentreReply:
        raise UnreachableError("It does not answer.")


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    shop = Shop(tmp_path)
    yield shop
    shop.close()


def turns(shop: Shop, *, centre: object = None, witness: object = None) -> RecordTurns:
    known = {CENTRE_AT: centre or shop.client, WITNESS_AT: witness or Witness(shop)}
    orders = SenderOrders(journal=str(shop.path), address=CENTRE_AT, key=CENTRE.verifier.text())
    return turns_of(shop.path, orders, Outbox(shop.path, shop.key), lambda at: known[at], 0.0)  # type: ignore[arg-type,return-value]


def test_the_centre_comes_first_and_witnesses_cosign_what_it_has(shop: Shop) -> None:
    pin(shop.path, PinnedWitness(key=CENTRE.verifier.text(), address=CENTRE_AT))
    pin(shop.path, PinnedWitness(key=WITNESS.text(), address=WITNESS_AT))
    witness = Witness(shop)
    made = turns(shop, witness=witness)
    assert made.ports == {8460, 443}
    assert [turn.name for turn in made.turns] == ["", WITNESS.name]
    made.take(0.0)
    assert witness.seen == [], "the centre has nothing yet"
    made.take(LATER_S)
    assert shop.here == 8
    made.take(2 * LATER_S)
    assert witness.seen == [8]
    assert (made.trouble, made.is_refused, made.is_done) == (("", "", ""), False, True)


def test_a_pinned_witness_without_an_address_is_not_asked(shop: Shop) -> None:
    pin(shop.path, PinnedWitness(key=WITNESS.text()))
    assert [turn.name for turn in turns(shop).turns] == [""]


def test_a_refusal_is_said_at_once_and_a_centre_that_is_away_after_a_while(shop: Shop) -> None:
    shop.client.spoils = lambda reply: CentreReply(404, b"")
    made = turns(shop)
    made.take(LATER_S)
    assert (made.trouble, made.is_refused) == ((NOT_ENROLLED, "", ""), True)
    made, now_s = turns(shop, centre=Away()), LATER_S
    for _ in range(PATIENCE - 1):
        now_s = made.take(now_s)
        assert made.trouble == ("", "", "")
    made.take(now_s)
    assert made.trouble == (WAITS, "It does not answer.", "")
    assert not made.is_refused, "it goes on trying"


def test_a_witness_that_is_away_keeps_no_record_from_being_done(shop: Shop) -> None:
    pin(shop.path, PinnedWitness(key=WITNESS.text(), address=WITNESS_AT))
    made = turns(shop, witness=Away())
    for number in range(PATIENCE + 2):
        made.take(number * LATER_S)
    assert made.is_done
    assert made.trouble == (WITNESS_WAITS, "It does not answer.", WITNESS.name)


def test_other_files_need_another_process(shop: Shop) -> None:
    log = shop.path.with_name("journal.db-wal")
    for change in (
        lambda: os.rename(shop.path, shop.path.with_name("aside.db")),
        lambda: log.write_bytes(b""),
        lambda: shop.path.with_name(shop.path.name + WITNESSES).write_bytes(b"{}"),
    ):
        made = turns(shop)
        assert not made.has_moved
        change()
        assert made.has_moved
        if not shop.path.exists():
            os.rename(shop.path.with_name("aside.db"), shop.path)
    made = turns(shop)
    log.unlink()
    assert not made.has_moved, "a log that is gone is in the record itself"
