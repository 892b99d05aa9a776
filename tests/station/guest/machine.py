"""A guest with systemd: User-Mode Linux over disks of its own, whose power can be cut."""

from __future__ import annotations

import contextlib
import json
import math
import os
import queue
import socket
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final

from tests.kernel.guest import ENDS_WITH_US, end, memory_folder
from tests.station.guest.meter import Meter, Need
from tests.station.guest.processors import quietest
from tests.station.guest.system import Disks

MEMORY_MB: Final = 512
"""As a Zero 2 W has."""
BOOT_S: Final = 600.0
LAST: Final = 25
"""Lines of the console that a failure shows."""


class Failed(Exception):
    """A check did not find what must be; the text says what was found."""


@dataclass(frozen=True, slots=True)
class Ran:
    """Result of a command in the guest."""

    code: int
    out: str
    err: str


@dataclass(frozen=True, slots=True)
class Told:
    """A line that the tested program printed, as it arrived outside."""

    at_s: float
    text: str


@dataclass(slots=True)
class Machine:
    """One guest: its disks, and while it runs, its process and lines. `share` is its /host."""

    kernel: Path
    disks: Disks
    share: Path
    told: list[Told] = field(default_factory=list)
    console: list[str] = field(default_factory=list)
    started_s: float = 0.0
    boot_id: str = ""
    ahead_s: float = math.inf
    """How far `time.monotonic` is ahead of the guest's own clock: an answer never arrives before it was given."""
    meter: Meter | None = None
    _running: subprocess.Popen[bytes] | None = None
    _line: socket.socket | None = None
    _console_line: socket.socket | None = None
    _answers: queue.Queue[dict[str, Any]] = field(default_factory=queue.Queue)
    _asked: int = 0
    _readers: list[threading.Thread] = field(default_factory=list)

    def boot(self, *words: str, seconds: float = BOOT_S) -> None:
        """Switch it on and wait for the agent. Raises Failed with the console's end."""
        agent, agents = socket.socketpair()
        said, says = socket.socketpair()
        self._answers, self._line, self._console_line = queue.Queue(), agent, said
        self.started_s = time.monotonic()
        self._running = subprocess.Popen(
            self._command(agents.fileno(), says.fileno(), words),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=(agents.fileno(), says.fileno()),
            start_new_session=True,
            env={**os.environ, "TMPDIR": str(memory_folder(self.share, MEMORY_MB))},
        )
        agents.close()
        says.close()
        assert self._running.stdout is not None
        self._readers = [
            threading.Thread(target=self._hear, args=(agent,), daemon=True),
            threading.Thread(target=self._listen, args=(said,), daemon=True),
            threading.Thread(target=self._read, args=(self._running.stdout,), daemon=True),
        ]
        for reader in self._readers:
            reader.start()
        self.ahead_s, self.meter = math.inf, Meter(self._running.pid)
        self.boot_id = self._answer(0, seconds)["boot"]

    def need(self, since_s: float, until_s: float) -> Need:
        """Return what the guest took between two times of its own clock."""
        assert self.meter is not None
        return self.meter.need(since_s + self.ahead_s, until_s + self.ahead_s)

    def run(self, *words: str, seconds: float = 60.0, text: str = "") -> Ran:
        """Run a command as root. Raises Failed if the guest does not answer."""
        assert self._line is not None
        self._asked += 1
        asked = {"id": self._asked, "words": words, "seconds": seconds, "input": text}
        try:
            self._line.sendall(json.dumps(asked).encode() + b"\n")
        except OSError as error:
            raise Failed(self._with_console(f"the guest has gone: {error}")) from error
        answer = self._answer(self._asked, seconds + 30)
        return Ran(answer["code"], answer["out"], answer["err"])

    def must(self, *words: str, seconds: float = 60.0, text: str = "") -> str:
        """The output of a command that must succeed. Raises Failed."""
        ran = self.run(*words, seconds=seconds, text=text)
        if ran.code != 0:
            raise Failed(f"`{' '.join(words)[:200]}` gave {ran.code}: {(ran.err or ran.out).strip()[-1500:]}")
        return ran.out

    def shell(self, script: str, seconds: float = 60.0) -> str:
        return self.must("/bin/sh", "-ec", script, seconds=seconds)

    def type(self, line: str) -> None:
        """Type a line for the tested program. One that the program does not take is lost with it."""
        assert self._console_line is not None
        with contextlib.suppress(OSError):
            self._console_line.sendall(line.encode() + b"\n")

    def cut(self) -> float:
        """Pull the plug: every process of the guest ends at once, and nothing more is written. Returns when."""
        at_s = time.monotonic()
        self._stop()
        return at_s

    def off(self, seconds: float = 60.0) -> None:
        """Shut it down as systemd does. Raises Failed if it does not end."""
        assert self._running is not None
        with contextlib.suppress(Failed):  # it may be off before it has answered
            self.must("systemctl", "--no-block", "poweroff")
        try:
            self._running.wait(seconds)
        except subprocess.TimeoutExpired:
            raise Failed(self._with_console(f"the guest did not switch off within {seconds:g} s")) from None
        finally:
            self._stop()

    def disks_are_whole(self) -> bool:
        """Whether its file system has no fault. It is switched off for that, as by a cut."""
        self.close()
        return self.disks.is_whole()

    def close(self) -> None:
        if self._running is not None:
            self._stop()

    @property
    def runs(self) -> bool:
        return self._running is not None and self._running.poll() is None

    def _command(self, agent: int, says: int, words: Sequence[str]) -> list[str]:
        return [
            *ENDS_WITH_US,
            *(
                "taskset",
                "-c",
                str(quietest()),
            ),  # its kernel and its programs take turns: between two cores, each turn is late
            str(self.kernel),
            f"mem={MEMORY_MB}M",
            f"ubd0={self.disks.root}",
            f"ubd1={self.disks.boot}",
            *("root=/dev/ubda", "ro", "quiet", "console=tty0", "con0=null,fd:1"),
            f"ssl0=fd:{agent}",
            f"ssl1=fd:{says}",
            f"hostfs={self.share}",
            *("systemd.log_color=0", "systemd.show_status=0", "panic=5"),
            *words,
        ]

    def _answer(self, number: int, seconds: float) -> dict[str, Any]:
        try:
            while (answer := self._answers.get(timeout=seconds)).get("id") != number:
                if "gone" in answer:
                    raise Failed(self._with_console("the guest ended by itself"))
        except queue.Empty:
            raise Failed(self._with_console(f"the guest said nothing for {seconds:g} s")) from None
        self.ahead_s = min(self.ahead_s, time.monotonic() - answer["up_s"])
        if "file" in answer:
            file = self.share / answer["file"]
            answer = json.loads(file.read_text(encoding="utf-8"))
            file.unlink()
        return answer

    def _hear(self, line: socket.socket) -> None:
        for row in _rows(line):
            with contextlib.suppress(ValueError):  # the kernel's own words, before the agent has the line
                self._answers.put(json.loads(row))
        self._answers.put({"gone": True})

    def _listen(self, line: socket.socket) -> None:
        for row in _rows(line):
            self.told.append(Told(time.monotonic(), row.rstrip("\r")))

    def _read(self, console: IO[bytes]) -> None:
        with console:
            for row in console:
                self.console.append(row.decode(errors="replace").rstrip())

    def _stop(self) -> None:
        assert self._running is not None
        assert self._line is not None
        end(self._running)
        if self.meter is not None:
            self.meter.close()
        for reader in self._readers:  # what was told before the end counts
            reader.join(5)
        self._line.close()
        if self._console_line is not None:
            self._console_line.close()

    def _with_console(self, what: str) -> str:
        return "\n".join([f"{what}; the end of its console:", *self.console[-LAST:]])


def _rows(line: socket.socket) -> Iterator[str]:
    """Whole lines until the other end closes. What is cut off is no line."""
    rest = b""
    with contextlib.suppress(OSError):
        while data := line.recv(65536):
            *rows, rest = (rest + data).split(b"\n")
            yield from (row.decode(errors="replace") for row in rows)
