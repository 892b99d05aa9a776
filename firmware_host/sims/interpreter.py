"""Which interpreter plays the board's: a MicroPython unix port if there is one, else CPython."""

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
"""Of the order of an RP2040's; objects are twice as large here, so it is tighter."""
LONGEST_SEARCH_S = 600


@dataclass(frozen=True, slots=True)
class Interpreter:
    """`name` says what it is, `command` runs a file, `paths` is the variable with its module paths."""

    name: str
    command: tuple[str, ...]
    paths: str

    @property
    def micro(self) -> bool:
        return self.paths == "MICROPYPATH"


def cpython() -> Interpreter:
    """This very interpreter: it knows nothing of a small heap."""
    return Interpreter(
        f"CPython {sys.version_info[0]}.{sys.version_info[1]}, as there is no MicroPython",
        (sys.executable, "-S", "-s", "-B"),
        "PYTHONPATH",
    )


@functools.cache
def micropython(*, fetch: bool) -> Interpreter | str:
    """The MicroPython unix port that is installed or was fetched, or in one sentence why there is none.

    `fetch`: have `.ci/micropython` fetch it from the machine's package mirror if it is not here, once. The variable
    TRAPDIAL_MICROPYTHON may name one.
    """
    named = os.environ.get("TRAPDIAL_MICROPYTHON") or shutil.which("micropython")
    if not named:
        if not FINDER.exists():
            return "There is no MicroPython: .ci/micropython fetches one, and is not part of an installed package."
        try:
            done = subprocess.run(
                (FINDER,) if fetch else (FINDER, "here"),
                capture_output=True,
                text=True,
                check=False,
                timeout=LONGEST_SEARCH_S,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"There is no MicroPython: .ci/micropython did not end well ({error})."
        if done.returncode:
            return done.stderr.strip()
        named = done.stdout.strip()
    return Interpreter("MicroPython, unix port", (named, "-X", f"heapsize={HEAP}"), "MICROPYPATH")


def best() -> Interpreter:
    """MicroPython if it is here, else CPython. Fetches nothing."""
    found = micropython(fetch=False)
    return cpython() if isinstance(found, str) else found
