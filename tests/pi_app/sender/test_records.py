"""Past records are handed over in their order, and one that cannot be is left out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_app import journal as jn
from pi_app.journal import Journal, JournalFileError
from pi_app.journal.past import past_logs
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.sender.outbox import Outbox
from pi_app.sender.records import cosigned_size, is_handed_over, next_record, outbox_of
from pi_app.sender.sender import RecordSender
from tests.pi_app.centre.records import CENTRE, a_game
from tests.pi_app.sender.shop import Shop, until_idle


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    """A table with two past records and a running one."""
    shop = Shop(tmp_path)
    with Journal(shop.path, MAGE_KNIGHT) as journal:
        for game in ("g2", "g3"):
            assert journal.begin_new_log()
            a_game(journal, game, 6)
    yield shop
    shop.close()


def test_the_first_past_record_that_is_not_there_whole_is_next(shop: Shop) -> None:
    first, second = past_logs(shop.path)
    assert next_record(shop.path, CENTRE.verifier) == first
    assert next_record(shop.path, CENTRE.verifier, {first.name}) == second
    assert next_record(shop.path, CENTRE.verifier, {first.name, second.name}) == shop.path
    until_idle(RecordSender(Outbox(first, shop.key), shop.client, CENTRE.verifier))
    assert (is_handed_over(first, CENTRE.verifier), cosigned_size(first, CENTRE.verifier)) == (True, 8)
    assert next_record(shop.path, CENTRE.verifier) == second


def test_without_a_centre_only_the_running_record_is_cosigned(shop: Shop) -> None:
    assert next_record(shop.path, None) == shop.path


def test_a_record_that_cannot_be_read_is_not_there(shop: Shop) -> None:
    first, _ = past_logs(shop.path)
    first.write_bytes(b"garbage")
    assert not is_handed_over(first, CENTRE.verifier)
    with pytest.raises(JournalFileError):
        outbox_of(first)


def test_a_journal_without_an_entry_or_a_key_has_no_outbox(shop: Shop, tmp_path: Path) -> None:
    assert outbox_of(tmp_path / "none.db") is None
    (jn.keys_of(shop.path).folder / "device.key").unlink()
    assert outbox_of(shop.path) is None


def test_keys_under_a_passphrase_need_what_the_table_has_in_memory(shop: Shop) -> None:
    ring = jn.keys_of(shop.path)
    key = ring.known_device()
    assert key is not None
    ring.set_passphrase("seven brass cogs")
    with pytest.raises(JournalFileError, match=r"is locked with a passphrase\. Let `trapdial play` hand it over"):
        outbox_of(shop.path)
    outbox = outbox_of(shop.path, key.seed)
    assert outbox is not None
    assert outbox.last() == 8
