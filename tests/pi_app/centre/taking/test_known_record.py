"""Entries are taken in any portions, as a verifier would take them all at once, and what does not fit is refused."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as some

from pi_app import journal as jn
from pi_app.centre.taking.known_record import (
    GameRange,
    KnownRecord,
    NotTakenError,
    Taken,
    older_record,
    taken,
)
from pi_app.journal import Journal, archive
from pi_app.journal.record import entry as rec
from pi_app.journal.record.handover import HandedEntry
from pi_app.journal.record.merkle import root_of
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.report.moment import NO_GAME
from tests.pi_app.centre.records import a_game, entries_of
from tests.pi_app.games import started


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("record") / "journal.db"
    with Journal(path, MAGE_KNIGHT) as journal:
        a_game(journal, "g1", 4)
        a_game(journal, "g2", 7)
        journal.append("g3", NO_GAME, started())
    return path


@pytest.fixture(scope="module")
def entries(path: Path) -> list[HandedEntry]:
    return entries_of(path)


def in_portions(entries: list[HandedEntry], cuts: list[int]) -> tuple[KnownRecord, list[Taken]]:
    known, found = KnownRecord(), []
    for first, last in zip([0, *cuts], [*cuts, len(entries)], strict=True):
        found.append(taken(known, entries[first:last]))
        known = msgspec.msgpack.decode(msgspec.msgpack.encode(found[-1].known), type=KnownRecord)
    return known, found


@given(some.data())
def test_any_portions_give_what_a_verifier_finds(path: Path, entries: list[HandedEntry], data: some.DataObject) -> None:
    cuts = sorted(data.draw(some.lists(some.integers(0, len(entries)), max_size=6)))
    known, found = in_portions(entries, cuts)
    verdict = jn.verify(path)
    assert (known.size, known.root, known.device) == (verdict.size, verdict.root, verdict.device)
    assert [game for each in found for game in each.begun] == ["g1", "g2", "g3"]
    ended = [game for each in found for game in each.ended]
    assert [(game.game, game.first, game.last) for game in ended] == [("g1", 1, 6), ("g2", 7, 15)]
    assert [game.place for game in ended] == [1, 2]
    assert [game.key for game in ended] == [game.key for game in verdict.games if game.key]
    assert list(known.games) == ["g3"]


def test_what_is_known_stays_small(entries: list[HandedEntry]) -> None:
    known, _ = in_portions(entries, [])
    assert len(msgspec.msgpack.encode(known)) < 1_200


def test_a_deletion_names_the_range_of_its_game(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal(path, MAGE_KNIGHT) as journal:
        a_game(journal, "g1", 2)
        a_game(journal, "g2", 2)
    before = entries_of(path)
    archive.delete(path, "g1")
    live = taken(taken(KnownRecord(), before).known, entries_of(path)[len(before) :])
    late = taken(KnownRecord(), entries_of(path))
    assert live.deleted == late.deleted == [GameRange("g1", 1, 4)]
    assert live.known == msgspec.structs.replace(late.known, ended=2)
    assert live.known.root == root_of([leaf for *_, leaf in entries_of(path)])


def test_a_record_that_continues_another_names_its_head(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal(path, MAGE_KNIGHT) as journal:
        a_game(journal, "g1", 1)
        head = journal.head()
        assert journal.begin_new_log()
        a_game(journal, "g2", 1)
    known = taken(KnownRecord(), entries_of(path)).known
    older = older_record(known)
    assert older is not None
    assert (older.device, older.size, older.root) == (head.device, head.size, head.root)
    assert older_record(KnownRecord()) is None


def changed(entry: HandedEntry, **values: object) -> HandedEntry:
    public, sealed, _ = entry
    assert public is not None
    assert sealed is not None
    text = rec.public_bytes(msgspec.structs.replace(rec.read_public(public), **values))
    return text, sealed, rec.leaf(text, sealed)


@pytest.mark.parametrize(
    ("at", "values", "seen"),
    [
        (0, {"seq": 2}, "entry 1 calls itself entry 2"),
        (0, {"before": "1" * 64}, "entry 1 does not follow the entry before it"),
        (0, {"format": 4}, "entry 1 has format 4, and this verifier knows 3"),
        (1, {"game": "other"}, "entry 2 belongs to a game that has not begun"),
        (1, {"mono_ns": 0}, "entry 2 is earlier than the entry before it"),
        (1, {"kind": "ended"}, "entry 2 has a field that is not 32 bytes in hexadecimal"),
        (5, {"key": "0" * 64}, "entry 6 publishes a key that does not match its game's commitment"),
        (6, {"before": "2" * 64}, "entry 7 does not follow the entry before it"),
        (7, {"game": "g1"}, "entry 8 belongs to a game that has not begun"),
    ],
)
def test_an_entry_that_does_not_fit_is_refused(
    entries: list[HandedEntry], at: int, values: dict[str, object], seen: str
) -> None:
    known, _ = in_portions(entries[:at], [])
    with pytest.raises(NotTakenError, match=f"^{seen}$"):
        taken(known, [changed(entries[at], **values), *entries[at + 1 :]])


@given(some.data())
def test_a_changed_byte_a_missing_or_a_moved_entry_is_refused(
    entries: list[HandedEntry], data: some.DataObject
) -> None:
    wrong = list(entries)
    at = data.draw(some.integers(0, len(wrong) - 2))
    match data.draw(some.sampled_from(["byte", "missing", "moved", "twice"])):
        case "byte":
            public, sealed, _ = wrong[at]
            assert public is not None
            assert sealed is not None
            other = bytearray(sealed)
            other[data.draw(some.integers(0, len(other) - 1))] ^= 1
            wrong[at] = (public, bytes(other), rec.leaf(public, bytes(other)))
        case "missing":
            del wrong[at]
        case "moved":
            wrong[at], wrong[at + 1] = wrong[at + 1], wrong[at]
        case _:
            wrong.insert(at, wrong[at])
    with pytest.raises(NotTakenError):
        taken(KnownRecord(), wrong)


def test_a_tree_goes_on_only_with_its_own_subtrees(entries: list[HandedEntry]) -> None:
    known, _ = in_portions(entries[:5], [])
    wrong = msgspec.structs.replace(known, peaks=known.peaks[:1])
    with pytest.raises(ValueError, match="a tree of 5 leaves has 2 full subtrees, not 1"):
        taken(wrong, entries[5:])
