"""The centre's own log: what stands in it, who cosigns it, and that it never has two histories."""

from __future__ import annotations

import math
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from pi_app import journal as jn
from pi_app.centre.own_log.entries import OwnLogKey, entry_of
from pi_app.centre.own_log.own_log import BATCH_S, LogWitness, OwnLog
from pi_app.centre.own_log.serving import published
from pi_app.centre.store.sqlite import SqliteStore
from pi_app.centre.taking.decision import CentreKey
from pi_app.journal import Journal
from pi_app.journal.record.checkpoints import cosigned_at, is_signed, read_checkpoint
from pi_app.journal.record.heads import head_in
from pi_app.journal.record.keys import device_key
from pi_app.journal.record.merkle import leaf_hash, root_of
from pi_app.journal.record.notes import SignedNote, read_note
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.sender.client import CentreReply, UnreachableError
from tests.pi_app.centre.own_log.public_witness import PublicWitness
from tests.pi_app.centre.records import CENTRE, Desk, Table, a_game, entries_of

ORIGIN = "centre.example/log"
KEY = OwnLogKey.of(ORIGIN, CENTRE)


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> list[Table]:
    found = []
    for number in range(3):
        path = tmp_path_factory.mktemp("record") / f"{number}.db"
        with Journal(path, MAGE_KNIGHT) as journal:
            a_game(journal, "g1", 6)
        key = jn.keys_of(path).known_device()
        assert key is not None
        found.append(Table(key, entries_of(path)))
    return found


@dataclass
class Shelf:
    """A centre's store in a folder, its log, and witnesses of it."""

    folder: Path
    tables: list[Table]
    witnesses: list[PublicWitness] = field(default_factory=list)
    now_s: float = 0.0
    key: CentreKey = CENTRE
    origin: str = ORIGIN

    def __post_init__(self) -> None:
        self.open()

    def open(self) -> None:
        self.store = SqliteStore(self.folder / "centre.db")
        own_key = OwnLogKey.of(self.origin, self.key)
        asked = [LogWitness(each.key, each) for each in self.witnesses]
        self.log = OwnLog(own_key, self.key, self.store, self.store, asked)

    def restarts(self) -> None:
        self.store.close()
        self.open()

    def hands(self, number: int, first: int, last: int) -> None:
        table = self.tables[number]
        if self.store.record(table.origin) is None:
            self.store.add_code(b"code", f"Table {number}", "", 10_000)
            self.store.enrol(b"code", table.origin, 1)
        Desk(self.store).takes(table.hands(first, last))

    def runs(self, steps: int = 6, seconds: float = BATCH_S) -> None:
        """Do what is due until so long from now, in at most so many steps."""
        until_s = self.now_s + seconds
        for _ in range(steps):
            pause_s = self.log.step(self.now_s)
            if self.now_s + pause_s > until_s:
                break
            self.now_s += pause_s
        self.now_s = until_s

    @property
    def size(self) -> int:
        return self.log.state().size

    def entries(self) -> list[bytes]:
        return list(self.log.entries(0, 10_000))

    def shown(self) -> SignedNote:
        note = published(self.log.state(), [each.key for each in self.witnesses])
        assert note is not None
        return note


@pytest.fixture
def witness() -> PublicWitness:
    return PublicWitness(trusted=[KEY.verifier])


@pytest.fixture
def other() -> PublicWitness:
    return PublicWitness("other.example/w2", trusted=[KEY.verifier])


@pytest.fixture
def alone(tmp_path: Path, tables: list[Table]) -> Iterator[Shelf]:
    shelf = Shelf(tmp_path, tables)
    yield shelf
    shelf.store.close()


@pytest.fixture
def shelf(tmp_path: Path, tables: list[Table], witness: PublicWitness, other: PublicWitness) -> Iterator[Shelf]:
    shelf = Shelf(tmp_path, tables, [witness, other])
    yield shelf
    shelf.store.close()


# ------------------------------------------------------------------------------------------------------------- entries


def test_an_entry_is_the_cosigned_note_with_two_signatures(alone: Shelf) -> None:
    alone.hands(0, 1, 3)
    record = alone.store.record(alone.tables[0].origin)
    assert record is not None
    entry = entry_of(record.cosigned, CENTRE.verifier)
    assert entry == record.cosigned.encode(), "as it is kept"
    note = read_note(entry)
    head = head_in(note)
    assert (head.device, head.size) == (alone.tables[0].key.public, 3)
    assert cosigned_at(note, CENTRE.verifier) == 1_000
    more = SignedNote(note.text, (*alone.tables[1].hands(1, 3).checkpoint.signatures, *note.signatures))
    assert entry_of(more.written(), CENTRE.verifier) == entry, "whatever else stands below it"


