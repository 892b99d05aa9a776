"""A centre in a process of its own, over a real socket: started, killed, started again, and measured."""

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

import msgspec

from pi_app.centre.service.serving import listening
from pi_app.centre.store.store import CentreStore
from pi_app.centre.taking.decision import CentreKey
from pi_app.journal.record.keys import device_key

HOST: Final = "127.0.0.1"
STARTS_S: Final = 30.0
POSTGRES: Final = ("host=", "postgresql://")


class CentreSetup(msgspec.Struct, frozen=True, kw_only=True):
    """What a centre for measurements needs. `store`: a file for SQLite, or how libpq reaches a database."""

    store: str
    name: str
    seed: bytes
    log: str = ""

    @property
    def key(self) -> CentreKey:
        """The key with which it cosigns."""
        return CentreKey(self.name, device_key(self.seed))


def opened(store: str) -> CentreStore:
    """Open a store. Raises StoreError."""
    if store.startswith(POSTGRES):
        from pi_app.centre.store.postgres import PostgresStore

        return PostgresStore(store)
    from pi_app.centre.store.sqlite import SqliteStore

    return SqliteStore(Path(store))


@dataclass
class CentreProcess:
    """Starts a centre. The port stays the same when it is started again. Close it."""

    setup: CentreSetup
    host: str = HOST
    port: int = 0
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    def start(self) -> None:
        """Start it, and wait until it answers. Raises OSError, TimeoutError."""
        with listening(self.host, self.port) as listener:
            self.port = listener.getsockname()[1]
            os.set_inheritable(listener.fileno(), True)
            words = [sys.executable, "-m", "pi_app.centre.bench", str(listener.fileno())]
            self._process = subprocess.Popen(words, stdin=subprocess.PIPE, pass_fds=[listener.fileno()])
        assert self._process.stdin is not None
        self._process.stdin.write(msgspec.json.encode(self.setup) + b"\n")
        self._process.stdin.close()
        until_s = time.monotonic() + STARTS_S
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > until_s:
                raise TimeoutError("the centre did not start")
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
                self._process.wait(30)
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
