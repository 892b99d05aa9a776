"""A small stand-in for the service manager, with real processes: READY, WatchdogSec, triggers, and RestartSec.

It does what systemd.service(5) says of these four and no more; `make station-test` has the real one.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pi_app.station.service.units import RESTART_S

WATCHDOG_S = 10.0
ABORT_S = 5.0
"""TimeoutStopSec: after it comes SIGKILL."""


@dataclass(frozen=True)
class Heard:
    """One message, or what the manager did, with its time."""

    at_s: float
    words: str


@dataclass
class Supervised:
    """One service. `heard` grows while it runs."""

    command: Sequence[str]
    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    pass_fds: Sequence[int] = ()
    heard: list[Heard] = field(default_factory=list)
    process: subprocess.Popen[bytes] | None = None

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(self.folder / "notify"))
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def close(self) -> None:
        self._ends.set()
        self._thread.join()
        self._socket.close()

    def said(self, words: str) -> list[float]:
        """When each message with these words came."""
        return [each.at_s for each in list(self.heard) if words in each.words]

    def wait_for(self, words: str, times: int, within_s: float = 120.0) -> float:
        """Wait until it was heard so often, and return when that was."""
        until = time.monotonic() + within_s
        while len(self.said(words)) < times:
            assert time.monotonic() < until, (words, [each.words for each in self.heard][-12:], self.errors())
            time.sleep(0.02)
        return self.said(words)[times - 1]

    def errors(self) -> str:
        return (self.folder / "errors").read_text(errors="replace")[-2_000:]

    def _note(self, words: str) -> None:
        self.heard.append(Heard(time.monotonic(), words))

    def _run(self) -> None:
        while not self._ends.is_set():
            with (self.folder / "errors").open("ab") as errors:
                self._one_life(errors.fileno())
            self._ends.wait(RESTART_S)

    def _one_life(self, errors: int) -> None:
        environment = {**os.environ, **self.environment, "NOTIFY_SOCKET": str(self.folder / "notify")}
        self._note("START")
        with subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=errors, stderr=errors, env=environment, pass_fds=self.pass_fds
        ) as process:
            self.process = process
            fed_s: float | None = None
            while process.poll() is None:
                message = self._message()
                if message in ("READY=1", "WATCHDOG=1") and (fed_s is not None or message == "READY=1"):
                    fed_s = time.monotonic()
                late = fed_s is not None and time.monotonic() - fed_s > WATCHDOG_S
                if message == "WATCHDOG=trigger" or late:
                    self._note("LATE" if late else "TRIGGERED")
                    self._end(process, signal.SIGABRT)
                if self._ends.is_set():
                    self._end(process, signal.SIGTERM)
        self._note(f"ENDED {process.returncode}")

    def _end(self, process: subprocess.Popen[bytes], number: int) -> None:
        """As kill_and_sigcont of systemd: a stopped process takes the signal too."""
        process.send_signal(number)
        process.send_signal(signal.SIGCONT)
        try:
            process.wait(ABORT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _message(self) -> str:
        if not select.select([self._socket], [], [], 0.05)[0]:
            return ""
        message = self._socket.recv(4096).decode()
        self._note(message)
        return message
