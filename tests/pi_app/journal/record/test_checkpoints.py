"""Checkpoints and cosignatures, with the examples of the specifications."""

from __future__ import annotations

import base64
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as some

from pi_app.journal.record.checkpoints import (
    ORIGIN,
    Checkpoint,
    cosign,
    cosigned_at,
    device_of,
    is_signed,
    origin_of,
    read_checkpoint,
    read_hash,
    read_size,
    record_key,
    signed_checkpoint,
)
from pi_app.journal.record.heads import Head, is_last, last_signature
from pi_app.journal.record.keys import device_key
from pi_app.journal.record.notes import COSIGNS, SIGNS_NOTES, NoteSignature, SignedNote, VerifierKey, read_note

SPECIFIED = (
    "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n"
    "— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+x"
    "eMcTOAYQ8=\n"
    "— witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+m"
    "bIUBkBIfZ+qnA==\n"
)
"""The example of C2SP tlog-cosignature."""

ANN, BEN = device_key(bytes(32)), device_key(bytes(range(32)))
ROOT = bytes(range(32))
WITNESS = VerifierKey("witness.example/w1", COSIGNS, BEN.public)


def test_the_example_of_the_specification_is_read_and_written_again() -> None:
    note = read_note(SPECIFIED.encode())
    checkpoint = read_checkpoint(note.text)
    assert (checkpoint.origin, checkpoint.size) == ("example.com/behind-the-sofa", 20_852_163)
    assert (checkpoint.body(), note.written()) == (note.text, SPECIFIED)
    time_s = int.from_bytes(note.signatures[1].data[:8], "big")
    assert time_s == 1_679_315_147, "the time that the specification shows"


def test_a_record_signs_its_own_checkpoints() -> None:
    note = signed_checkpoint(ANN, 12, ROOT)
    assert note.text == f"{ORIGIN}{ANN.public.hex()}\n12\n{base64.b64encode(ROOT).decode()}\n"
    assert is_signed(note, record_key(ANN.public))
    assert not is_signed(note, record_key(BEN.public))
    assert not is_signed(SignedNote(note.text.replace("12", "13"), note.signatures), record_key(ANN.public))
    assert device_of(origin_of(ANN.public)) == ANN.public


@pytest.mark.parametrize(
    "origin", ["", ORIGIN, ORIGIN + "ab", ORIGIN + "A" * 64, ORIGIN + "0" * 65, "x" + ORIGIN + "0" * 64]
)
def test_an_origin_of_another_program_is_no_device(origin: str) -> None:
    assert device_of(origin) is None


def test_no_other_signature_of_a_device_serves_for_its_checkpoint() -> None:
    note, head = signed_checkpoint(ANN, 12, ROOT), Head.made(ANN, 12, ROOT)
    own = note.signatures[0]
    for other in (head.signature, last_signature(ANN, 12, ROOT)):
        assert not is_signed(SignedNote(note.text, (replace(own, data=other),)), record_key(ANN.public))
    assert not is_last(ANN.public, 12, ROOT, own.data), "nor the other way round: it cannot end a record"


def test_a_wrong_signature_under_the_records_name_spoils_the_right_one() -> None:
    note = signed_checkpoint(ANN, 12, ROOT)
    wrong = replace(note.signatures[0], data=bytes(64))
    assert not is_signed(SignedNote(note.text, (*note.signatures, wrong)), record_key(ANN.public))
    assert is_signed(SignedNote(note.text, (replace(wrong, key_id=b"else"), *note.signatures)), record_key(ANN.public))


@given(some.integers(1, 2**63 - 1), some.integers(0, 2**63 - 1), some.binary(min_size=32, max_size=32))
def test_a_cosignature_tells_when(time_s: int, size: int, root: bytes) -> None:
    note = signed_checkpoint(ANN, size, root)
    line = cosign(BEN, WITNESS.name, note.text, time_s)
    both = read_note(SignedNote(note.text, (*note.signatures, line)).written().encode())
    assert cosigned_at(both, WITNESS) == time_s
    assert is_signed(both, record_key(ANN.public))


def test_a_cosignature_is_of_one_witness_one_time_and_one_checkpoint() -> None:
    note = signed_checkpoint(ANN, 12, ROOT)
    line = cosign(BEN, WITNESS.name, note.text, 1_000)

    def when(text: str, each: NoteSignature, witness: VerifierKey = WITNESS) -> int | None:
        return cosigned_at(SignedNote(text, (each,)), witness)

    assert when(note.text, line) == 1_000
    assert when(note.text.replace("12", "13"), line) is None
    assert when(note.text, replace(line, data=(1_001).to_bytes(8, "big") + line.data[8:])) is None
    assert when(note.text, replace(line, name="witness.example/w2")) is None
    assert when(note.text, line, VerifierKey(WITNESS.name, COSIGNS, ANN.public)) is None
    assert when(note.text, line, VerifierKey(WITNESS.name, SIGNS_NOTES, BEN.public)) is None
    assert when(note.text, replace(line, data=line.data + b"\0")) is None


def test_of_two_times_the_earlier_one_counts_and_a_wrong_line_spoils_both() -> None:
    note = signed_checkpoint(ANN, 12, ROOT)
    lines = tuple(cosign(BEN, WITNESS.name, note.text, time_s) for time_s in (2_000, 1_000))
    assert cosigned_at(SignedNote(note.text, lines), WITNESS) == 1_000
    wrong = replace(lines[0], data=lines[0].data[:-1] + b"\0")
    assert cosigned_at(SignedNote(note.text, (*lines, wrong)), WITNESS) is None


@pytest.mark.parametrize("time_s", [0, -1, 2**63])
def test_a_time_that_none_may_be_is_not_signed(time_s: int) -> None:
    with pytest.raises(ValueError, match="is no time of a cosignature"):
        cosign(BEN, WITNESS.name, "a\n1\n", time_s)


@pytest.mark.parametrize("text", ["", "-1", "+1", "01", "1 ", "１", "1_0", "0x1", str(2**63), "9" * 40])
def test_what_is_no_number_of_entries_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no number of entries"):
        read_size(text)


@pytest.mark.parametrize("text", ["", "AAAA", "!" * 44, "A" * 43, base64.b64encode(bytes(33)).decode()])
def test_what_is_no_hash_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no"):
        read_hash(text)


def test_a_checkpoint_may_have_more_lines_but_no_empty_one() -> None:
    body = Checkpoint("a", 0, ROOT, ("more", "lines")).body()
    assert read_checkpoint(body).extensions == ("more", "lines")
    for wrong in ("a\n1\n", body.replace("more", ""), ""):
        with pytest.raises(ValueError, match="three lines at least"):
            read_checkpoint(wrong)
