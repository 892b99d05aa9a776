"""Signed notes, with the examples of the specification and of the Go library that defined the format."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from pi_app.journal.record.keys import signed_by
from pi_app.journal.record.notes import (
    COSIGNS,
    MOST_SIGNATURES,
    SIGNS_NOTES,
    NoteSignature,
    SignedNote,
    VerifierKey,
    read_note,
    read_vkey,
    signatures_of,
)

SPECIFIED = (
    "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k",
    "This is an example message.\n\n"
    "— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72Iney"
    "aQM=\n",
)
"""The example of C2SP signed-note."""

GO = (
    "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
    "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n\n"
    "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n",
)
"""The example of Go's golang.org/x/mod/sumdb/note."""


@pytest.mark.parametrize(("vkey", "text"), [SPECIFIED, GO])
def test_the_examples_of_others_are_read_and_written_again(vkey: str, text: str) -> None:
    key, note = read_vkey(vkey), read_note(text.encode())
    assert (key.kind, key.text(), note.written()) == (SIGNS_NOTES, vkey, text)
    (signature,) = signatures_of(note.signatures, key)
    assert signed_by(key.public, note.text.encode(), signature.data)


@pytest.mark.parametrize(
    ("vkey", "reason"),
    [
        ("", "'' is no name of a key"),
        ("a b+530d903a+Aeky", "'a b' is no name of a key"),
        ("a+530d903a+!", "the key is no base64"),
        ("a+530d903a+Aeky", "it is no Ed25519 key"),
        (
            SPECIFIED[0].replace("530d903a", "530d903b"),
            "its id is '530d903b', and that of this name and key is 530d903a",
        ),
        (SPECIFIED[0].replace("example.com", "example.org"), "a letter is wrong"),
    ],
)
def test_what_is_no_key_is_refused_with_the_reason(vkey: str, reason: str) -> None:
    with pytest.raises(ValueError, match=f"^.*{reason}"):
        read_vkey(vkey)


LINE = SPECIFIED[1].partition("\n\n")[2]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "no empty line"),
        (b"text\n", "no empty line"),
        (b"\n\n" + LINE.encode(), "no empty line stands between a text and signatures"),
        (b"text\n\n", "its last line is no signature"),
        (b"text\n\n" + LINE.encode().rstrip(), "its last line is no signature that ends in a newline"),
        (b"te\rxt\n\n" + LINE.encode(), "a control character"),
        (b"te\xffxt\n\n" + LINE.encode(), "byte 2 is no UTF-8"),
        (b"text\n\n- a b\n", "a line is no signature: '- a b'"),
        ("text\n\n— a AAAAAA==\n".encode(), "a signature is too short"),
        ("text\n\n— a AAAAAAB=\n".encode(), "no base64 as it must be written"),
        ("text\n\n— a+b AAAAAAA=\n".encode(), "no name of a key"),
        (b"text\n\n" + (MOST_SIGNATURES + 1) * LINE.encode(), "65 signatures, and at most 64"),
        (b"x" * 400_001, "at most 400,000 bytes"),
    ],
)
def test_what_is_no_note_is_refused_with_the_reason(data: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_note(data)


def test_the_last_empty_line_ends_the_text() -> None:
    note = read_note(f"a\n\nb\n\n{LINE}".encode())
    assert note.text == "a\n\nb\n"


names = some.text(some.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Zs", "Zl", "Zp")), min_size=1).filter(
    lambda name: "+" not in name and len(name) < 60 and not any(each.isspace() for each in name)
)
signatures = some.builds(
    NoteSignature, names, some.binary(min_size=4, max_size=4), some.binary(min_size=1, max_size=80)
)
texts = some.text(some.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1).map(
    lambda text: text + "\n"
)


@given(some.builds(SignedNote, texts, some.lists(signatures, min_size=1, max_size=20).map(tuple)))
def test_every_note_is_read_as_it_was_written(note: SignedNote) -> None:
    assert read_note(note.written().encode()) == note


@given(names, some.sampled_from([SIGNS_NOTES, COSIGNS]), some.binary(min_size=32, max_size=32))
def test_every_key_is_read_as_it_was_written(name: str, kind: int, public: bytes) -> None:
    key = VerifierKey(name, kind, public)
    assert read_vkey(key.text()) == key


@given(some.binary(max_size=300))
def test_bytes_are_a_note_or_a_reason(data: bytes) -> None:
    try:
        note = read_note(data)
    except ValueError as error:
        reason = str(error)
    else:
        reason = "" if note.written().encode() == data else "written in another way"
    assert reason.isprintable()
    assert reason != "written in another way"
