"""`trapdial journal witness` and `trapdial journal head --checkpoint`, as they are typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pi_app import journal as jn
from pi_app.cli.main import main
from pi_app.game import events as ev
from pi_app.journal.cosigned import PinnedWitness, cosigned_folder, keep_cosigned, pinned
from pi_app.journal.record.checkpoints import cosign, is_signed, read_checkpoint, record_key
from pi_app.journal.record.notes import SignedNote, read_note, read_vkey
from pi_app.journal.record.verdict import fingerprint
from pi_app.sender.orders import SenderSays, SenderTrouble, keep_said
from pi_app.sender.records import cosigned_size, is_handed_over, outbox_of
from pi_app.sender.turns import WAITS, WITNESS_WAITS_SINCE
from tests.pi_app.journal.keeping import EVENTS as PLAY
from tests.pi_app.journal.keeping import write
from tests.pi_app.sender.one_witness import WITNESS, WITNESS_KEY


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "journal.db"
    write(path, (*PLAY, ev.Ended()))
    return path


def journal(*words: str | Path) -> Result:
    return CliRunner().invoke(main, ["journal", *map(str, words)])


def witness(path: Path, *words: str) -> Result:
    return journal("witness", *words, "--journal", path)


def test_a_witness_is_added_listed_and_removed(path: Path) -> None:
    listed = witness(path, "list")
    assert listed.output == f"{path}: no witness is pinned. Pin one: trapdial journal witness add KEY ADDRESS\n"
    added = witness(path, "add", WITNESS.text(), "https://w.example")
    assert added.output.splitlines() == [
        f"{path}: {WITNESS.name} is pinned, and asked at https://w.example/.",
        "Its owner has to know the key of this record: trapdial journal witness key",
    ]
    assert pinned(path) == (PinnedWitness(key=WITNESS.text(), address="https://w.example/"),)
    listed = witness(path, "list")
    assert listed.output == f"{WITNESS.name} has cosigned nothing of it yet. It is asked at https://w.example/.\n"
    assert witness(path, "remove", WITNESS.name).output == f"{path}: {WITNESS.name} is no longer asked.\n"
    assert pinned(path) == ()
    gone = witness(path, "remove", WITNESS.name)
    assert (gone.exit_code, gone.output) == (
        2,
        f"NAME: no witness is called '{WITNESS.name}'. Pinned are: none.\n",
    )


def test_what_a_witness_cosigned_is_named_with_its_time(path: Path) -> None:
    assert witness(path, "add", WITNESS.text()).output == f"{path}: {WITNESS.name} is pinned.\n"
    outbox = outbox_of(path)
    assert outbox is not None
    found = outbox.consistency(0, 4)
    assert found is not None
    line = cosign(WITNESS_KEY, WITNESS.name, found[0].text, 1_800_000_000)
    keep_cosigned(path, SignedNote(found[0].text, (*found[0].signatures, line)), WITNESS)
    said = f"{WITNESS.name} saw 4 entries on "
    assert witness(path, "list").output.startswith(said)
    (row,) = map(json.loads, witness(path, "list", "--json").output.splitlines())
    assert (row["name"], row["entries"], row["time"][:10]) == (WITNESS.name, 4, "2027-01-15")
    verified = journal("verify", path)
    assert verified.exit_code == 0
    assert any(each.startswith(said) for each in verified.output.splitlines())


def test_what_a_centre_or_a_witness_waits_for_is_listed_while_the_table_plays(path: Path) -> None:
    witness(path, "add", WITNESS.text(), "https://w.example")
    why = "https://w.example/ did not answer in full within 60 seconds."
    troubles = (
        SenderTrouble(sentence=WAITS, why="It is busy."),
        SenderTrouble(sentence=WITNESS_WAITS_SINCE, why=why, name=WITNESS.name, since_s=1_800_000_000),
    )
    keep_said(path, SenderSays(troubles=troubles))
    waits = f"Witness {WITNESS.name} has not answered since 2027-01-15 08:00:00 UTC: {why}"
    assert witness(path, "list").output.splitlines() == [
        f"{WITNESS.name} has cosigned nothing of it yet. It is asked at https://w.example/.",
        f"  {waits}",
        "The hand-over to the centre: Entries wait on this table and are not handed over: It is busy.",
    ]
    (row,) = map(json.loads, witness(path, "list", "--json").output.splitlines())
    assert row["trouble"] == waits


@pytest.mark.parametrize(
    "address", ["w.example", "ftp://w.example/", "http://", "http://w.example:x/", "http://w/?a=b"]
)
def test_an_address_that_is_none_is_refused(path: Path, address: str) -> None:
    refused = witness(path, "add", WITNESS.text(), address)
    assert refused.exit_code == 2
    assert refused.output == (
        f"ADDRESS: {address!a} is no address of a witness. Write one such as https://witness.example/.\n"
    )
    assert pinned(path) == ()


def test_a_wrong_key_is_refused(path: Path) -> None:
    refused = witness(path, "add", WITNESS.text()[:-3])
    assert refused.exit_code == 2
    assert refused.output.endswith("Copy it once more from where its owner publishes it.\n")
    assert pinned(path) == ()


def test_the_records_own_key_checks_its_checkpoint(path: Path) -> None:
    """Both are in C2SP's formats: the owner of a witness needs no program of this project."""
    key = read_vkey(witness(path, "key").output.strip())
    assert key == record_key(jn.head(path).device)
    printed = journal("head", path, "--checkpoint")
    note = read_note(printed.output.encode())
    assert is_signed(note, key)
    checkpoint = read_checkpoint(note.text)
    assert (checkpoint.origin, checkpoint.size, checkpoint.root) == (key.name, 6, jn.head(path).root)


