"""Clean root file systems of Debian 12 and 13, in which packages are installed without a network."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.arm.root import BUILD, debian
from tests.programs import CannotRun, ran

SUITES: Final = {"bookworm": "Debian 12", "trixie": "Debian 13"}
NEWEST: Final = "trixie"
INCLUDED: Final = ("python3", "systemd")
"""What Raspberry Pi OS Lite has of the package's dependencies: no pip, no venv, no compiler."""
INSIDE: Final = Path(__file__).with_name("inside.sh")
NAMESPACES: Final = ("unshare", "--mount", "--pid", "--fork", "--net", "--kill-child")
SECONDS: Final = 900.0


@dataclass(frozen=True)
class Ended:
    """How a command in a root file system ended. `processor_s`: the processor time that it took, on all cores."""

    code: int
    printed: str
    seconds: float
    processor_s: float


@dataclass(frozen=True)
class Root:
    """An unpacked root file system. `name`: the system, for people."""

    name: str
    folder: Path

    def run(self, command: str) -> Ended:
        """Run a shell's command inside, as root, without a network."""
        began, used = time.monotonic(), _processor_s()
        words = [*NAMESPACES, "sh", str(INSIDE), str(self.folder), command]
        done = subprocess.run(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            encoding="utf-8", errors="replace", timeout=SECONDS, check=False,
        )  # fmt: skip
        return Ended(done.returncode, done.stdout, time.monotonic() - began, _processor_s() - used)

    def files(self) -> set[str]:
        """Every path in it."""
        found = set()
        for folder, folders, files in os.walk(self.folder):
            found |= {"/" + os.path.relpath(os.path.join(folder, each), self.folder) for each in (*folders, *files)}
        return found


def _processor_s() -> float:
    """The processor time of all programs that this one has waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def check_machine() -> None:
    """Check that a root file system can be made and entered here. Raises CannotRun."""
    if sys.platform != "linux" or os.geteuid() != 0:
        raise CannotRun("a root file system is made and entered as root on Linux: try it with sudo")
    done = subprocess.run([*NAMESPACES, "true"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CannotRun(f"namespaces of its own cannot be made here: {done.stderr.strip()}")


@contextmanager
def root(suite: str, included: Sequence[str] = INCLUDED) -> Iterator[Root]:
    """Unpack a clean system with these packages for a while. Its archive is kept in `build/`. Raises CannotRun."""
    archive = BUILD / f"root-{suite}-{'+'.join(included)}.tar"
    if not archive.exists():
        _made(suite, included, archive)
    with tempfile.TemporaryDirectory(prefix=f"root-{suite}-", dir=BUILD) as name:
        folder = Path(name)
        folder.chmod(0o755)
        ran(["tar", "-xf", str(archive), "-C", name, "--exclude=./dev/*"])
        yield Root(SUITES[suite], folder)


def _made(suite: str, included: Sequence[str], archive: Path) -> None:
    mirror = debian()
    if shutil.which("mmdebstrap") is None:
        raise CannotRun("there is no mmdebstrap")
    BUILD.mkdir(exist_ok=True)
    fresh = archive.with_suffix(".new.tar")
    include = f"--include={','.join(included)}"
    ran(["mmdebstrap", "--quiet", "--variant=minbase", include, suite, str(fresh), mirror])
    fresh.rename(archive)
