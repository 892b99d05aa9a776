"""The doctor's check of the folder with the journal's keys."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pi_app import journal as jn
from pi_app.journal.record import passphrase
from pi_app.journal.record.key_ring import ring_at
from pi_app.settings.model import Settings
from pi_app.settings.record_section import RecordSettings
from pi_app.workshop.doctor.keys import examine_keys
from tests.pi_app.workshop.doctor.looking import SMALL


def told(folder: Path, keys: Path | None = None) -> list[str]:
    record = RecordSettings(keys="" if keys is None else str(keys))
    settings: Settings = replace(SMALL, where=str(folder / "trapdial.toml"), record=record)
    return [str(check) for check in examine_keys(settings)]


@pytest.fixture
def beside(tmp_path: Path) -> Path:
    return tmp_path / "journal.db.keys"


def test_keys_that_are_not_there_yet_are_in_a_safe_place(tmp_path: Path) -> None:
    assert told(tmp_path) == [
        f"ok  keys ({tmp_path}): no other user can replace the keys that the first game makes here"
    ]
    assert told(tmp_path / "none") == []


def test_keys_are_private_and_the_passphrase_is_not_asked_for(
    tmp_path: Path, beside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passphrase, "MEMORY_BYTES", 8192)
    ring = jn.keys_of(tmp_path / "journal.db")
    ring.device()
    assert told(tmp_path) == [f"ok  keys ({beside}): no other user can read or replace them; not encrypted"]
    ring.set_passphrase("five words of a table")
    passphrase.forget()
    assert told(tmp_path) == [
        f"ok  keys ({beside}): no other user can read or replace them; encrypted with a passphrase"
    ]


@pytest.mark.parametrize("wide", ["folder", "parent", "neither"])
def test_what_others_can_use_fails_with_the_command_that_mends_it(tmp_path: Path, beside: Path, wide: str) -> None:
    jn.keys_of(tmp_path / "journal.db").device()
    mend = {"folder": beside, "parent": tmp_path}.get(wide)
    if mend is None:
        beside.rename(tmp_path / "away")
        beside.write_text("")
        assert told(tmp_path) == [f"!!  keys ({beside}): is not a folder. Move it away; it holds no keys."]
        return
    mend.chmod(0o777)
    (line,) = told(tmp_path)
    assert line.startswith(f"!!  keys ({mend}): can be written by other users (mode 777)")
    assert line.endswith(f"Type: chmod {'700' if wide == 'folder' else 'go-w'} {mend}.")


def test_a_missing_stick_fails_and_one_disk_for_both_is_to_be_checked(tmp_path: Path, beside: Path) -> None:
    stick = tmp_path / "stick"
    assert told(tmp_path, stick) == [
        f"!!  keys ({stick}): is not there. Plug in and mount the disk with the keys, then try again."
    ]
    stick.mkdir()
    there = ring_at(stick / beside.name, beside)
    there.create()
    jn.keys_of(tmp_path / "journal.db").point_to(there.folder)
    jn.keys_of(tmp_path / "journal.db").device()
    assert told(tmp_path, stick) == [
        f"??  keys ({stick}): is on the same disk as the journal: a copy of that disk has both. Name a folder on "
        "another disk in the settings, [record] keys.",
        f"ok  keys ({stick}/journal.db.keys): no other user can read or replace them; not encrypted",
    ]
    stick.rename(tmp_path / "pocket")
    stick.mkdir()
    assert told(tmp_path, stick) == [
        f"!!  keys ({stick}/journal.db.keys): is not there, and it has the keys. Plug in and mount the disk with the "
        "keys, then try again."
    ]
