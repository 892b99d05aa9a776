"""The machine that this runs on, as files below a root, answers of programs, and who is asking.

Everything that looks at the Pi itself goes through a Host, so that a test can show it another machine. What asks is
imported when it is asked: a game starts before that.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from hardware.real_time import RealTime, real_time


def _ask(words: Sequence[str]) -> str:
    """What a program answers; empty if it is not there, fails or takes too long."""
    import subprocess

    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=2)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""


_STA_UNSYNC: Final = 0x0040
_STATUS_AT: Final = 5
"""Where struct timex has its status, in longs: behind modes, offset, freq, maxerror and esterror (adjtimex(2))."""

MEMORY: Final = Path("/dev/shm")
"""A folder in memory, where a sync of the disk costs nothing."""

LONGEST_BYTES: Final = 2**18
"""The most that is read of a file of the system: far more than a Pi's longest, config.txt, ever has."""


def memory_folder() -> Path | None:
    """Return a folder in memory, if this machine has one."""
    return MEMORY if os.access(MEMORY, os.W_OK) else None


def kernel_is_set() -> bool | None:
    """Whether some program keeps the kernel's clock right (timesyncd, chrony, ntpd); None if it cannot be asked."""
    import ctypes

    told = (ctypes.c_long * 64)()  # modes = 0: only asked; longer than struct timex on any Linux
    try:
        state = ctypes.CDLL(None).adjtimex(told)
    except (OSError, AttributeError):
        return None
    status = ctypes.c_int.from_buffer(told, _STATUS_AT * ctypes.sizeof(ctypes.c_long)).value
    return None if state < 0 else not status & _STA_UNSYNC


def _usage(folder: Path) -> tuple[int, int, int]:
    import shutil

    return shutil.disk_usage(folder)


def _read_only(folder: Path) -> bool:
    return bool(os.statvfs(folder).f_flag & os.ST_RDONLY)


def _version(package: str) -> str:
    """The installed version of a package; empty if it is not there."""
    import importlib.metadata

    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _module_bytes(name: str) -> int | None:
    """How large the file of a module is, without importing it; None if there is none."""
    import importlib.util

    try:
        found = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None
    try:
        return None if found is None or found.origin is None else Path(found.origin).stat().st_size
    except OSError:
        return None


def own_environment() -> str:
    """The folder of the virtual environment that this program runs in; empty outside of one."""
    return sys.prefix if sys.prefix != sys.base_prefix else ""


def pip(environment: str) -> str:
    """The pip of a virtual environment, as one types it from anywhere."""
    return f"{shlex.quote(environment)}/bin/python -m pip" if environment else "python3 -m pip"


def take_lgpio(environment: str, *, empty: bool = False) -> str:
    """The whole command that makes the system's lgpio importable. `empty`: an empty one is in its way."""
    away = f"{pip(environment)} uninstall -y lgpio && " if empty else ""
    seen = f" && python3 -m venv --system-site-packages {shlex.quote(environment)}" if environment else ""
    return f"Type `{away}sudo apt install python3-lgpio{seen}`. Raspberry Pi OS has this package; Debian does not."


@dataclass(frozen=True, slots=True)
class Host:
    """One machine. `usage` gives (total, used, free) bytes of the disk that a folder lies on, and raises OSError."""

    root: Path = Path("/")
    user_id: int = field(default_factory=os.getuid)
    user: str = field(default_factory=lambda: os.environ.get("USER", ""))
    group_ids: frozenset[int] = field(default_factory=lambda: frozenset(os.getgroups()))
    ask: Callable[[Sequence[str]], str] = _ask
    usage: Callable[[Path], tuple[int, int, int]] = _usage
    read_only: Callable[[Path], bool] = _read_only
    now_s: Callable[[], float] = time.time
    """The date, in seconds since 1970."""
    kernel_is_set: Callable[[], bool | None] = kernel_is_set
    version: Callable[[str], str] = _version
    module_bytes: Callable[[str], int | None] = _module_bytes
    real_time: Callable[[], RealTime | None] = real_time
    """What `play` gets if it is started from here; None if nobody tells."""
    python: tuple[int, int] = (sys.version_info.major, sys.version_info.minor)
    environment: str = field(default_factory=own_environment)

    def text(self, path: str) -> str:
        """A file's text, at most its first 256 kB, without its end, which may be a zero; empty if it cannot be read."""
        try:
            with (self.root / path).open("rb") as file:
                return file.read(LONGEST_BYTES).decode(errors="replace").rstrip("\0\n ")
        except OSError:
            return ""

    def number(self, path: str) -> int | None:
        """A file's whole number, in decimal; None if it holds none."""
        try:
            return int(self.text(path))
        except ValueError:
            return None

    def model(self) -> str:
        """The model of the Pi, from the device tree, or from /proc/cpuinfo on old systems; empty if it is none."""
        told = self.text("proc/device-tree/model") or named(self.text("proc/cpuinfo"), "Model")
        return told if "Raspberry Pi" in told else ""


def named(text: str, name: str) -> str:
    """The value behind `name :` in a text like /proc/cpuinfo; empty if it is not there."""
    lines = (line.partition(":") for line in text.splitlines())
    return next((value.strip() for key, _, value in lines if key.strip() == name), "")


_RP1: Final = re.compile(r"Raspberry Pi (5\b|500|Compute Module 5)")
"""Models whose pins and buses hang on an RP1 chip."""


def has_rp1(host: Host) -> bool:
    """Whether this is a Pi 5 or one of its family."""
    return bool(_RP1.match(host.model()))
