"""The cause of a refusal, and how often it is reported."""

from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path

import pytest

from pi_app.journal.disk_trouble import ADVICE, CALM_NS, OTHERWISE, Refusals, advice, refusal
from pi_app.journal.files import errno_of


def test_each_cause_has_an_advice_of_its_own() -> None:
    assert {number for number, told in ADVICE.items() if "space" in told} == {errno.ENOSPC, errno.EDQUOT}
    assert advice(None) == advice(errno.EXDEV) == OTHERWISE


def test_a_good_folder_accepts_a_small_file_and_keeps_nothing(tmp_path: Path) -> None:
    assert refusal(tmp_path) is None
    assert list(tmp_path.iterdir()) == []
    assert refusal(tmp_path / "missing") == errno.ENOENT


@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC, errno.EDQUOT])
def test_a_write_or_a_sync_that_fails_is_the_cause(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", fails)
    assert refusal(tmp_path) == number
    assert list(tmp_path.iterdir()) == []


def sqlite_error(code: int) -> sqlite3.Error:
    error = sqlite3.OperationalError("told")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    ("code", "number"),
    [
        (sqlite3.SQLITE_FULL, errno.ENOSPC),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, errno.EBUSY),
        (sqlite3.SQLITE_IOERR_WRITE, errno.EIO),
        (sqlite3.SQLITE_READONLY, errno.EACCES),
        (sqlite3.SQLITE_READONLY_DBMOVED, errno.ENOENT),
        (sqlite3.SQLITE_CANTOPEN, errno.EACCES),
        (sqlite3.SQLITE_NOMEM, errno.ENOMEM),
        (sqlite3.SQLITE_CORRUPT, None),
    ],
)
def test_sqlites_codes_as_errnos_on_a_folder_that_takes_files(code: int, number: int | None, tmp_path: Path) -> None:
    assert errno_of(sqlite_error(code), tmp_path / "journal.db") == number


def test_a_cause_is_new_once_and_over_once() -> None:
    refusals = Refusals()
    assert not refusals.is_over()
    assert [refusals.is_new("full", second) for second in range(60)] == [True] + [False] * 59
    assert refusals.is_new("fails", 60)
    assert [refusals.is_over(), refusals.is_over()] == [True, False]


def test_an_intermittent_disk_is_reported_once_a_minute() -> None:
    refusals, told = Refusals(), []
    for second in range(100):
        told.append(refusals.is_new("full", second * 1_000_000_000))
        told.append(refusals.is_over())
    assert told == [True, True] + [False] * 198
    later_ns = 99_000_000_000 + CALM_NS
    assert refusals.is_new("full", later_ns)
    assert refusals.is_over()


def test_a_refusal_of_one_event_is_always_reported() -> None:
    refusals = Refusals()
    assert [refusals.is_new("", second) for second in range(3)] == [True] * 3
    assert not refusals.is_over()
