"""The referee reads once that the disk with the keys was pulled, and once that it is back."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pi_app.journal.record.key_ring import KeyRing
from pi_app.play.key_notices import KeyNotices
from pi_app.text.language import words

GONE = (
    "keys ({0}): cannot be reached. The game goes on, because its key is in memory. Put the disk back before the next "
    "start."
)
BACK = "keys ({0}): can be reached again."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "j.db.keys"


def test_nothing_is_missing_before_the_first_game(folder: Path) -> None:
    notices = KeyNotices(KeyRing(folder), words("en"))
    assert notices.poll() == ()
    KeyRing(folder).device()
    assert notices.poll() == ()


def test_each_change_is_reported_once(folder: Path, tmp_path: Path) -> None:
    KeyRing(folder).device()
    notices = KeyNotices(KeyRing(folder), words("en"))
    assert notices.poll() == ()
    folder.rename(tmp_path / "pocket")
    assert [*notices.poll(), *notices.poll()] == [GONE.format(folder)]
    (tmp_path / "pocket").rename(folder)
    assert [*notices.poll(), *notices.poll()] == [BACK.format(folder)]


def test_a_pulled_disk_is_noticed_though_the_kernel_still_has_its_names(folder: Path, tmp_path: Path) -> None:
    KeyRing(folder).device()
    number = folder.stat().st_dev
    disk = tmp_path / "block" / f"{os.major(number)}:{os.minor(number)}"
    disk.mkdir(parents=True)
    notices = KeyNotices(KeyRing(folder), words("en"), tmp_path / "block")
    assert notices.poll() == ()
    disk.rmdir()
    assert [*notices.poll(), *notices.poll()] == [GONE.format(folder)]
    disk.mkdir()
    assert [*notices.poll(), *notices.poll()] == [BACK.format(folder)]
