"""The head that a device keeps beside its keys: what it says of a record's length, and what it does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_app.journal.record.heads import Head
from pi_app.journal.record.key_ring import LAST_HEAD, KeyRing
from pi_app.journal.record.keys import device_key
from pi_app.journal.record.last_head import KeptHead, cut_off, missing_entries, other_entries, read_kept

KEY, OTHER = device_key(b"k" * 32), device_key(b"o" * 32)
HEAD = Head.made(KEY, 9, bytes(32))


@pytest.mark.parametrize(
    ("device", "size", "missing"),
    [(KEY.public, 8, 1), (KEY.public, 9, 0), (KEY.public, 10, 0), (OTHER.public, 1, 0), (None, 0, 9)],
)
def test_it_counts_the_missing_entries_of_its_own_record(device: bytes | None, size: int, missing: int) -> None:
    assert missing_entries(HEAD, device, size) == missing
    assert missing_entries(None, device, size) == 0


@pytest.mark.parametrize(
    ("missing", "words"),
    [(1, "is missing"), (2, "is missing, and so is the one after it"), (9, "is missing, and so are the 8 after it")],
)
def test_what_is_missing_is_counted_in_words(missing: int, words: str) -> None:
    damage = cut_off(HEAD, missing)
    assert damage.seq == 10 - missing
    assert damage.seen == f"{words}: `last.head` beside the keys of this record knows 9 entries"


def test_other_entries_are_somewhere_up_to_its_own_number() -> None:
    assert other_entries(HEAD).seq == 9


def test_without_keys_nothing_is_said(tmp_path: Path) -> None:
    assert read_kept(KeyRing(tmp_path / "keys")) == KeptHead()
    assert KeptHead().hint(KEY.public) == ""


def test_it_is_read_as_it_was_kept(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path / "keys")
    ring.remember(HEAD.text())
    assert read_kept(ring) == KeptHead(HEAD)
    assert KeptHead(HEAD).hint(KEY.public) == KeptHead(HEAD).hint(None) == ""
    assert "it is of another device" in KeptHead(HEAD).hint(OTHER.public)


def test_a_folder_in_its_place_is_set_aside_too(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path / "keys")
    ring.device()
    (ring.folder / LAST_HEAD).mkdir()
    assert read_kept(ring).why_not.startswith("it could not be read")
    aside = ring.set_aside_remembered()
    assert aside == ring.folder / "last.head.damaged"
    assert read_kept(ring).why_not == "it is missing"
    assert ring.set_aside_remembered() is None, "there is nothing more to set aside"
