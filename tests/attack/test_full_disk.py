"""A disk that is full from the start, or at any of the first writes: the right cause is named, in one line, no bug
comes of it, and the exit code says that the game was not recorded.

Small file systems are real where a test may mount one; elsewhere a stand-in refuses each write from one on.
"""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner, Result

from pi_app import journal as jn
from pi_app.cli.main import main
from pi_app.journal.record.verdict import RecordState
from pi_app.text import exit_codes
from tests.crash.disk import Made, Op, Written
from tests.crash.recorder import recording

FULL: Final = "(No space left on device)"
KILOBYTES: Final = (4, 32, 40, 48, 52, 64, 96, 160)
"""From no room for SQLite's index to room for a game and a few turns."""


def play(journal: Path, exposes: int = 2) -> Result:
    return CliRunner().invoke(main, ["demo", "--auto", "--exposes", str(exposes), "--journal", str(journal)])


def judge(result: Result) -> None:
    """Check what was printed of a game whose disk refused it."""
    assert result.exit_code == exit_codes.UNUSABLE, result.output
    (line,) = result.stderr.splitlines()
    assert FULL in line
    assert "Free some space on its disk" in line
    assert sum("Not recorded: wait" in printed for printed in result.stdout.splitlines()) <= 1
    assert sum("No space left" in printed for printed in result.stdout.splitlines()) <= 1, result.stdout


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A folder for a small file system, unmounted at the end."""
    folder = tmp_path / "small"
    folder.mkdir()
    yield folder
    subprocess.run(["umount", folder], capture_output=True, check=False)


def mount(folder: Path, kilobytes: int) -> None:
    command = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(folder)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")


@pytest.mark.slow
@pytest.mark.parametrize("kilobytes", KILOBYTES)
def test_a_game_on_a_small_disk_says_that_it_is_full_and_plays_once_there_is_room(small: Path, kilobytes: int) -> None:
    mount(small, kilobytes)
    journal = small / "journal.db"
    judge(play(journal, exposes=5))
    assert not journal.with_name("journal.db-wal").exists() or journal.exists()
    subprocess.run(["mount", "-o", "remount,size=4m", small], check=True)
    result = play(journal)
    assert result.exit_code == 0, result.output
    assert jn.verify(journal).state in (RecordState.WHOLE, RecordState.INTERRUPTED)


@dataclass
class FullFrom:
    """A disk that is full from one of its writes on. `asked`: how many there were."""

    first: int
    asked: int = 0

    def __call__(self, op: Op) -> None:
        if isinstance(op, Made | Written):
            self.asked += 1
            if self.asked > self.first:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def play_on(folder: Path, first: int) -> tuple[Result, FullFrom]:
    folder.mkdir()
    disk = FullFrom(first)
    with recording(folder, disk):
        return play(folder / "journal.db"), disk


WRITES: Final = 130
"""More than a game of two exposed squares has."""

EACH: Final = 24
"""At each of so many writes is a disk full, and then at every sixth."""


@pytest.mark.slow
def test_a_disk_that_is_full_from_any_of_the_first_writes_on(tmp_path: Path) -> None:
    result, disk = play_on(tmp_path / "well", 10**9)
    assert result.exit_code == 0, result.output
    assert 40 < disk.asked < WRITES
    for first in (*range(EACH), *range(EACH, disk.asked, 6)):
        folder = tmp_path / str(first)
        result, _ = play_on(folder, first)
        if result.exit_code == 0:  # what was refused came after the game
            assert jn.verify(folder / "journal.db").state is RecordState.WHOLE
            assert first > disk.asked - 20
            continue
        judge(result)
        if first % 4 == 0:
            assert play(folder / "journal.db").exit_code == 0, first