def test_what_this_centre_has_not_cosigned_is_no_entry(tables: list[Table]) -> None:
    note = tables[0].hands(1, 3).checkpoint.written()
    assert entry_of("", CENTRE.verifier) is None
    assert entry_of(note, CENTRE.verifier) is None


def test_the_logs_key_is_not_the_centres_and_needs_no_backup_of_its_own() -> None:
    assert KEY.verifier.public != CENTRE.key.public
    assert OwnLogKey.of(ORIGIN, CENTRE) == KEY
    assert KEY.verifier.name == ORIGIN


# ------------------------------------------------------------------------------------------------------------- batches


def sizes(shelf: Shelf) -> list[int]:
    return [head_in(read_note(each)).size for each in shelf.entries()]


def test_only_what_has_changed_is_appended_and_at_most_every_five_minutes(alone: Shelf) -> None:
    alone.runs()
    assert (alone.size, alone.log.state().note) == (0, "")
    alone.hands(0, 1, 3)
    alone.hands(1, 1, 2)
    alone.runs()
    assert sizes(alone) == [3, 2]
    alone.hands(0, 4, 5)
    alone.hands(0, 6, 7)
    alone.runs(seconds=BATCH_S - 1)
    assert alone.size == 2, "not before five minutes are over"
    alone.runs()
    assert sizes(alone) == [3, 2, 7]
    alone.runs(seconds=4 * BATCH_S)
    assert alone.size == 3
    note = read_note(alone.log.state().note.encode())
    assert is_signed(note, KEY.verifier)
    assert read_checkpoint(note.text).root == root_of([leaf_hash(each) for each in alone.entries()])


def test_a_centre_that_begins_again_goes_on(alone: Shelf) -> None:
    alone.hands(0, 1, 3)
    alone.runs()
    alone.restarts()
    alone.hands(1, 1, 2)
    alone.runs()
    assert sizes(alone) == [3, 2]


def test_two_centres_on_one_store_have_one_log(alone: Shelf) -> None:
    alone.hands(0, 1, 3)
    second = OwnLog(KEY, CENTRE, alone.store, alone.store, [])
    assert second.step(0.0) == BATCH_S
    alone.runs()
    assert alone.size == 1


# ----------------------------------------------------------------------------------------------------------- witnesses


def test_each_checkpoint_is_cosigned_by_every_witness(shelf: Shelf, witness: PublicWitness) -> None:
    shelf.hands(0, 1, 3)
    shelf.runs()
    shelf.hands(0, 4, 6)
    shelf.hands(1, 1, 2)
    shelf.runs()
    note = shelf.shown()
    assert read_checkpoint(note.text).size == 3
    assert [cosigned_at(note, each.key) for each in shelf.witnesses] == [2_000, 2_000]
    assert is_signed(note, KEY.verifier)
    assert [(each.old, read_checkpoint(each.note.text).size) for each in witness.asked] == [(0, 0), (0, 1), (1, 3)]
    assert shelf.log.troubles() == []
    shelf.runs(seconds=10 * BATCH_S)
    assert len(witness.asked) == 3, "what is cosigned is not asked for again"


def test_a_witness_that_takes_no_empty_log_is_asked_with_the_first_entries(
    shelf: Shelf, witness: PublicWitness
) -> None:
    witness.takes_empty = False
    shelf.runs()
    assert shelf.log.troubles() == []
    shelf.hands(0, 1, 3)
    shelf.runs()
    assert cosigned_at(shelf.shown(), witness.key) == 2_000


def test_a_witness_that_is_away_keeps_its_own_pace_and_is_caught_up(
    shelf: Shelf, witness: PublicWitness, other: PublicWitness
) -> None:
    shelf.hands(0, 1, 3)
    shelf.runs()
    away = UnreachableError("https://other.example/ does not answer (Connection refused).")
    other.says = [away] * 40
    for last in (4, 5, 6):
        shelf.hands(0, last, last)
        shelf.runs(steps=30)
    assert witness.latest[ORIGIN].size == 4
    assert other.latest[ORIGIN].size == 1
    assert shelf.log.troubles() == [
        "other.example/w2 could not be asked: https://other.example/ does not answer (Connection refused)."
    ]
    assert cosigned_at(shelf.shown(), witness.key), "what one has cosigned is shown"
    other.says = []
    shelf.runs(steps=30, seconds=3 * BATCH_S)
    assert (other.latest[ORIGIN].size, shelf.log.troubles()) == (4, [])


