"""What every store of a centre must do; the same tests for SQLite and for PostgreSQL."""

from __future__ import annotations

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from pi_app import journal as jn
from pi_app.centre.store.sqlite import SqliteStore
from pi_app.centre.store.store import (
    CentreStore,
    Closing,
    Commit,
    GameState,
    KeptFacts,
    KeptGame,
    KeptRecord,
    NotEnrolledHereError,
    StoreError,
    as_read,
    as_stored,
)
from pi_app.centre.taking.known_record import GameRange, Taken, taken
from pi_app.journal import Journal, archive
from pi_app.journal.record.handover import HandedEntry
from pi_app.journal.record.verdict import RecordState
from pi_app.journal.record.verify import verify
from pi_app.journal.recorded_game import read_event
from pi_app.play.mage_knight import MAGE_KNIGHT
from tests.pi_app.centre.opened_stores import Opens
from tests.pi_app.centre.records import a_game, entries_of

ORIGIN = "trapdial.invalid/record/" + "a1" * 32
OTHER = "trapdial.invalid/record/" + "b2" * 32


def enrolled(store: CentreStore, origin: str = ORIGIN, name: str = "Table 1") -> KeptRecord:
    store.add_code(b"code" + origin.encode(), name, "Shop", 1_000)
    found = store.enrol(b"code" + origin.encode(), origin, 500)
    assert found is not None
    return found


def change(record: KeptRecord, entries: list[HandedEntry], note: str = "note", at_s: int = 7) -> Commit:
    before = record.known.size
    return Commit(
        number=record.number,
        before=before,
        entries=entries,
        taken=taken(record.known, entries),
        cosigned=note,
        at_s=at_s,
    )


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("record") / "journal.db"
    with Journal(path, MAGE_KNIGHT) as journal:
        a_game(journal, "g1", 4)
        a_game(journal, "g2", 3)
    return path


def kept(store: CentreStore, origin: str = ORIGIN) -> KeptRecord:
    found = store.record(origin)
    assert found is not None
    return found


# ----------------------------------------------------------------------------------------------------------- enrolment


def test_a_code_enrols_one_table_once(store: CentreStore) -> None:
    assert store.record(ORIGIN) is None
    record = enrolled(store)
    assert (record.origin, record.name, record.shop, record.known.size, record.revoked) == (
        ORIGIN, "Table 1", "Shop", 0, False,
    )  # fmt: skip
    assert store.enrol(b"code" + ORIGIN.encode(), OTHER, 500) is None, "it is used up"
    assert store.enrol(b"made up", OTHER, 500) is None
    assert store.records() == [record]


def test_an_old_code_enrols_nothing_and_is_gone(store: CentreStore) -> None:
    store.add_code(b"code", "Table 1", "", 1_000)
    assert store.enrol(b"code", ORIGIN, 1_001) is None
    assert store.enrol(b"code", ORIGIN, 500) is None


def test_codes_are_forgotten_by_the_name_that_they_were_made_for(store: CentreStore) -> None:
    for code, name, shop in ((b"a", "Table 1", ""), (b"b", "Table 1", "Cog"), (b"c", "Table 2", ""), (b"d", "x", "y")):
        store.add_code(code, name, shop, 1_000)
    assert (store.forget_codes("Table 1", "Cog"), store.forget_codes("Table 1", "Cog")) == (1, 0)
    assert (store.forget_codes("Table 1"), store.forget_codes("Other"), store.forget_codes("x", "")) == (1, 0, 0)
    assert [store.enrol(code, ORIGIN, 500) is None for code in (b"a", b"b", b"c")] == [True, True, False]


def refused(store: CentreStore, name: str, shop: str = "Shop") -> KeptRecord:
    """A code for this name does not enrol the record, and may still be used for another one."""
    store.add_code(b"code", name, shop, 1_000)
    before = store.records()
    for _ in range(2):
        with pytest.raises(NotEnrolledHereError) as raised:
            store.enrol(b"code", ORIGIN, 500)
    assert (store.records(), store.forget_codes(name, shop)) == (before, 1)
    return raised.value.record


