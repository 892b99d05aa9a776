"""Chooses the interpreter of a simulated board: a MicroPython unix port if there is one, else CPython."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

FINDER = Path(__file__).resolve().parents[2] / ".ci" / "micropython"
HEAP = "190k"
"""About an RP2040's heap; objects are twice as large here, so it is tighter."""
LONGEST_SEARCH_S = 600


@dataclass(frozen=True, slots=True)
class Interpreter:
    """`name` describes it, `command` runs a file, `paths` is the variable with its module paths. `speedup`: watchdog
    and timers of a board run this many times faster, for tests."""

    name: str
    command: tuple[str, ...]
    paths: str
    speedup: int = 1

    @property
    def micro(self) -> bool:
        return self.paths == "MICROPYPATH"


def cpython() -> Interpreter:
    """This interpreter: it has no small heap."""
    return Interpreter(
        f"CPython {sys.version_info[0]}.{sys.version_info[1]} (no MicroPython found)",
        (sys.executable, "-S", "-s", "-B"),
        "PYTHONPATH",
    )


@functools.cache
def micropython(*, fetch: bool) -> Interpreter | str:
    """The installed or fetched MicroPython unix port, or one sentence about why there is none.

    `fetch`: let `.ci/micropython` fetch it from the machine's package mirror if it is missing, once. The variable
    TRAPDIAL_MICROPYTHON may name one.
    """
    named = os.environ.get("TRAPDIAL_MICROPYTHON") or shutil.which("micropython")
    if not named:
        if not FINDER.exists():
            return "There is no MicroPython: .ci/micropython fetches one, but an installed package does not contain it."
        try:
            done = subprocess.run(
                (FINDER,) if fetch else (FINDER, "here"),
                capture_output=True,
                text=True,
                check=False,
                timeout=LONGEST_SEARCH_S,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"There is no MicroPython: .ci/micropython failed ({error})."
        if done.returncode:
            return done.stderr.strip()
        named = done.stdout.strip()
    return Interpreter("MicroPython, unix port", (named, "-X", f"heapsize={HEAP}"), "MICROPYPATH")


def best() -> Interpreter:
    """MicroPython if it is present, else CPython. Fetches nothing."""
    found = micropython(fetch=False)
    return cpython() if isinstance(found, str) else found
