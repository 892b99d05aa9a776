"""Installs the firmware on a board with mpremote: the folder `hub`, the board's own files, and `main.py` last.

An interrupted copy leaves a board whose old or missing `main.py` stops at its prompt; another install repairs it.
`board.py` belongs to the builder: an existing one stays, unless the builder names another.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from firmware_host.errors import InstallError

ROOT: Final = Path(__file__).parent
TAKES_S: Final = 120.0
KEY_FILE: Final = "hub.key"
"""Its name on the board."""

NO_MPREMOTE: Final = "program mpremote (this machine) is not installed. `trapdial extras install hub` installs it."
MICROPYTHON: Final = (
    "If the board has no MicroPython yet: hold its BOOTSEL button while you plug it in, and copy the official "
    "MicroPython .uf2 for this board, 1.25 or later, onto the drive that appears."
)


RunProgram = Callable[[Sequence[str]], "ProgramResult"]


@dataclass(frozen=True, slots=True)
class ProgramResult:
    """Exit code and output of a program."""

    code: int
    output: str


def mpremote(words: Sequence[str]) -> ProgramResult:
    """Run mpremote with these arguments. Raises InstallError if it is not installed. Gives up after two minutes."""
    if importlib.util.find_spec("mpremote") is None:
        raise InstallError(NO_MPREMOTE)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "mpremote", *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=TAKES_S,
        )
    except subprocess.TimeoutExpired:
        return ProgramResult(1, f"mpremote did not end in {TAKES_S:.0f} s")
    return ProgramResult(done.returncode, f"{done.stdout}\n{done.stderr}")


def install(
    port: str,
    board_file: Path | None = None,
    *,
    key_file: Path | None = None,
    run: RunProgram | None = None,
    root: Path = ROOT,
) -> list[str]:
    """Copy everything and restart the board; return the names of the copied files, in order. No other program may have
    the port open.

    `board_file`: a board.py that replaces the existing one; `key_file`: the board's new key. Raises InstallError.
    """
    run = run or mpremote
    there = _files(port, run)
    package = sorted((root / "hub").glob("*.py"))
    alone = [(root / "board" / "boot.py", "boot.py"), (root / "board" / "main.py", "main.py")]
    if board_file is not None or "board.py" not in there:
        alone.insert(1, (board_file or root / "board" / "board.py", "board.py"))
    if key_file is not None:
        alone.insert(-1, (key_file, KEY_FILE))
    words = [] if "hub" in there else ["fs", "mkdir", ":hub", "+"]
    words += ["fs", "cp", *map(str, package), ":hub/", "+"]
    for file, name in alone:
        words += ["fs", "cp", str(file), f":{name}", "+"]
    _do(port, run, [*words, "reset"], "did not accept its files")
    return [*(f"hub/{file.name}" for file in package), *(name for _, name in alone)]


def _files(port: str, run: RunProgram) -> set[str]:
    """File names in the board's root."""
    output = _do(port, run, ["fs", "ls", ":"], "does not respond to mpremote", MICROPYTHON)
    return {line.split(maxsplit=1)[1].strip().rstrip("/") for line in output.splitlines() if len(line.split()) > 1}


def _do(
    port: str, run: RunProgram, words: Sequence[str], seen: str, advice: str = "Unplug it and install again."
) -> str:
    done = run(["connect", port, *words])
    if done.code != 0:
        lines = [line.strip() for line in done.output.splitlines() if line.strip()]
        why = f": {lines[-1][:200]}" if lines else ""
        raise InstallError(f"board ({port}) {seen}{why}. {advice}")
    return done.output