def test_a_new_checkpoint_is_shown_once_it_is_cosigned(shelf: Shelf, witness: PublicWitness) -> None:
    shelf.hands(0, 1, 3)
    shelf.runs()
    shelf.hands(0, 4, 4)
    later = [UnreachableError("It does not answer.")] * 2
    for each in shelf.witnesses:
        each.says = list(later[:1])
    shelf.runs(steps=2)
    assert (shelf.size, read_checkpoint(shelf.shown().text).size) == (2, 1)
    shelf.runs(steps=20)
    assert read_checkpoint(shelf.shown().text).size == 2


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (CentreReply(404, b""), f"does not know the log {ORIGIN}. Give its owner the log's key: {KEY.verifier.text()}"),
        (CentreReply(403, b""), f"knows another key for the log {ORIGIN}. Give its owner the right one: "),
        (CentreReply(200, b"x"), "answers without its own signature: its key is not the one in centre.toml."),
        (CentreReply(301, b""), f"does not cosign the log {ORIGIN}: it answers 301."),
        (CentreReply(503, b""), "could not be asked: it answers 503."),
    ],
)
def test_every_refusal_is_said_in_words(shelf: Shelf, witness: PublicWitness, reply: CentreReply, words: str) -> None:
    witness.says = [reply] * 9
    shelf.runs(steps=2, seconds=1.0)
    (said,) = shelf.log.troubles()
    assert said.startswith(f"{witness.name} {words}")


def test_a_witness_that_does_not_know_the_log_yet_does_not_keep_it_from_growing(
    shelf: Shelf, witness: PublicWitness
) -> None:
    witness.trusted = []
    shelf.hands(0, 1, 3)
    shelf.runs()
    assert shelf.size == 1
    witness.trusted = [KEY.verifier]
    shelf.runs(steps=30, seconds=3 * BATCH_S)
    assert (witness.latest[ORIGIN].size, shelf.log.troubles()) == (1, [])


def test_a_witness_that_came_to_know_an_empty_log_cosigns_its_first_entries(
    shelf: Shelf, witness: PublicWitness
) -> None:
    witness.trusted = []
    shelf.runs(steps=30, seconds=5 * BATCH_S)
    witness.trusted = [KEY.verifier]
    shelf.hands(0, 1, 3)
    shelf.runs(steps=30, seconds=2 * BATCH_S)
    assert (witness.latest[ORIGIN].size, shelf.log.troubles()) == (1, [])


def test_a_witness_that_has_cosigned_what_we_did_not_keep_goes_on_from_there(
    shelf: Shelf, witness: PublicWitness
) -> None:
    """The centre was killed between the witness's answer and its own disk."""
    shelf.hands(0, 1, 3)
    shelf.runs()
    shelf.hands(0, 4, 4)
    witness.loses = 1
    for _ in range(3):
        shelf.runs(steps=1)
    assert witness.latest[ORIGIN].size == 2
    shelf.hands(0, 5, 5)
    shelf.restarts()
    shelf.runs(steps=30)
    assert [(each.old, read_checkpoint(each.note.text).size) for each in witness.asked[2:]] == [
        (1, 2), (1, 2), (2, 2), (2, 3),
    ]  # fmt: skip
    assert (witness.latest[ORIGIN].size, shelf.log.troubles()) == (3, [])


# ------------------------------------------------------------------------------------------- restored from a backup


def test_a_log_from_a_backup_does_not_grow_past_what_a_witness_has_cosigned(
    shelf: Shelf, witness: PublicWitness, tmp_path: Path
) -> None:
    shelf.hands(0, 1, 3)
    shelf.runs()
    shelf.store.close()
    shutil.copy(tmp_path / "centre.db", tmp_path / "backup.db")
    shelf.open()
    shelf.hands(0, 4, 5)
    shelf.hands(1, 1, 2)
    shelf.runs()
    assert witness.latest[ORIGIN].size == 3
    shelf.store.close()
    (tmp_path / "backup.db").replace(tmp_path / "centre.db")
    shelf.open()
    shelf.hands(0, 4, 7)
    shelf.runs(steps=40, seconds=20 * BATCH_S)
    assert shelf.size == 1, "nothing is appended"
    words = (
        "has cosigned 3 entries of the centre's own log centre.example/log, and 1 are here: the database was restored "
        "from a backup. Nothing more is added, for the log would then have two histories. Write a new origin in "
        "[own_log] of centre.toml, one that was never used, and give its key to the witnesses (trapdial centre log "
        "key)."
    )
    assert shelf.log.troubles() == [f"{each.name} {words}" for each in shelf.witnesses]
    assert witness.latest[ORIGIN].size == 3

    shelf.origin = "centre.example/log2"
    for each in shelf.witnesses:
        each.trusted.append(OwnLogKey.of(shelf.origin, CENTRE).verifier)
    shelf.restarts()
    shelf.runs()
    assert (shelf.size, shelf.log.troubles()) == (1, []), "the new log begins with what every table has now"
    assert witness.latest["centre.example/log2"].size == 1


