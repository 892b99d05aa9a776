"""Which interpreter plays the board's: a MicroPython unix port if there is one, else CPython."""

from __future__ import annotations

import functools
import os
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
def micropython() -> Interpreter | str:
    """The MicroPython unix port that `.ci/micropython` finds or fetches, or in one sentence why there is none.

    The variable TRAPDIAL_MICROPYTHON may name one.
    """
    named = os.environ.get("TRAPDIAL_MICROPYTHON")
    if not named:
        if not FINDER.exists():
            return "There is no MicroPython: .ci/micropython fetches one, and is not part of an installed package."
        try:
            found = subprocess.run((FINDER,), capture_output=True, text=True, check=False, timeout=LONGEST_SEARCH_S)
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"There is no MicroPython: .ci/micropython did not end well ({error})."
        if found.returncode:
            return found.stderr.strip()
        named = found.stdout.strip()
    return Interpreter("MicroPython, unix port", (named, "-X", f"heapsize={HEAP}"), "MICROPYPATH")


def best() -> Interpreter:
    """MicroPython if it can be had, else CPython."""
    found = micropython()
    return cpython() if isinstance(found, str) else found
