"""A centre in a process of its own, as `trapdial centre run` starts it: begun, killed, begun again, and measured."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pi_app.centre.making import make_centre
from pi_app.centre.settings import FILE, CentreSettings
from pi_app.centre.store.opening import open_store
from pi_app.centre.store.store import CentreStore
from pi_app.centre.taking.decision import CentreKey

HOST: Final = "127.0.0.1"
NAME: Final = "bench.invalid/centre"
STARTS_S: Final = 60.0
ENDS_S: Final = 30.0
COMMAND: Final = "import sys; from pi_app.cli.entry import main; sys.exit(main())"
LOG: Final = "centre.log"


def free_port(host: str = HOST) -> int:
    """Return a port that is free now."""
    with socket.socket() as asks:
        asks.bind((host, 0))
        return int(asks.getsockname()[1])


@dataclass
class CentreProcess:
    """A centre in a folder, which it makes, with a key of its own. `store`: a file, or the address of a PostgreSQL
    database. What it prints is in `centre.log` there."""

    folder: Path
    store: str = "centre.db"
    host: str = HOST
    port: int = field(default_factory=free_port)
    settings: CentreSettings = field(init=False)
    key: CentreKey = field(init=False)
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.settings, self.key = make_centre(self.folder, NAME, f"{self.host}:{self.port}", self.store)

    def opened(self) -> CentreStore:
        """Open its store. Raises StoreError."""
        return open_store(self.settings)

    def start(self) -> None:
        """Start it, and wait until it answers. Raises TimeoutError."""
        words = [sys.executable, "-c", COMMAND, "centre", "run", "--settings", str(self.folder / FILE)]
        with (self.folder / LOG).open("ab") as log:
            self._process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        until_s = time.monotonic() + STARTS_S
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > until_s:
                said = (self.folder / LOG).read_text(encoding="utf-8", errors="replace")[-400:]
                raise TimeoutError(f"the centre did not start: {said}")
            time.sleep(0.02)

    def _answers(self) -> bool:
        try:
            with socket.create_connection((self.host, self.port), 5) as asks:
                asks.sendall(b"GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
                return b" 200 " in asks.recv(100)
        except OSError:
            return False

    @property
    def pid(self) -> int:
        """The number of its process."""
        assert self._process is not None
        return self._process.pid

    def kill(self) -> None:
        """Kill it with SIGKILL."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        """End it as a service manager does."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(ENDS_S)
            except subprocess.TimeoutExpired:
                self.kill()

    def cpu_s(self) -> float:
        """Return the processor time that it has taken so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def most_mb(self) -> float:
        """Return the most memory that it has had."""
        lines = Path(f"/proc/{self.pid}/status").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) / 1000 for line in lines if line.startswith("VmHWM"))
