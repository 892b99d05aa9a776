"""A terminal without a window: it runs a program, types its keys, and reads and draws its
screen."""

from __future__ import annotations

import contextlib
import fcntl
import io
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import pyte
from pyte.screens import Char
from rich.console import Console
from rich.style import Style
from rich.text import Text

from tests.docs.terminal_svg import self_contained

SIZE: Final = (80, 24)
_SECOND_PAGE: Final = 1049
_DEFAULT: Final = "default"
_RICH_NAMES: Final = {"brown": "yellow", _DEFAULT: _DEFAULT}
"""Names of colours that pyte and Rich spell differently; bright colours are one word in pyte."""


class _Screen(pyte.Screen):
    """A screen with the second page that full-screen programs draw on, which pyte does not have."""

    def set_mode(self, *modes: int, **kwargs: object) -> None:
        super().set_mode(*modes, **kwargs)
        if kwargs.get("private") and _SECOND_PAGE in modes:
            self._first_page = {row: dict(line) for row, line in self.buffer.items()}
            self._cursor = (self.cursor.x, self.cursor.y)
            self.erase_in_display(2)

    def reset_mode(self, *modes: int, **kwargs: object) -> None:
        super().reset_mode(*modes, **kwargs)
        if kwargs.get("private") and _SECOND_PAGE in modes:
            self.erase_in_display(2)
            for row, line in self._first_page.items():
                self.buffer[row].update(line)
            self.cursor.x, self.cursor.y = self._cursor
            self.dirty.update(range(self.lines))


class Terminal:
    """A program on a terminal of its own. Use it as a context manager: leaving it ends the program."""

    def __init__(
        self, command: Sequence[str], folder: Path, environment: Mapping[str, str], size: tuple[int, int] = SIZE
    ) -> None:
        """`size`: columns and rows. The environment's own COLUMNS and LINES are not passed on."""
        columns, rows = size
        environment = {name: value for name, value in environment.items() if name not in ("COLUMNS", "LINES")}
        self._screen = _Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self._unread = b""
        self._hung_up = False
        self._ours, theirs = pty.openpty()
        self._name = os.ttyname(theirs)
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self._program = subprocess.Popen(
            command,
            cwd=folder,
            env={**environment, "TERM": "xterm-256color", "COLORTERM": "truecolor"},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._program.pid, signal.SIGKILL)
        self._program.wait()
        if not self._hung_up:
            os.close(self._ours)

    @property
    def text(self) -> str:
        """The words on the screen, with one space between two words and at the end of a row."""
        return " ".join(" ".join(self._screen.display).split())

    @property
    def pid(self) -> int:
        """The number of the program's process."""
        return self._program.pid

    @property
    def title(self) -> str:
        """The title that the program gave the window."""
        return self._screen.title

    @property
    def letters(self) -> str:
        """All letters on the screen without spaces: a terminal breaks long words at the end of a row."""
        return "".join(self.text.split())

    def type(self, keys: str) -> None:
        self.send(keys.encode())

    def send(self, data: bytes) -> None:
        """Type bytes, whatever they are."""
        os.write(self._ours, data)

    def wait_for(self, words: str, *, at_most_s: float = 60) -> None:
        """Read the program's output until these words are on the screen."""
        end = time.monotonic() + at_most_s
        while words not in self.text:
            assert self._read(end), f"never shown: {words!r}\n{self}"

    def settle(self) -> None:
        """Read the rest of what the program draws now: until it pauses, or for a second if it never does."""
        end = time.monotonic() + 1
        while time.monotonic() < end and self._read(time.monotonic() + 0.2):
            pass

    def wait(self, *, at_most_s: float = 60) -> int:
        """Read the program's output until it ends; return its exit code."""
        end = time.monotonic() + at_most_s
        while self._read(end):
            pass
        assert time.monotonic() < end, f"it goes on:\n{self}"
        return self._program.wait()

    def hang_up(self, *, at_most_s: float = 60) -> int:
        """Close the terminal without a signal; return the program's exit code."""
        os.close(self._ours)
        self._hung_up = True
        return self._program.wait(at_most_s)

    def fill(self) -> None:
        """Read nothing any more, and fill the terminal until it accepts no more output."""
        theirs = os.open(self._name, os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
        try:
            with contextlib.suppress(BlockingIOError):
                while True:
                    os.write(theirs, b" " * 4096)
        finally:
            os.close(theirs)

    def wait_unread(self, *, at_most_s: float = 60) -> int:
        """Read nothing; return the program's exit code."""
        return self._program.wait(at_most_s)

    def _read(self, end: float) -> bool:
        """Put one more line on the screen, so that none scrolls away unseen, or what there is of one. Return False if
        the time is over or the program has closed the terminal."""
        if not self._unread:
            ready, _, _ = select.select([self._ours], [], [], max(0.0, end - time.monotonic()))
            with contextlib.suppress(OSError):  # Linux: the other end is closed
                self._unread = os.read(self._ours, 1 << 16) if ready else b""
        line, newline, self._unread = self._unread.partition(b"\n")
        self._stream.feed(line + newline)
        return bool(line + newline)

    def __str__(self) -> str:
        return "\n".join(row.rstrip() for row in self._screen.display)

    def draw(self, file: Path) -> None:
        """Write the screen as an SVG."""
        wide, rows = self._screen.columns, self._screen.lines
        console = Console(record=True, width=wide, file=io.StringIO(), force_terminal=True, color_system="truecolor")
        for row in range(rows):
            console.print(Text.assemble(*self._runs(row)), no_wrap=True, crop=True)
        file.write_text(self_contained(console.export_svg(title=file.stem)), encoding="utf-8")

    def _runs(self, row: int) -> Iterator[tuple[str, Style]]:
        """Yield the cells of a row: neighbours of the same style together."""
        line = self._screen.buffer[row]
        for style, cells in groupby((line[column] for column in range(self._screen.columns)), key=_style):
            yield "".join(cell.data for cell in cells), style


def _style(cell: Char) -> Style:
    return Style(
        color=_colour(cell.fg),
        bgcolor=_colour(cell.bg),
        bold=cell.bold,
        italic=cell.italics,
        underline=cell.underscore,
        reverse=cell.reverse,
    )


def _colour(name: str) -> str:
    if len(name) == 6 and set(name) <= set("0123456789abcdef"):
        return f"#{name}"
    plain = name.removeprefix("bright")
    bright = "bright_" if plain != name else ""
    return bright + _RICH_NAMES.get(plain, plain)
