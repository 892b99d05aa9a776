"""Lines for a terminal that is closed, paused or full: they block and end nothing."""

from __future__ import annotations

import contextlib
import errno
import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import pytest

from pi_app.cli.terminal import KEPT_LINES, Terminal


@pytest.fixture
def pipe() -> Iterator[tuple[int, TextIO]]:
    read, write = os.pipe()
    with open(write, "w", encoding="utf-8", closefd=False) as out:
        yield read, out
    for each in (read, write):
        with contextlib.suppress(OSError):
            os.close(each)


def test_public_and_referee_are_printed_and_nobody_else() -> None:
    out = io.StringIO()
    with Terminal(out) as terminal:
        for viewer in ("public", "referee", "seat ANN", "log"):
            terminal.told(viewer, "a line", 0)
        terminal.say("as it is")
    assert out.getvalue() == "public   | a line\nreferee  | a line\nas it is\n"


def test_a_closed_pipe_is_one_word_on_standard_error(
    pipe: tuple[int, TextIO], capsys: pytest.CaptureFixture[str]
) -> None:
    read, out = pipe
    os.close(read)
    terminal = Terminal(out)
    for number in range(100):
        terminal.say(f"line {number}")
        while terminal._lines:
            pass
    terminal.close()
    terminal.say("one more")
    terminal.close()
    assert capsys.readouterr().err == (
        "Standard output was closed (Broken pipe). Play continues without it; Ctrl-C or SIGTERM ends it.\n"
    )


def test_a_paused_output_waits_for_nobody_and_loses_nothing(pipe: tuple[int, TextIO]) -> None:
    read, out = pipe
    terminal = Terminal(out)
    for number in range(KEPT_LINES):
        terminal.say(f"{number:099}")
    taken = b""
    while taken.count(b"\n") < KEPT_LINES:
        taken += os.read(read, 1 << 16)
    terminal.close()
    assert taken.splitlines() == [f"{number:099}".encode() for number in range(KEPT_LINES)]


def test_a_pipe_that_does_not_wait_is_waited_for(pipe: tuple[int, TextIO]) -> None:
    read, out = pipe
    os.set_blocking(out.fileno(), False)
    terminal = Terminal(out)
    for _ in range(2000):
        terminal.say("x" * 99)
    taken = b""
    while len(taken) < 200_000:
        taken += os.read(read, 1 << 16)
    terminal.close()
    assert taken == (b"x" * 99 + b"\n") * 2000


class Refusing(io.StringIO):
    """A file on a disk that is full at first."""

    refused = 2

    def flush(self) -> None:
        if self.refused and self.getvalue():
            self.refused -= 1
            self.truncate(0)
            self.seek(0)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_is_told_once_and_written_again_when_it_takes_lines(capsys: pytest.CaptureFixture[str]) -> None:
    out = Refusing()
    terminal = Terminal(out)
    for _ in range(4):
        terminal.say("line")
        while terminal._lines:
            pass
    terminal.close()
    assert "line\n" in out.getvalue()
    assert capsys.readouterr().err == (
        "Standard output cannot be written (No space left on device). Play continues; lines are lost until it can be "
        "written again.\n"
    )


def test_no_output_at_all(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sys.stdout", None)
    with Terminal() as terminal:
        terminal.say("nobody reads it")