def test_a_table_that_was_revoked_is_back_by_a_word_at_the_centre_alone(store: CentreStore, path: Path) -> None:
    enrolled(store)
    assert (store.revoke(ORIGIN), kept(store).revoked) == (True, True)
    for name in ("Table 1", "Table 9"):
        assert refused(store, name) == kept(store)
    assert store.commit([change(kept(store), entries_of(path))]) == [False]
    assert (store.readmit(ORIGIN), store.readmit(OTHER), kept(store).revoked) == (True, False, False)
    assert store.commit([change(kept(store), entries_of(path))]) == [True]


def test_a_table_that_is_enrolled_again_keeps_what_is_there(store: CentreStore, path: Path) -> None:
    assert store.commit([change(enrolled(store), entries_of(path))]) == [True]
    assert enrolled(store) == kept(store)
    assert kept(store).known.size == len(entries_of(path))


def test_a_record_is_not_enrolled_under_a_second_name_or_in_a_second_shop(store: CentreStore) -> None:
    enrolled(store)
    assert (refused(store, "Table 2"), refused(store, "Table 1", "Other")) == (kept(store), kept(store))


# ------------------------------------------------------------------------------------- records that a commit enrols


def new(origin: str = OTHER, after: int = 0) -> KeptRecord:
    return KeptRecord(number=0, origin=origin, name="Table 1", shop="Shop", after=after)


def enrolling(record: KeptRecord, path: Path) -> Commit:
    return replace(change(record, entries_of(path)), enrols=record)


def test_the_commit_of_a_new_record_enrols_it(store: CentreStore, path: Path) -> None:
    older, entries = enrolled(store), entries_of(path)
    assert store.commit([enrolling(new(after=older.number), path), change(older, entries)]) == [True, True]
    record = kept(store, OTHER)
    assert (record.name, record.shop, record.known.size) == ("Table 1", "Shop", len(entries))
    assert [each.origin for each in store.records()] == [ORIGIN, OTHER]
    assert [row[:4] for row in store.rows(record.number)] == [
        (seq, *entry) for seq, entry in enumerate(entries, 1)
    ]  # fmt: skip
    assert [each.game for each in store.games(record.number)] == ["g1", "g2"]
    assert store.keep_facts(record.number, KeptFacts(), 1, b"one")


def test_a_record_that_another_one_continues_is_closed(store: CentreStore, path: Path) -> None:
    entries = entries_of(path)
    assert store.commit([change(enrolled(store), entries[:3])]) == [True]
    older = kept(store, ORIGIN)
    grown = Closing(ORIGIN, 3, 2)
    assert store.commit([replace(enrolling(new(after=older.number), path), closes=grown)]) == [False]
    assert [each.closed for each in store.records()] == [0]
    closing = Closing(ORIGIN, 3, 3)
    assert store.commit([replace(enrolling(new(after=older.number), path), closes=closing)]) == [True]
    assert [each.closed for each in store.records()] == [3, 0]
    assert store.commit([change(older, entries[3:])]) == [False], "it was checked as one that goes on"
    assert store.commit([replace(change(older, entries[3:]), closed=3)]) == [True]


def test_a_commit_enrols_a_record_once_and_after_none_that_is_revoked(store: CentreStore, path: Path) -> None:
    older = enrolled(store)
    store.revoke(ORIGIN)
    assert store.commit([enrolling(new(after=older.number), path)]) == [False]
    assert store.commit([enrolling(new(after=older.number + 9), path)]) == [False]
    assert [each.origin for each in store.records()] == [ORIGIN]
    assert store.commit([enrolling(new(), path), enrolling(new(), path)]) == [True, False]
    assert store.commit([enrolling(new(), path), enrolling(new(ORIGIN), path)]) == [False, False]
    assert len(store.records()) == 2


def test_of_two_codes_for_two_names_at_once_one_enrols_the_record(opens: Opens) -> None:
    stores = opens(), opens()
    with ThreadPoolExecutor(2) as pool:
        for number in range(5):
            origin = f"{ORIGIN}{number}"
            for name in ("one", "two"):
                stores[0].add_code(name.encode(), name, "", 1_000)
            tries = [
                pool.submit(store.enrol, name, origin, 1) for store, name in zip(stores, (b"one", b"two"), strict=True)
            ]
            refused = [each.exception() for each in tries]
            assert [type(each) for each in refused if each is not None] == [NotEnrolledHereError]
            assert sum(stores[0].forget_codes(name) for name in ("one", "two")) == 1, "the other code stays good"
    assert len(stores[0].records()) == 5


