"""A copy of this project in a folder of its own, in which a test does what a page of wiring_docs tells people to do."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.layers import ROOT

PARTS = ("firmware_host", "hardware", "pi_app", "tests", "wiring_docs")
ENOUGH_S = 600
"""A program that takes so long hangs, however busy the machine is."""


@dataclass(frozen=True)
class Copy:
    """The copy's folder. Programs that run there import its modules and no others of this project."""

    root: Path

    def insert_after(self, file: str, line: str, new: str) -> None:
        """Write a line below another one, which stands in the file once."""
        path = self.root / file
        before, found, after = path.read_text(encoding="utf-8").partition(f"{line}\n")
        assert found
        assert f"{line}\n" not in after
        path.write_text(f"{before}{found}{new}\n{after}", encoding="utf-8")

    def run(self, *words: str, fails: bool = False) -> str:
        """Run `python -m ...` there and return what it writes. `fails`: it ends with code 1, and not with 0."""
        done = subprocess.run(
            [sys.executable, "-m", *words],
            cwd=self.root,
            env={**os.environ, "PYTHONPATH": str(self.root), "PYTHONDONTWRITEBYTECODE": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=ENOUGH_S,
            check=False,
        )
        assert done.returncode == fails, f"{' '.join(words)}\n{done.stdout}\n{done.stderr}"
        return done.stdout + done.stderr


def copy(to: Path) -> Copy:
    """Copy the sources, the tests and the pages into a folder that does not exist yet."""
    to.mkdir()
    shutil.copy(ROOT / "pyproject.toml", to)
    for part in PARTS:
        shutil.copytree(ROOT / part, to / part, ignore=shutil.ignore_patterns("__pycache__"))
    return Copy(to)
