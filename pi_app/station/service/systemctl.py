"""Ask systemd about the station's units, and put a tree's own units into use: with the standard library alone."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

SERVICE: Final = "trapdial.service"
TRIAL: Final = "trapdial-trial.service"
BOOTED: Final = Path("/run/systemd/system")
"""Exists where systemd runs; not in a container, in a chroot, or while an image is made."""
SECONDS: Final = 120.0

RunProgram = Callable[[Sequence[str]], tuple[int, str]]
"""Runs a program; returns its exit code and what it printed."""


@dataclass(frozen=True, slots=True)
class UnitState:
    """A service's state. `active`: systemd's word, or `unknown`. `run`: the start that it is in, another at each one;
    `restarts`: how often it came back; `queued`: whether systemd is about to start or stop it."""

    active: str
    run: str
    restarts: int
    queued: bool = False


def run_program(words: Sequence[str]) -> tuple[int, str]:
    """Run a program to its end, for at most two minutes. A program that is missing ends with 127."""
    try:
        done = subprocess.run(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            encoding="utf-8", errors="replace", timeout=SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return 124, f"{words[0]} did not end in {SECONDS:.0f} s"
    except OSError as trouble:
        return 127, f"{words[0]} could not be run ({trouble.strerror or trouble})"
    return done.returncode, done.stdout


@dataclass(frozen=True, slots=True)
class Systemd:
    """What systemd says of this machine's units. In a system that has not booted, nothing is started."""

    run: RunProgram = run_program
    booted: Path = BOOTED

    def is_booted(self) -> bool:
        """Say whether systemd runs here."""
        return self.booted.is_dir()

    def is_enabled(self, unit: str = SERVICE) -> bool:
        """Say whether a unit starts with the machine; systemd need not run for that."""
        return self.run(["systemctl", "--quiet", "is-enabled", unit])[0] == 0

    def state(self, unit: str = SERVICE) -> UnitState:
        """Return a service's state; one that is not there is `inactive`, and `unknown` if systemd does not answer."""
        code, printed = self.run(["systemctl", "show", "-p", "ActiveState,InvocationID,NRestarts,Job", unit])
        if code != 0:
            return UnitState("unknown", "", 0)
        found = dict(line.split("=", 1) for line in printed.splitlines() if "=" in line)
        restarts = found.get("NRestarts", "")
        return UnitState(
            found.get("ActiveState") or "inactive",
            found.get("InvocationID", ""),
            int(restarts) if restarts.isdecimal() else 0,
            queued=found.get("Job", "0") not in ("", "0"),
        )

    def is_used(self, unit: str = SERVICE) -> bool:
        """Say whether a unit runs now, or starts with the machine."""
        return self.is_enabled(unit) or (self.is_booted() and self.state(unit).active != "inactive")

    def put_in_use(self, home: Path) -> str | None:
        """Write the units of the running tree, and restart the station. Returns what went wrong, or None.

        A tree that cannot even do that is restarted all the same: its trial then says that it does not get ready."""
        program = str(home / "current/bin/trapdial")
        words = [program, "station", "install", "--program", program]
        code, printed = self.run([*words, *([] if self.is_booted() else ["--no-start"])])
        if code == 0:
            return None
        self._tell("daemon-reload")
        self._tell("--no-block", "try-restart", SERVICE)
        return f"`{' '.join(words)}` ended with {code}: {' '.join(printed.split())[-300:]}"

    def start(self, unit: str) -> None:
        """Start a unit, and do not wait for it."""
        self._tell("--no-block", "start", unit)

    def _tell(self, *words: str) -> None:
        if self.is_booted():
            self.run(["systemctl", "--quiet", *words])