def test_of_two_commits_at_once_one_enrols_the_record(opens: Opens, path: Path) -> None:
    stores = opens(), opens()
    with ThreadPoolExecutor(2) as pool:
        for number in range(5):
            commit = enrolling(new(f"{ORIGIN}{number}"), path)
            tries = [pool.submit(store.commit, [commit]) for store in stores]
            assert sorted(each.result() for each in tries) == [[False], [True]]
    assert [record.known.size for record in stores[0].records()] == [len(entries_of(path))] * 5


def test_a_commit_that_fails_enrols_nothing(store: CentreStore, path: Path) -> None:
    entries = entries_of(path)
    broken = replace(enrolling(new(), path), entries=[*entries[:3], (b"{}", b"", None)])  # type: ignore[list-item]
    with pytest.raises((StoreError, TypeError)):
        store.commit([broken])
    assert store.records() == []


def test_two_people_with_one_code_enrol_one_table(opens: Opens) -> None:
    one, two = opens(), opens()
    one.add_code(b"code", "Table", "", 1_000)
    with ThreadPoolExecutor(2) as pool:
        tries = [pool.submit(store.enrol, b"code", origin, 1) for store, origin in ((one, ORIGIN), (two, OTHER))]
        found = [each.result() for each in tries]
    assert sum(each is not None for each in found) == 1
    assert len(one.records()) == 1


# ------------------------------------------------------------------------------------------------------------- entries


def test_entries_are_kept_as_they_came_and_can_be_verified(store: CentreStore, path: Path) -> None:
    entries, record = entries_of(path), enrolled(store)
    for first, last in ((0, 3), (3, 4), (4, len(entries))):
        record = kept(store)
        assert store.commit([change(record, entries[first:last], f"note {last}")]) == [True]
    record = kept(store)
    assert (record.known.size, record.cosigned, record.seen_s) == (len(entries), f"note {len(entries)}", 7)
    with jn.raw(path) as journal:
        rows = list(journal.rows())
    assert list(store.rows(record.number)) == [(*row[:4], None) for row in rows]
    assert list(store.rows(record.number, 3, 5)) == [(*row[:4], None) for row in rows[2:5]]
    stored = [as_stored(entry)[0] for entry in entries]
    assert all(public is not None and public.endswith(b"}") for public in stored), "the padding is not stored"
    signed = [*rows[:-1], rows[-1]]
    verdict = verify(signed, read_event=read_event, again=lambda: store.rows(record.number))
    assert verdict.state is RecordState.WHOLE
    assert all(game.opened for game in verdict.games)


def test_many_tables_are_written_at_once(store: CentreStore, path: Path) -> None:
    entries = entries_of(path)
    records = [enrolled(store, f"{ORIGIN}{number}", f"Table {number}") for number in range(20)]
    assert store.commit([change(each, entries) for each in records]) == [True] * 20
    assert {each.known.size for each in store.records()} == {len(entries)}
    assert all(len(list(store.rows(each.number))) == len(entries) for each in records)


def test_a_commit_against_another_size_changes_nothing(store: CentreStore, path: Path) -> None:
    entries, record = entries_of(path), enrolled(store)
    late = change(record, entries[:5], "late")
    assert store.commit([change(record, entries[:3], "first")]) == [True]
    before = (kept(store), list(store.rows(record.number)), store.games(record.number))
    assert store.commit([late]) == [False]
    assert (kept(store), list(store.rows(record.number)), store.games(record.number)) == before


def test_of_two_commits_of_one_record_the_first_holds(store: CentreStore, path: Path) -> None:
    entries, record, other = entries_of(path), enrolled(store), enrolled(store, OTHER)
    commits = [change(record, entries[:3], "a"), change(other, entries[:2]), change(record, entries[:4], "b")]
    assert store.commit(commits) == [True, True, False]
    assert (kept(store).known.size, kept(store).cosigned, kept(store, OTHER).known.size) == (3, "a", 2)


def test_nothing_more_is_taken_of_a_revoked_record_or_of_none(store: CentreStore, path: Path) -> None:
    record = enrolled(store)
    assert store.revoke(ORIGIN)
    assert not store.revoke(OTHER)
    assert kept(store).revoked
    nobody = Commit(number=999, before=0, entries=[], taken=taken(record.known, []), cosigned="", at_s=1)
    assert store.commit([change(record, entries_of(path)), nobody]) == [False, False]
    assert list(store.rows(record.number)) == []


