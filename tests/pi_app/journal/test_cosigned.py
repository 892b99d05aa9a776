"""Witnesses are pinned beside a journal, and what they cosigned is kept, compared, and put aside with its record."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pi_app import journal as jn
from pi_app.game import events as ev
from pi_app.journal import Journal, JournalFileError
from pi_app.journal.cosigned import (
    MOST_PINNED,
    NOTES,
    WITNESSES,
    PinnedWitness,
    asks_witnesses,
    cosigned,
    cosigned_folder,
    keep_cosigned,
    pin,
    pinned,
    unpin,
    vouched_for,
)
from pi_app.journal.past import past_logs
from pi_app.journal.record.checkpoints import cosign, signed_checkpoint
from pi_app.journal.record.heads import head_in
from pi_app.journal.record.keys import DeviceKey, device_key
from pi_app.journal.record.merkle import root_of
from pi_app.journal.record.notes import COSIGNS, SIGNS_NOTES, SignedNote, VerifierKey
from pi_app.journal.record.verdict import RecordState
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.report.moment import NO_GAME
from tests.pi_app.games import started, turned

WITNESS_KEY, OTHER_KEY = device_key(b"w" * 32), device_key(b"o" * 32)
WITNESS = VerifierKey("witness.example/w1", COSIGNS, WITNESS_KEY.public)
OTHER = VerifierKey("witness.example/w2", COSIGNS, OTHER_KEY.public)


def a_game(path: Path, game: str = "g1") -> None:
    with Journal(path, MAGE_KNIGHT) as journal:
        moment = journal.append(game, NO_GAME, started())
        moment = journal.append(game, moment, turned("T01", 3, "ANN"))
        journal.append(game, moment, ev.Ended())


def seen_by(
    path: Path, size: int, *, time_s: int = 1_000, key: DeviceKey = WITNESS_KEY, name: str = WITNESS.name
) -> SignedNote:
    """What a witness cosigns of the first entries of a journal."""
    with jn.raw(path) as rows:
        leaves = [leaf for *_, leaf, _ in rows.rows() if isinstance(leaf, bytes)]
    device = jn.keys_of(path).known_device()
    assert device is not None
    note = signed_checkpoint(device, size, root_of(leaves[:size]))
    return SignedNote(note.text, (*note.signatures, cosign(key, name, note.text, time_s)))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "journal.db"
    a_game(path)
    return path


def test_witnesses_are_pinned_replaced_and_forgotten(path: Path) -> None:
    assert pinned(path) == ()
    pin(path, PinnedWitness(key=WITNESS.text()))
    pin(path, PinnedWitness(key=OTHER.text(), address="https://w2.example/"))
    pin(path, PinnedWitness(key=WITNESS.text(), address="https://w1.example/"))
    assert [(each.verifier, each.address) for each in pinned(path)] == [
        (OTHER, "https://w2.example/"),
        (WITNESS, "https://w1.example/"),
    ]
    assert unpin(path, OTHER.name)
    assert not unpin(path, OTHER.name)
    assert [each.verifier for each in pinned(path)] == [WITNESS]


def test_the_key_of_a_log_is_no_key_of_a_witness(path: Path) -> None:
    log_key = VerifierKey("example.com/log", SIGNS_NOTES, WITNESS.public)
    with pytest.raises(ValueError, match="it is the key of a log, and not that of a witness"):
        pin(path, PinnedWitness(key=log_key.text()))
    assert pinned(path) == ()


def test_there_are_not_too_many_witnesses(path: Path) -> None:
    for number in range(MOST_PINNED):
        pin(path, PinnedWitness(key=VerifierKey(f"w{number}", COSIGNS, WITNESS.public).text()))
    with pytest.raises(ValueError, match="16 witnesses are pinned, and there can be no more"):
        pin(path, PinnedWitness(key=WITNESS.text()))


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b'{"witnesses":[{"key":"x"}]}', b"\xff", b"[" * 9_000, b" " * 2_000_000]
)
def test_damaged_witnesses_are_not_taken_for_none(path: Path, data: bytes) -> None:
    path.with_name(path.name + WITNESSES).write_bytes(data)
    with pytest.raises(
        JournalFileError, match=r"has no witnesses that can be read .* or delete it and pin the witnesses"
    ):
        pinned(path)


def test_a_witness_with_an_address_is_asked_and_a_damaged_file_is_not_passed_over(path: Path) -> None:
    assert not asks_witnesses(path)
    pin(path, PinnedWitness(key=WITNESS.text()))
    assert not asks_witnesses(path)
    pin(path, PinnedWitness(key=WITNESS.text(), address="https://w1.example/"))
    assert asks_witnesses(path)
    path.with_name(path.name + WITNESSES).write_bytes(b"{")
    assert asks_witnesses(path)


def test_a_restored_backup_is_not_played_on_where_its_witnesses_have_more(path: Path, tmp_path: Path) -> None:
    """Its keys were restored with it, so `last.head` is as old: a centre would get two histories of an honest table."""
    keys = jn.keys_of(path).folder
    shutil.copytree(keys, tmp_path / "keys")
    older = path.read_bytes()
    a_game(path, "g2")
    assert keep_cosigned(path, seen_by(path, 6), WITNESS)
    path.write_bytes(older)
    shutil.rmtree(keys)
    shutil.copytree(tmp_path / "keys", keys)
    with pytest.raises(JournalFileError) as refused:
        Journal(path, MAGE_KNIGHT)
    assert str(refused.value) == (
        f"{path} (file) has 3 entries, and its witnesses have cosigned 6 of them. It is an older copy. Put the newer "
        "file back, or play into another file with --journal."
    )
    assert path.read_bytes() == older


@pytest.mark.parametrize("data", [b"", b"{", b'{"notes":["x"]}', b"\xff", b"[" * 9_000])
def test_damaged_cosignatures_are_none(path: Path, data: bytes) -> None:
    cosigned_folder(path).mkdir()
    (cosigned_folder(path) / NOTES).write_bytes(data)
    assert cosigned(path) == ()
    assert keep_cosigned(path, seen_by(path, 2), WITNESS)
    assert len(cosigned(path)) == 1


def test_of_each_witness_the_newest_is_kept(path: Path) -> None:
    assert keep_cosigned(path, seen_by(path, 2, time_s=1_000), WITNESS)
    assert keep_cosigned(path, seen_by(path, 1, key=OTHER_KEY, name=OTHER.name), OTHER)
    assert not keep_cosigned(path, seen_by(path, 1, time_s=2_000), WITNESS), "an older size"
    assert not keep_cosigned(path, seen_by(path, 2, time_s=2_000), WITNESS), "the first time counts"
    assert keep_cosigned(path, seen_by(path, 3, time_s=3_000), WITNESS)
    said = list(vouched_for(cosigned(path), [WITNESS, OTHER]))
    assert [(each.witness, each.head.size, each.time_s) for each in said] == [
        (WITNESS.name, 3, 3_000),
        (OTHER.name, 1, 1_000),
    ]


def test_only_what_the_witness_and_the_device_have_signed_is_kept(path: Path) -> None:
    note = seen_by(path, 2)
    with pytest.raises(ValueError, match=r"witness.example/w2 has not cosigned it"):
        keep_cosigned(path, note, OTHER)
    text = note.text.replace("\n2\n", "\n3\n")
    made_up = SignedNote(text, (note.signatures[0], cosign(WITNESS_KEY, WITNESS.name, text, 1_000)))
    with pytest.raises(ValueError, match="its device has not signed it"):
        keep_cosigned(path, made_up, WITNESS)
    assert cosigned(path) == ()


def test_entries_that_were_written_anew_with_the_devices_key_are_found(path: Path, tmp_path: Path) -> None:
    """The hole that a stolen key leaves: everything is signed, and only the witness knows better."""
    notes = [seen_by(path, 3)]
    keys = tmp_path / "stolen"
    jn.keys_of(path).folder.rename(keys)
    path.unlink()
    keys.rename(jn.keys_of(path).folder)
    (jn.keys_of(path).folder / "last.head").unlink()
    a_game(path, "g2")
    assert jn.verify(path).state is RecordState.WHOLE
    heads = [each.head for each in vouched_for(notes, [WITNESS])]
    verdict = jn.verify(path, heads)
    assert verdict.state is RecordState.FORKED
    assert verdict.against == (
        "Witness 1 saw 3 entries: other ones than stand here. Something from entry 1 to 3 was changed.",
    )


def test_cosignatures_go_with_the_record_that_is_put_aside(path: Path) -> None:
    keep_cosigned(path, seen_by(path, 3), WITNESS)
    pin(path, PinnedWitness(key=WITNESS.text()))
    with Journal(path, MAGE_KNIGHT) as journal:
        assert journal.begin_new_log()
        assert cosigned(path) == ()
    (past,) = past_logs(path)
    (note,) = cosigned(past)
    assert head_in(note).size == 3
    assert jn.verify(past, [head_in(note)]).good_until == 3
    assert [each.verifier for each in pinned(path)] == [WITNESS], "the witnesses stay with the journal"
    assert [each.verifier for each in pinned(past)] == [WITNESS], "and are those of its past records"
    pin(past, PinnedWitness(key=OTHER.text()))
    assert [each.verifier for each in pinned(past)] == [WITNESS, OTHER]
    assert [each.verifier for each in pinned(path)] == [WITNESS]