def test_nothing_is_appended_before_every_witness_was_asked_once(
    shelf: Shelf, witness: PublicWitness, other: PublicWitness
) -> None:
    other.says = [UnreachableError("https://other.example/ does not answer (timed out).")] * 3
    shelf.hands(0, 1, 3)
    shelf.runs(steps=3, seconds=0.0)
    assert shelf.size == 0
    assert shelf.log.troubles() == [
        "other.example/w2 could not be asked: https://other.example/ does not answer (timed out). Nothing is added to "
        "the log centre.example/log before it was asked once, for this database may be an old backup. If the witness "
        "is gone for good, take it from [own_log] of centre.toml."
    ]
    shelf.runs(steps=30)
    assert (shelf.size, shelf.log.troubles()) == (1, [])


def test_a_backup_that_went_on_is_found_out(shelf: Shelf, witness: PublicWitness, tmp_path: Path) -> None:
    """Another program made entries in the backup, up to the size that the witness knows."""
    shelf.runs()
    twin = Shelf(_folder(tmp_path / "twin"), shelf.tables)
    twin.hands(1, 1, 2)
    twin.runs()
    shelf.hands(0, 1, 3)
    shelf.runs()
    twin.witnesses = [witness]
    twin.restarts()
    twin.runs()
    (said,) = twin.log.troubles()
    assert said.startswith(
        "witness.example/w1 has cosigned other entries of the centre's own log centre.example/log than those that are "
        "here: the database was restored from a backup, or its rows were changed. Nothing more is added"
    )
    twin.hands(1, 3, 4)
    twin.hands(2, 1, 2)
    twin.runs(steps=40, seconds=20 * BATCH_S)
    assert twin.size == 1
    twin.store.close()


def _folder(path: Path) -> Path:
    path.mkdir()
    return path


def test_a_witness_that_forgot_is_retired_and_does_not_hold_the_log_up(shelf: Shelf, witness: PublicWitness) -> None:
    for last in (1, 2):
        shelf.hands(0, last, last)
        shelf.runs()
    witness.latest.clear()
    shelf.restarts()
    shelf.hands(0, 3, 3)
    shelf.runs()
    (said,) = shelf.log.troubles()
    assert said == (
        "witness.example/w1 says that it has cosigned 0 entries of centre.example/log, and has cosigned 2 before: its "
        "database was lost or restored. It no longer rules out a second history and is not asked again. Its owner has "
        "to retire it; take it from [own_log] of centre.toml. A new witness needs a new name and a new key."
    )
    asked = len(witness.asked)
    shelf.hands(0, 4, 4)
    shelf.runs(steps=40, seconds=20 * BATCH_S)
    assert (shelf.size, len(witness.asked), witness.latest) == (4, asked, {})


def test_another_key_of_the_centre_does_not_sign_an_old_log(alone: Shelf) -> None:
    alone.hands(0, 1, 3)
    alone.runs()
    alone.key = CentreKey(CENTRE.name, device_key(b"n" * 32))
    alone.restarts()
    alone.runs()
    assert alone.size == 1
    assert alone.log.troubles() == [
        "The centre's own log centre.example/log was begun with another key than the centre has now. Put the old key "
        "back, or write a new origin in [own_log] of centre.toml."
    ]


# ------------------------------------------------------------------------------------------------------------ the store


def test_a_database_that_is_away_is_tried_again(shelf: Shelf) -> None:
    shelf.hands(0, 1, 3)
    shelf.store.close()
    assert shelf.log.step(0.0) == 10.0
    shelf.open()
    shelf.runs()
    assert shelf.size == 1


def test_a_log_that_has_nothing_to_do_comes_back_in_time_for_its_next_batch(alone: Shelf) -> None:
    assert alone.log.step(0.0) == BATCH_S
    assert alone.log.step(100.0) == BATCH_S - 100.0
    assert math.isfinite(alone.log.step(BATCH_S))