def test_a_checkpoint_needs_the_tables_own_key(path: Path, tmp_path: Path) -> None:
    alone = tmp_path / "copy" / "journal.db"
    alone.parent.mkdir()
    alone.write_bytes(path.read_bytes())
    refused = journal("head", alone, "--checkpoint")
    assert refused.exit_code == 2
    assert refused.output == (
        f"{alone} (file) has no entry, or its key is not here: a checkpoint is signed with the table's own key. Name "
        "the journal where it is written, with its keys beside it.\n"
    )


def cosign_all(path: Path, time_s: int = 1_800_000_000) -> int:
    """Let the witness cosign all entries; return how many."""
    outbox = outbox_of(path)
    assert outbox is not None
    found = outbox.consistency(0, outbox.last())
    assert found is not None
    line = cosign(WITNESS_KEY, WITNESS.name, found[0].text, time_s)
    keep_cosigned(path, SignedNote(found[0].text, (*found[0].signatures, line)), WITNESS)
    return outbox.last()


def test_a_new_record_is_not_forked_by_what_a_witness_cosigned_of_the_one_that_was_put_aside(
    path: Path, tmp_path: Path
) -> None:
    """Journal and keys are moved away, as `play` advises; what lies beside them is left behind."""
    write(path, (*PLAY, ev.Ended()), "g2")
    witness(path, "add", WITNESS.text())
    cosign_all(path)
    head = jn.head(path)
    path.rename(tmp_path / "older.db")
    jn.keys_of(path).folder.rename(jn.keys_of(tmp_path / "older.db").folder)
    write(path, (*PLAY, ev.Ended()), "g3")
    assert cosigned_size(path, WITNESS) == 0
    assert not is_handed_over(path, WITNESS)
    verified = journal("verify", path)
    assert verified.exit_code == 0, verified.output
    assert verified.output.splitlines()[-1] == (
        f"{path}.cosigned: what {WITNESS.name} has cosigned there is of another record, of the device "
        f"{fingerprint(head.device)}, and says nothing of this one. If you began a new record here, put it beside the "
        "older one; if not, this record is not yours."
    )
    assert witness(path, "list").output == f"{WITNESS.name} has cosigned nothing of it yet.\n"
    size = cosign_all(path)
    assert cosigned_size(path, WITNESS) == size < head.size
    verified = journal("verify", path)
    assert verified.exit_code == 0
    assert f"{WITNESS.name} saw {size} entries on " in verified.output
    assert journal("verify", path, "--witness", head.text()).exit_code == 5


def test_a_record_that_was_rewritten_with_its_own_key_is_forked_by_what_the_witness_cosigned(path: Path) -> None:
    witness(path, "add", WITNESS.text())
    key = jn.keys_of(path).folder / "device.key"
    cosign_all(path)
    path.unlink()
    (key.parent / "last.head").unlink()
    notes = cosigned_folder(path).rename(path.with_name("kept"))  # beside these no record of fewer entries begins
    write(path, (*PLAY, ev.Ended()), "g3")
    notes.rename(cosigned_folder(path))
    assert journal("verify", path).exit_code == 5
