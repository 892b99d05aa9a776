"""The two machines that are compared: this one, and an arm64 system on an emulated processor."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.arm.root import OWN_NAMESPACES, PROJECT
from tests.programs import CannotRun

HERE: Final = Path(__file__).resolve().parent
PROCESSOR: Final = "cortex-a72"
"""The processor of a Pi 4; for the emulator it is two to five times as fast as its default."""
TOLD: Final = {"LANG": "C.UTF-8", "TZ": "UTC", "HOME": "/tmp"}
INSIDE: Final = {
    **TOLD,
    "PATH": "/usr/bin:/bin",
    "QEMU_CPU": PROCESSOR,
    "PYTHONPATH": "/project:/opt/site",
    "PYTHONPYCACHEPREFIX": "/cache",
    "HYPOTHESIS_STORAGE_DIRECTORY": "/tmp/hypothesis",
}


@dataclass(frozen=True)
class Ran:
    code: int
    output: bytes
    complaints: bytes


@dataclass(frozen=True)
class Machine:
    """Runs Python in a folder; `project` is where it sees the project's folder."""

    name: str
    project: str
    kept: Path | None = None

    def python(self, folder: Path, *words: str, seconds: float = 300) -> Ran:
        """Run Python with these words in a folder."""
        done = subprocess.run(
            self._command(folder, words),
            cwd=folder,
            env=self._surroundings(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            check=False,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    def trapdial(self, folder: Path, *words: str) -> Ran:
        return self.python(folder, "-m", "pi_app.cli.entry", *words)

    def live(self, folder: Path, *words: str, seconds: float) -> int:
        """Run Python with its output in this terminal; its exit code."""
        return subprocess.run(
            self._command(folder, words), cwd=folder, env=self._surroundings(), timeout=seconds, check=False
        ).returncode

    def _command(self, folder: Path, words: tuple[str, ...]) -> list[str]:
        if self.kept is None:
            return [sys.executable, *words]
        places = [self.kept / "qemu-aarch64", self.kept / "root", PROJECT, folder, self.kept / "cache"]
        told = [f"{name}={value}" for name, value in INSIDE.items()]
        enter = [*OWN_NAMESPACES, "sh", str(HERE / "enter.sh"), *map(str, places)]
        return [*enter, "-i", *told, "/usr/bin/python3", *words]

    def _surroundings(self) -> dict[str, str]:
        path = os.environ.get("PATH", "")
        if self.kept is None:
            return {**TOLD, "PATH": path, "PYTHONPATH": str(PROJECT)}
        return {"PATH": f"{path}:/usr/sbin:/sbin"}


def this_machine() -> Machine:
    return Machine("amd64", str(PROJECT))


def emulated(kept: Path, folder: Path) -> Machine:
    """The arm64 machine of a kept root. Raises CannotRun if no Python runs on it."""
    machine = Machine("arm64", "/project", kept)
    ran = machine.python(folder, "-c", "import os, platform; print(os.uname().machine, platform.python_version())")
    if not ran.output.startswith(b"aarch64 "):
        raise CannotRun(f"no Python ran in {kept}: {(ran.complaints or ran.output).decode(errors='replace').strip()}")
    return machine


def described(machine: Machine, folder: Path) -> str:
    """System, Python and emulator of a machine, in a few words."""
    asked = "import platform as p; print(p.freedesktop_os_release()['PRETTY_NAME'], 'with Python', p.python_version())"
    system = machine.python(folder, "-c", asked).output.decode().strip()
    if machine.kept is None:
        return f"{machine.name}: {system}"
    version = subprocess.run([machine.kept / "qemu-aarch64", "--version"], capture_output=True, text=True).stdout
    return f"{machine.name}: {system}, a {PROCESSOR} by {version.splitlines()[0]}"