def test_two_centres_on_one_store_mix_no_histories(opens: Opens, path: Path) -> None:
    entries = entries_of(path)
    stores = [opens(), opens()]
    record = enrolled(stores[0])
    with ThreadPoolExecutor(2) as pool:
        for at in range(len(entries)):
            record = kept(stores[0])
            both = [pool.submit(each.commit, [change(record, entries[at : at + 1])]) for each in stores]
            assert sorted(each.result() for each in both) == [[False], [True]]
    assert [row[3] for row in stores[1].rows(record.number)] == [leaf for *_, leaf in entries]


def test_games_are_known_by_name_and_place(store: CentreStore, path: Path) -> None:
    entries, record = entries_of(path), enrolled(store)
    store.commit([change(record, entries[:8])])
    assert store.games(record.number) == [KeptGame("g1", 1, 6, GameState.ENDED, 1), KeptGame("g2", 7, 7, GameState.ON)]
    store.commit([change(kept(store), entries[8:])])
    assert store.games(record.number, ["g2", "x"]) == [KeptGame("g2", 7, 11, GameState.ENDED, 2)]
    assert store.games(record.number, []) == []


def test_games_may_have_any_name_and_end_in_the_commit_that_begins_them(store: CentreStore) -> None:
    record = enrolled(store)
    names = ['say "go"', "back\\slash", "{a,b}", "NULL", "null", " ", "Züge"]
    begun = {name: at for at, name in enumerate(names, 1)}
    over = [GameRange(name, at, at + 10) for name, at in list(begun.items())[::2]]
    commit = replace(change(record, []), taken=Taken(record.known, begun=begun, ended=over))
    assert store.commit([commit]) == [True]
    found = {each.game: each for each in store.games(record.number)}
    ended = {each.game for each in over}
    assert found == {
        name: KeptGame(name, at, at + 10, GameState.ENDED) if name in ended else KeptGame(name, at, at, GameState.ON)
        for name, at in begun.items()
    }
    assert [each.game for each in store.games(record.number, ["{a,b}", "gone"])] == ["{a,b}"]


def test_a_row_that_was_changed_is_read_as_it_is() -> None:
    """A verifier then says what is wrong with it."""
    for public in (b"", b"{", b'{"kind":7}', b"\xff", None, "text"):
        assert as_read((7, public, b"sealed", b"leaf")) == (7, public, b"sealed", b"leaf", None)


