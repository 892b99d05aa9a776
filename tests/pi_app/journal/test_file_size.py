"""The length of a file against the pages that its header counts."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pi_app.journal.file_size import cut_short, strange_size
from tests.pi_app.journal.keeping import WHOLE, write


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write(tmp_path / "journal.db", WHOLE)
    return tmp_path / "journal.db"


def put(path: Path, at: int, value: int, length: int = 4) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(value.to_bytes(length, "big"))


def test_a_journal_has_the_length_of_its_pages(path: Path) -> None:
    assert (strange_size(path), cut_short(path)) == ("", "")


def test_one_byte_more_is_strange_and_one_less_is_missing(path: Path) -> None:
    size = path.stat().st_size
    os.truncate(path, size + 1)
    assert strange_size(path).startswith(f"has {size + 1:,} bytes, and its header counts {size:,}")
    os.truncate(path, size - 1)
    assert (strange_size(path), cut_short(path)) == ("", f"{size - 1:,} of {size:,} bytes: the copy was cut short")


def test_while_the_log_has_pages_nothing_can_be_compared(path: Path) -> None:
    os.truncate(path, path.stat().st_size + 1)
    path.with_name(path.name + "-wal").write_bytes(bytes(32))
    assert (strange_size(path), cut_short(path)) == ("", "")


def test_a_number_of_pages_that_an_old_program_left_behind_does_not_count(path: Path) -> None:
    os.truncate(path, path.stat().st_size + 1)
    put(path, 92, 0)
    assert strange_size(path) == ""


def test_the_largest_page_is_written_as_one(path: Path) -> None:
    put(path, 16, 1, 2)
    put(path, 28, 2)
    assert cut_short(path).endswith("of 131,072 bytes: the copy was cut short")


def test_another_file_is_not_compared(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(b"x" * 500)
    assert (strange_size(path), cut_short(path), cut_short(tmp_path / "none")) == ("", "", "")
