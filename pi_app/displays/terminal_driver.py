"""The terminal of a live screen. Textual's own driver ends at a wrong byte from the keyboard, spins when the terminal
is gone, and blocks the program when the terminal accepts nothing; this one goes on, ends, and can be stopped."""

from __future__ import annotations

import codecs
import contextlib
import errno
import os
import select
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TextIO

from textual.drivers import linux_driver

if TYPE_CHECKING:
    from textual.driver import Driver

WAITS_S: Final = 0.05
"""Poll interval, while the terminal accepts nothing, for a request to stop."""


def driver(is_stopping: Callable[[], bool]) -> type[Driver]:
    """Return the driver for an app. `is_stopping`, called in any thread: drop what the terminal does not accept."""

    class TerminalDriver(linux_driver.LinuxDriver):
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            self._file: Any = TerminalFile(self._file, is_stopping)

        def run_input_thread(self) -> None:
            """Read the keyboard until the screen or the terminal is closed."""
            vars(linux_driver)["getincrementaldecoder"] = lambda _: KeyDecoder  # the driver takes it from its module
            with contextlib.suppress(OSError):
                super().run_input_thread()
            if not self.exit_event.is_set():
                self._app.call_later(self._app.exit)

    return TerminalDriver


class KeyDecoder(codecs.getincrementaldecoder("utf-8")):  # type: ignore[misc]  # a class that codecs returns
    """Decodes what is typed; a byte that is not UTF-8 is a wrong letter."""

    def __init__(self) -> None:
        super().__init__(errors="replace")

    def decode(self, data: bytes, final: bool = False) -> str:
        """Raises OSError at the end of the input: the terminal was closed."""
        if not data and not final:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return str(super().decode(data, final))


class TerminalFile:
    """Writes to a terminal, never longer than until a request to stop, and never fails.

    It opens the terminal again, because only a description of its own may be non-blocking: the shell shares the other.
    """

    def __init__(self, file: TextIO, is_stopping: Callable[[], bool]) -> None:
        self._is_stopping = is_stopping
        self._encoding = file.encoding
        try:
            self._descriptor = os.open(os.ttyname(file.fileno()), os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
        except OSError:  # not this user's, as after su
            self._descriptor = os.dup(file.fileno())

    def fileno(self) -> int:
        return self._descriptor

    def write(self, text: str) -> None:
        """Write the text, or as much of it as the terminal accepts until a request to stop."""
        data = text.encode(self._encoding, errors="backslashreplace")
        with contextlib.suppress(OSError):
            while data:
                try:
                    data = data[os.write(self._descriptor, data) :]
                except BlockingIOError:
                    if self._is_stopping():
                        return
                    select.select([], [self._descriptor], [], WAITS_S)

    def flush(self) -> None:
        """Nothing is kept back."""
