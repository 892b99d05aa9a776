"""`trapdial centre run` as a process of its own, for tests."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner

from pi_app.cli.main import main


def free_port() -> int:
    with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as one:
        return int(one.getsockname()[1])


def new_centre(folder: Path, *words: str) -> Path:
    """Make a centre on a free port; return its settings."""
    listen = f"127.0.0.1:{free_port()}"
    done = CliRunner().invoke(main, ["centre", "new", str(folder), "--name", "test/c1", "--listen", listen, *words])
    assert done.exit_code == 0, done.output
    return folder / "centre.toml"


@dataclass
class RunningCentre:
    """A centre that runs. `address`: where it said that it listens."""

    process: subprocess.Popen[str]
    address: str
    said: list[str]

    def ended(self, by: signal.Signals = signal.SIGTERM) -> tuple[int, str, str]:
        """End it; return its exit code and what it wrote since it began to listen."""
        self.process.send_signal(by)
        output, errors = self.process.communicate(timeout=60)
        return self.process.returncode, output, errors


@contextlib.contextmanager
def started(settings: Path, environment: Mapping[str, str] | None = None) -> Iterator[subprocess.Popen[str]]:
    """Start a centre; kill it in the end, if it still runs."""
    words = [sys.executable, "-m", "pi_app.cli.entry", "centre", "run", "-s", str(settings)]
    with subprocess.Popen(
        words,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **(environment or {}), "PYTHONPATH": str(Path(__file__).resolve().parents[3])},
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@contextlib.contextmanager
def running(settings: Path, environment: Mapping[str, str] | None = None) -> Iterator[RunningCentre]:
    """Start a centre and wait until it listens."""
    with started(settings, environment) as process:
        assert process.stdout is not None
        said: list[str] = []
        while " listens at " not in (line := process.stdout.readline()):
            assert line, f"It ended: {process.communicate()[1]}"
            said.append(line)
        yield RunningCentre(process, line.split()[-1], said)