def test_a_deleted_game_loses_both_halves_and_keeps_its_hashes(store: CentreStore, tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal(path, MAGE_KNIGHT) as journal:
        a_game(journal, "g1", 2)
        a_game(journal, "g2", 2)
    entries, record = entries_of(path), enrolled(store)
    store.commit([change(record, entries)])
    archive.delete(path, "g1")
    store.commit([change(kept(store), entries_of(path)[len(entries) :])])
    assert store.games(record.number)[0] == KeptGame("g1", 1, 4, GameState.DELETED, 1)
    with jn.raw(path) as journal:
        assert list(store.rows(record.number)) == [(*row[:4], None) for row in journal.rows()]


# ----------------------------------------------------------------------------------------------- logs of other programs


def test_a_checkpoint_of_another_log_replaces_the_one_it_was_checked_against(store: CentreStore) -> None:
    assert store.witnessed("example.com/log") == ""
    assert not store.witness("example.com/log", 3, 5, "five"), "none of 3 entries was cosigned"
    assert store.witness("example.com/log", 0, 3, "three")
    assert not store.witness("example.com/log", 0, 4, "four"), "no longer the first"
    assert store.witness("example.com/log", 3, 5, "five")
    assert not store.witness("example.com/log", 3, 4, "four"), "no step back"
    assert store.witness("example.com/log", 5, 5, "five again")
    assert (store.witnessed("example.com/log"), store.witnessed("example.com/other")) == ("five again", "")


def test_of_two_requests_at_once_one_is_cosigned(opens: Opens) -> None:
    stores = [opens(), opens()]
    with ThreadPoolExecutor(2) as pool:
        for before in range(5):
            both = [pool.submit(each.witness, "a", before, before + 1, f"{n}") for n, each in enumerate(stores)]
            assert sorted(each.result() for each in both) == [False, True]


# --------------------------------------------------------------------------------------------------------------- facts


def test_facts_replace_those_that_they_were_made_from(store: CentreStore) -> None:
    record, other = enrolled(store), enrolled(store, OTHER)
    nothing = store.facts(record.number)
    assert nothing == KeptFacts(0, 0, b"")
    assert store.keep_facts(record.number, nothing, 5, b"five")
    assert not store.keep_facts(record.number, nothing, 6, b"late"), "others are there by now"
    assert store.keep_facts(record.number, store.facts(record.number), 7, b"seven")
    assert store.all_facts() == {record.number: KeptFacts(7, 0, b"seven"), other.number: KeptFacts()}
    assert store.facts(999) == KeptFacts()
    assert not store.keep_facts(999, KeptFacts(), 1, b"")


def test_a_deleted_game_empties_the_facts_and_nothing_older_replaces_them(store: CentreStore, tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal(path, MAGE_KNIGHT) as journal:
        a_game(journal, "g1", 2)
    before, record, other = entries_of(path), enrolled(store), enrolled(store, OTHER)
    store.commit([change(record, before)])
    nothing = store.facts(record.number)
    assert store.keep_facts(other.number, store.facts(other.number), 4, b"four")
    archive.delete(path, "g1")
    assert store.commit([change(kept(store), entries_of(path)[len(before) :])]) == [True]
    assert store.facts(record.number) == KeptFacts(0, 1, b"")
    assert not store.keep_facts(record.number, nothing, 4, b"of the deleted game"), "made before the deletion"
    assert store.facts(other.number).data == b"four"


def test_what_was_found_last_is_kept(opens: Opens) -> None:
    store = opens()
    assert store.findings() == b""
    for data in (b"one", b"\x00two", b""):
        store.keep_findings(data)
        assert opens().findings() == data


def test_how_much_waits_at_a_table_is_kept(store: CentreStore, path: Path) -> None:
    record, entries = enrolled(store), entries_of(path)
    assert store.commit([replace(change(record, entries[:3]), behind=8)]) == [True]
    assert kept(store).behind == 8
    assert store.commit([change(kept(store), entries[3:])]) == [True]
    assert kept(store).behind == 0


# ------------------------------------------------------------------------------------------------------------ the file


def test_a_store_that_is_opened_again_has_everything(opens: Opens, path: Path) -> None:
    store = opens()
    record = enrolled(store)
    store.commit([change(record, entries_of(path))])
    store.close()
    store.close()
    assert opens().records() == [kept(opens())]


def test_the_database_of_another_program_is_refused(tmp_path: Path, path: Path) -> None:
    copy = tmp_path / "copy.db"
    copy.write_bytes(path.read_bytes())
    before = copy.read_bytes()
    with pytest.raises(StoreError, match=r"it is not the database of a centre\. Name another file"):
        SqliteStore(copy)
    assert copy.read_bytes() == before
    garbage = tmp_path / "garbage.db"
    garbage.write_bytes(b"garbage" * 999)
    with pytest.raises(StoreError, match=r"the database cannot be used \(file is not a database\)"):
        SqliteStore(garbage)


def test_the_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        SqliteStore(tmp_path / "centre.db").close()
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "centre.db").stat().st_mode) == 0o600


def test_what_is_no_plain_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(
        StoreError, match=r"cannot be opened \(a FIFO \(a pipe\), not a plain file\)\. Check its folder"
    ):
        SqliteStore(tmp_path / "pipe")
    with pytest.raises(StoreError, match=r"cannot be opened \(No such file or directory\)\. Check its folder"):
        SqliteStore(tmp_path / "none" / "centre.db")


def test_a_postgresql_that_is_not_there_is_said() -> None:
    from pi_app.centre.store.postgres import PostgresStore

    with pytest.raises(StoreError, match="Check that PostgreSQL runs, and its address and user"):
        PostgresStore("host=/nowhere dbname=trapdial")


@pytest.mark.parametrize("kept", [b"", b"junk" * 1_000])
def test_a_file_that_is_spoilt_is_to_be_restored(tmp_path: Path, kept: bytes) -> None:
    path = tmp_path / "centre.db"
    SqliteStore(path).close()
    path.write_bytes(kept or path.read_bytes()[:20_000])
    for end in ("-wal", "-shm"):
        path.with_name(f"{path.name}{end}").unlink(missing_ok=True)
    with pytest.raises(StoreError, match=r"Put a backup in its place: trapdial docs centre\.$"):
        SqliteStore(path).records()
