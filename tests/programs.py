"""Other programs that the stages (tests/kernel, tests/arm, tests/pi) run to fetch and build their parts."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

SECONDS: Final = 900.0
LAST: Final = 15
"""Lines of a failed program that are shown."""


def cache() -> Path:
    """The folder for what is large and the same for every checkout: a fresh clone need not fetch and build it again."""
    base = os.environ.get("TRAPDIAL_CACHE") or os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    folder = Path(base).expanduser() / "trapdial"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


class CannotRun(Exception):
    """This machine cannot fetch, build or run what a stage needs; the text gives the reason."""


def ran(words: Sequence[str], folder: Path | None = None) -> str:
    """The output of a program. Raises CannotRun with its end if the program fails."""
    try:
        done = subprocess.run(
            words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotRun(f"{words[0]} could not be run: {error}") from error
    if done.returncode != 0:
        last = "\n".join(done.stdout.splitlines()[-LAST:])
        raise CannotRun(f"`{' '.join(words)}` failed with exit code {done.returncode}:\n{last}")
    return done.stdout
