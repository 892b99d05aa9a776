"""A monitor reads a log from outside and finds whatever is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pi_app.centre.own_log.entries import OwnLogKey
from pi_app.centre.own_log.monitor import WrongLogError, check_all, newest_of_table, seen_log
from pi_app.centre.own_log.own_log import OwnLog
from pi_app.centre.own_log.serving import NEWEST
from pi_app.centre.own_log.tiles import bundle, read_bundle
from pi_app.centre.own_log.tree import grown
from pi_app.centre.store.own_log_rows import OwnLogBatch
from pi_app.centre.store.sqlite import SqliteStore
from pi_app.centre.store.store import CentreStore
from pi_app.centre.taking.decision import CentreKey
from pi_app.journal.record.checkpoints import cosign, origin_of, signed_checkpoint
from pi_app.journal.record.keys import DeviceKey, device_key
from pi_app.journal.record.merkle import leaf_hash, root_of
from pi_app.journal.record.notes import SIGNS_NOTES, SignedNote, VerifierKey, read_note
from pi_app.journal.record.witness_protocol import AddCheckpoint
from tests.pi_app.centre.own_log.log_client import DirectClient
from tests.pi_app.centre.own_log.public_witness import PublicWitness
from tests.pi_app.centre.records import CENTRE

ORIGIN = "centre.example/log"
KEY = OwnLogKey.of(ORIGIN, CENTRE)
TABLES = [device_key(bytes((number,)) * 32) for number in range(7)]
LEAVES = [leaf_hash(bytes((number % 256, number // 256))) for number in range(600)]


def entry(table: DeviceKey, size: int, leaves: list[bytes] = LEAVES) -> bytes:
    """What stands in the log for a table with so many entries."""
    note = signed_checkpoint(table, size, root_of(leaves[:size]))
    line = cosign(CENTRE.key, CENTRE.name, note.text, 1_000)
    return SignedNote(note.text, (*note.signatures, line)).written().encode()


def origins(count: int) -> list[str]:
    return [origin_of(TABLES[number % len(TABLES)].public) for number in range(count)]


ENTRIES = [entry(TABLES[number % len(TABLES)], 1 + number // len(TABLES)) for number in range(300)]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[CentreStore]:
    store = SqliteStore(tmp_path / "centre.db")
    yield store
    store.close()


def filled(store: CentreStore, entries: list[bytes], origins: list[str]) -> DirectClient:
    log = OwnLog(KEY, CENTRE, store, store, [])
    hashes, root = grown(log.hashes, 0, [leaf_hash(each) for each in entries])
    note = KEY.signed(len(entries), root).written()
    batch = OwnLogBatch(before=0, entries=list(zip(origins, entries, strict=True)), hashes=hashes, note=note)
    assert store.own_log.append(ORIGIN, batch)
    return DirectClient(log)


@pytest.fixture
def client(store: CentreStore) -> DirectClient:
    return filled(store, ENTRIES, origins(300))


def test_a_sound_log_is_read_whole(client: DirectClient) -> None:
    seen = seen_log(client, KEY.verifier, [])
    assert (seen.checkpoint.origin, seen.checkpoint.size, seen.cosigned) == (ORIGIN, 300, ())
    assert check_all(client, seen) == 7
    assert client.asked == ["checkpoint", "tile/entries/000", "tile/entries/001.p/44"]


def test_a_log_without_entries_has_no_checkpoint(store: CentreStore) -> None:
    with pytest.raises(WrongLogError, match=r"^The log has no checkpoint: The centre's own log does not have this\.$"):
        seen_log(DirectClient(OwnLog(KEY, CENTRE, store, store, [])), KEY.verifier, [])


def test_the_newest_of_a_table_is_proven_with_a_few_tiles(client: DirectClient) -> None:
    seen = seen_log(client, KEY.verifier, [])
    for number, table in enumerate(TABLES):
        head = newest_of_table(client, seen, table.public)
        assert head is not None
        assert (head.device, head.size) == (table.public, 43 if number < 6 else 42)
    client.asked.clear()
    newest_of_table(client, seen, TABLES[0].public)
    assert client.asked[1:] == ["tile/entries/001.p/44", "tile/1/000.p/1", "tile/0/001.p/44"]
    assert newest_of_table(client, seen, device_key(b"n" * 32).public) is None


def test_witnesses_are_named_with_their_times(client: DirectClient) -> None:
    witness, stranger = PublicWitness(trusted=[KEY.verifier]), PublicWitness("stranger.example/w")
    line = witness.post("add-checkpoint", AddCheckpoint(0, (), read_note(client.get("checkpoint").body)).written())
    client.changes["checkpoint"] = lambda data: data + line.body
    seen = seen_log(client, KEY.verifier, [witness.key, stranger.key])
    assert seen.cosigned == (("witness.example/w1", 2_000),)


def swapped(data: bytes) -> bytes:
    entries = read_bundle(data)
    return bundle([entries[1], entries[0], *entries[2:]])


def made_up(data: bytes) -> bytes:
    return bundle([entry(device_key(b"f" * 32), 5), *read_bundle(data)[1:]])


def unsigned(data: bytes) -> bytes:
    first, *others = read_bundle(data)
    return bundle([first.replace(b"\n1\n", b"\n2\n", 1), *others])


FIRST = "tile/entries/000"


@pytest.mark.parametrize(
    ("path", "change", "words"),
    [
        ("checkpoint", lambda data: b"x", r"The log's checkpoint cannot be read: "),
        ("checkpoint", lambda data: data.replace(b"\n300\n", b"\n299\n"), r"is not signed by the key "),
        (FIRST, lambda data: data[:-1], r"tile/entries/000 cannot be read: its last entry is cut off\."),
        (FIRST, lambda data: bundle(read_bundle(data)[1:]), r"tile/entries/000 has 255 entries, and not 256\."),
        (FIRST, made_up, r"The entries up to 300 are not those that the checkpoint is over\."),
        (FIRST, swapped, r"The entries up to 300 are not those that the checkpoint is over\."),
        (FIRST, unsigned, r"Entry 0 is no checkpoint that a table has signed: its device has not signed it\."),
    ],
)  # fmt: skip
def test_whatever_was_changed_is_found(
    client: DirectClient, path: str, change: Callable[[bytes], bytes], words: str
) -> None:
    client.changes[path] = change
    with pytest.raises(WrongLogError, match=words):
        check_all(client, seen_log(client, KEY.verifier, []))


@pytest.mark.parametrize(
    ("path", "change", "words"),
    [
        (NEWEST, lambda data: b"1\n", r"Entry 1 is of another table\."),
        (NEWEST, lambda data: b"-1\n", r"The place of the table's entry cannot be read: "),
        ("tile/0/001.p/44", lambda data: data[:-1], r"tile/0/001\.p/44 cannot be read: its last hash is cut off\."),
        ("tile/0/001.p/44", lambda data: data[:-32], r"tile/0/001\.p/44 has 43 hashes, and not 44\."),
        ("tile/1/000.p/1", lambda data: bytes(len(data)), r"Entry 294 is not one of the 300 that the checkpoint"),
        ("tile/entries/001.p/44", lambda data: bundle([entry(TABLES[0], 44)] * 44), r"Entry 294 is not one of the 300"),
    ],
)
def test_a_proof_that_does_not_hold_is_found(
    client: DirectClient, path: str, change: Callable[[bytes], bytes], words: str
) -> None:
    seen = seen_log(client, KEY.verifier, [])
    newest_of_table(client, seen, TABLES[0].public)
    (newest,) = (each for each in client.asked if each.startswith(NEWEST))
    client.changes[newest if path == NEWEST else path] = change
    with pytest.raises(WrongLogError, match=words):
        newest_of_table(client, seen, TABLES[0].public)


@pytest.mark.parametrize("second", [entry(TABLES[0], 4), entry(TABLES[0], 5, LEAVES[1:])])
def test_a_table_that_goes_back_or_has_two_histories_is_found(store: CentreStore, second: bytes) -> None:
    client = filled(store, [entry(TABLES[0], 5), second], [origins(1)[0]] * 2)
    with pytest.raises(WrongLogError, match=r"^Entry 1 contradicts an earlier one of the same table, "):
        check_all(client, seen_log(client, KEY.verifier, []))


def test_another_key_or_another_log_is_not_this_one(client: DirectClient) -> None:
    other = OwnLogKey.of(ORIGIN, CentreKey("x", device_key(b"x" * 32)))
    renamed = VerifierKey("centre.example/log2", SIGNS_NOTES, KEY.key.public)
    for key in (other.verifier, renamed):
        with pytest.raises(WrongLogError, match=r"The checkpoint of 'centre\.example/log' is not signed by the key"):
            seen_log(client, key, [])


def test_an_entry_that_came_after_the_checkpoint_is_not_there_yet(client: DirectClient) -> None:
    seen = seen_log(client, KEY.verifier, [])
    seen = replace(seen, checkpoint=replace(seen.checkpoint, size=290))
    assert newest_of_table(client, seen, TABLES[0].public) is None
