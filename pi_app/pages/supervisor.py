"""Starts the page process, and starts it again when it has ended, in a thread of its own: the loop does not wait."""

from __future__ import annotations

import contextlib
import os
import queue
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from pi_app.text.child_environment import child_environment

FIRST_PAUSE: Final = 0.2
LONGEST_PAUSE: Final = 30.0
LONG_LIFE: Final = 60.0
"""A process that ran for so many seconds was well: the pause begins from the shortest again."""

SEND_BUFFER: Final = 1 << 20
STOPPING_SECONDS: Final = 3.0
WORDS_KEPT: Final = 2_000

CONNS_A_PROCESS: Final = 1 << 32
"""Each process numbers its streams from a number of its own on, so that no number is used twice."""


@dataclass(frozen=True)
class PageProcess:
    """One page process, and this end of its connection. `process`: None for one that is not this process's child.
    `first`: the number of its first stream, if it does not know it."""

    socket: socket.socket = field(repr=False)
    process_id: int
    process: subprocess.Popen[bytes] | None = field(repr=False)
    first: int = 0

    def kill(self) -> None:
        """End it, if it is a child; another one ends when its connection is closed."""
        if self.process is not None:
            with contextlib.suppress(OSError):
                self.process.kill()


class PageSource(Protocol):
    """Where page processes come from: a `Supervisor` starts them, or the service manager does (`meeting`)."""

    @property
    def last_words(self) -> str:
        """What is known of the last process's end, for a person who mends it."""

    def new_channel(self) -> PageProcess | None:
        """Return the newest process since the last call, if any. Never waits."""

    def stop_restarting(self) -> None:
        """No other process is wanted."""

    def close(self) -> None:
        """End what this has started."""


class Supervisor:
    """Keeps one page process running until `close`."""

    def __init__(self, listeners: Sequence[socket.socket], command: Sequence[str] | None = None) -> None:
        self._listeners = tuple(listeners)
        self._command = tuple(command) if command else (sys.executable, "-P", "-m", "pi_app.pages.process")
        self._new: queue.SimpleQueue[PageProcess] = queue.SimpleQueue()
        self._closing = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._last_words = ""
        self._thread = threading.Thread(target=self._run, name="page process", daemon=True)
        self._thread.start()

    def new_channel(self) -> PageProcess | None:
        """Return the newest process that was started since the last call, if any. Never waits."""
        newest = None
        while True:
            try:
                found = self._new.get_nowait()
            except queue.Empty:
                return newest
            if newest is not None:
                newest.socket.close()
            newest = found

    @property
    def last_words(self) -> str:
        """The last line of the last process's standard error, or why it could not be started."""
        return self._last_words

    def stop_restarting(self) -> None:
        self._closing.set()

    def close(self) -> None:
        """Wait for the process to end, or end it; then close the port."""
        self._closing.set()
        process = self._process
        if process is not None:
            try:
                process.wait(STOPPING_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
        self._thread.join(STOPPING_SECONDS)
        for listener in self._listeners:
            listener.close()

    # ---------------------------------------------------------------------------------------- in the thread

    def _run(self) -> None:
        pause, number = FIRST_PAUSE, 0
        while not self._closing.is_set():
            began = time.monotonic()
            try:
                self._one_life(number)
            except OSError as error:  # no memory, too many processes, or Python itself is gone
                self._last_words = f"it cannot be started ({error.strerror})"
            number += 1
            if time.monotonic() - began > LONG_LIFE:
                pause = FIRST_PAUSE
            self._closing.wait(pause)
            pause = min(LONGEST_PAUSE, pause * 2)

    def _one_life(self, number: int) -> None:
        """Start the process and return when it has ended."""
        ours, theirs = socket.socketpair()
        try:
            ours.setblocking(False)
            ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
            handles = [theirs.fileno(), *(listener.fileno() for listener in self._listeners)]
            process = subprocess.Popen(
                [*self._command, str(number * CONNS_A_PROCESS + 1), *map(str, handles)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pass_fds=handles,
                start_new_session=True,  # Ctrl-C reaches the table alone, which ends the pages in their order
                cwd="/",
                env=child_environment(),
            )
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        self._process = process
        self._new.put(PageProcess(ours, process.pid, process))
        with process:
            self._listen_to(process)

    def _listen_to(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stderr is not None
        said = b""
        while more := os.read(process.stderr.fileno(), WORDS_KEPT):
            said = (said + more)[-WORDS_KEPT:]
        process.wait()
        lines = said.decode("utf-8", "replace").split("\n")
        self._last_words = next((line.strip() for line in reversed(lines) if line.strip()), "")
