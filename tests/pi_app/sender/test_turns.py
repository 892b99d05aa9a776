"""The turns of one record: when each is taken, what trouble is said, and when another process is needed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pi_app.journal.cosigned import WITNESSES, PinnedWitness, pin
from pi_app.sender.client import CentreReply, UnreachableError
from pi_app.sender.orders import SenderOrders
from pi_app.sender.outbox import Outbox
from pi_app.sender.sender import NOT_ENROLLED
from pi_app.sender.turns import LATE_S, PATIENCE, PATIENCE_S, RecordTurns, turns_of
from tests.pi_app.centre.records import CENTRE
from tests.pi_app.sender.one_witness import WITNESS, Witness
from tests.pi_app.sender.shop import Shop

CENTRE_AT, WITNESS_AT = "http://centre.example:8460/", "https://witness.example/"


@dataclass
class Clock:
    """A clock that stands. A date of 0 is an unknown one."""

    now_s: float = 0.0
    date_s: int = 0

    def passes(self, seconds: float = 1_000.0) -> None:
        """Longer than any pause, or so long."""
        self.now_s += seconds
        self.date_s += int(seconds) * (self.date_s > 0)


@dataclass
class Away:
    """Does not answer, and takes so long for it."""

    clock: Clock | None = None
    takes_s: float = 0.0

    def post(self, path: str, body: bytes) -> CentreReply:
        if self.clock is not None:
            self.clock.passes(self.takes_s)
        raise UnreachableError("It does not answer.")


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    shop = Shop(tmp_path)
    yield shop
    shop.close()


@dataclass
class Taken:
    """The turns of a shop, taken one after the other by a clock."""

    made: RecordTurns
    clock: Clock

    def take(self, seconds: float = 1_000.0) -> None:
        """Take the turns that are due now, and then let the time pass."""
        for turn in self.made.turns:
            if turn.state.due_s <= self.clock.now_s:
                turn.take()
        self.clock.passes(seconds)

    @property
    def troubles(self) -> list[str]:
        return [each.text(str) for each in self.made.troubles]


def turns(shop: Shop, *, centre: object = None, witness: object = None, clock: Clock | None = None) -> Taken:
    clock = clock or Clock()
    known: dict[str, Any] = {CENTRE_AT: centre or shop.client, WITNESS_AT: witness or Witness(shop)}
    orders = SenderOrders(journal=str(shop.path), address=CENTRE_AT, key=CENTRE.verifier.text())
    outbox = Outbox(shop.path, shop.key)
    made = turns_of(
        shop.path,
        orders,
        outbox,
        known.__getitem__,
        lambda: clock.now_s,
        lambda: clock.date_s,
    )
    clock.passes()
    return Taken(made, clock)


def test_witnesses_cosign_what_the_centre_has(shop: Shop) -> None:
    pin(shop.path, PinnedWitness(key=CENTRE.verifier.text(), address=CENTRE_AT))
    pin(shop.path, PinnedWitness(key=WITNESS.text(), address=WITNESS_AT))
    witness = Witness(shop)
    at = turns(shop, witness=witness)
    assert at.made.ports == {8460, 443}
    assert [turn.name for turn in at.made.turns] == ["", WITNESS.name]
    at.made.turns[1].take()
    assert witness.seen == [], "the centre has nothing yet"
    at.take()
    assert shop.here == 8
    at.take()
    assert witness.seen == [8]
    assert (at.troubles, at.made.is_refused, at.made.is_done) == ([], False, True)


def test_a_pinned_witness_without_an_address_is_not_asked(shop: Shop) -> None:
    pin(shop.path, PinnedWitness(key=WITNESS.text()))
    assert [turn.name for turn in turns(shop).made.turns] == [""]


def test_a_refusal_is_said_at_once_and_a_centre_that_is_away_after_a_while(shop: Shop) -> None:
    shop.client.spoils = lambda reply: CentreReply(404, b"")
    at = turns(shop)
    at.take()
    assert (at.troubles, at.made.is_refused) == ([NOT_ENROLLED], True)
    at = turns(shop, centre=Away())
    for _ in range(PATIENCE - 1):
        at.made.turns[0].take()
        assert at.troubles == []
    at.made.turns[0].take()
    assert at.troubles == ["Entries wait on this table and are not handed over: It does not answer."]
    assert not at.made.is_refused, "it goes on trying"


def test_a_table_that_knows_the_date_says_since_when_entries_wait(shop: Shop) -> None:
    clock = Clock(date_s=1_000)
    pin(shop.path, PinnedWitness(key=WITNESS.text(), address=WITNESS_AT))
    at = turns(shop, centre=Away(clock, PATIENCE_S), witness=Away(), clock=clock)
    at.made.turns[0].take()
    waits = (
        "Entries have waited on this table since 1970-01-01 00:33:20 UTC and are not handed over: It does not answer."
    )
    assert at.troubles == [waits], "one try that took a minute is enough"
    at.take()
    at.take()
    assert at.troubles == [waits]
    at = turns(shop, witness=Away(), clock=clock)
    at.made.turns[0].take()
    for _ in range(PATIENCE):
        assert at.troubles == []
        at.made.turns[1].take()
    since = "1970-01-01 01:25:20 UTC"
    assert at.troubles == [f"Witness {WITNESS.name} has not answered since {since}: It does not answer."]


def test_a_witness_that_is_away_or_slow_keeps_no_record_from_being_done(shop: Shop) -> None:
    pin(shop.path, PinnedWitness(key=WITNESS.text(), address=WITNESS_AT))
    at = turns(shop, witness=Away())
    for _ in range(PATIENCE + 2):
        at.take()
    assert at.made.is_done
    assert at.troubles == [f"Witness {WITNESS.name} was not reached: It does not answer."]
    at = turns(shop)
    at.made.turns[0].take()
    assert not at.made.is_done
    at.made.turns[1].began_s = at.clock.now_s
    at.clock.passes(LATE_S)
    assert not at.made.is_done
    at.clock.passes(1)
    assert at.made.is_done, "its step takes long"


def test_what_stops_a_turn_stops_the_process(shop: Shop) -> None:
    class Broken:
        def post(self, path: str, body: bytes) -> CentreReply:
            raise ValueError("a bug")

    at = turns(shop, centre=Broken())
    at.made.begin()
    with pytest.raises(ValueError, match="a bug"):
        at.made.wait(60.0)


def test_other_files_need_another_process(shop: Shop) -> None:
    log = shop.path.with_name("journal.db-wal")
    for change in (
        lambda: os.rename(shop.path, shop.path.with_name("aside.db")),
        lambda: log.write_bytes(b""),
        lambda: shop.path.with_name(shop.path.name + WITNESSES).write_bytes(b"{}"),
    ):
        made = turns(shop).made
        assert not made.has_moved
        change()
        assert made.has_moved
        if not shop.path.exists():
            os.rename(shop.path.with_name("aside.db"), shop.path)
    made = turns(shop).made
    log.unlink()
    assert not made.has_moved, "a log that is gone is in the record itself"
