"""What an outbox reads is what a centre takes, whatever was taken before, and while the record grows."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from pi_app import journal as jn
from pi_app.centre.taking.known_record import KnownRecord, taken
from pi_app.journal import Journal, archive
from pi_app.journal.record.checkpoints import is_signed, read_checkpoint, record_key
from pi_app.journal.record.handover import read_handover
from pi_app.journal.record.keys import DeviceKey
from pi_app.journal.record.merkle import root_of
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.sender import outbox as outbox_module
from pi_app.sender.outbox import Outbox
from tests.pi_app.centre.records import a_game, entries_of


def record_at(path: Path, *games: str) -> DeviceKey:
    with Journal(path, MAGE_KNIGHT) as journal:
        for game in games:
            a_game(journal, game, 6)
    key = jn.keys_of(path).known_device()
    assert key is not None
    return key


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("record") / "journal.db"
    record_at(path, "g1", "g2")
    return path


@given(some.lists(some.integers(0, 16), min_size=1, max_size=6))
def test_from_any_place_the_rest_is_handed_over_with_its_checkpoint(path: Path, places: list[int]) -> None:
    outbox, entries = Outbox(path, record_at(path)), entries_of(path)
    for after in places:
        handed = outbox.next(after)
        assert handed is not None
        assert (handed.first, list(handed.entries), handed.last) == (after + 1, entries[after:], 16)
        checkpoint = read_checkpoint(handed.checkpoint.text)
        assert (checkpoint.origin, checkpoint.size) == (outbox.origin, 16)
        assert checkpoint.root == root_of([leaf for *_, leaf in entries])
        assert read_handover(handed.written()) == handed


def test_a_record_that_has_fewer_entries_than_were_cosigned_hands_over_nothing(path: Path) -> None:
    assert Outbox(path, record_at(path)).next(17) is None


@pytest.mark.parametrize(("limit", "most"), [("MOST_ENTRIES", 5), ("MOST_BYTES", 6_000)])
def test_portions_are_small_and_a_centre_takes_one_after_the_other(
    path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, most: int
) -> None:
    monkeypatch.setattr(outbox_module, limit, most)
    outbox, known, portions = Outbox(path, record_at(path)), KnownRecord(), 0
    while (handed := outbox.next(known.size)) is not None and handed.entries:
        assert len(handed.entries) <= 5
        assert handed.more == 16 - handed.last, "what waits is said"
        known, portions = taken(known, handed.entries).known, portions + 1
        assert read_checkpoint(handed.checkpoint.text).root == known.root
    assert (known.size, portions >= 4) == (16, True)


def test_a_record_that_grows_meanwhile_is_read_while_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    key = record_at(path, "g1")
    outbox, known = Outbox(path, key), KnownRecord()
    with Journal(path, MAGE_KNIGHT) as journal:
        for number in range(2, 6):
            a_game(journal, f"g{number}", 6)
            handed = outbox.next(known.size)
            assert handed is not None
            known = taken(known, handed.entries).known
    assert known.size == 40
    assert known.root == jn.head(path).root


def test_a_deleted_game_goes_with_its_hashes_alone(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    key = record_at(path, "g1", "g2")
    archive.delete(path, "g1")
    handed = Outbox(path, key).next(0)
    assert handed is not None
    assert [entry[:2] for entry in handed.entries[:8]] == [(None, None)] * 8
    assert taken(KnownRecord(), handed.entries).deleted[0].game == "g1"
    assert is_signed(handed.checkpoint, record_key(key.public))
