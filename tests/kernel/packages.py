"""lgpio for the guest: gpiozero's driver for the kernel's pins, which machines without pins do not have installed."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from tests.kernel.kernel import BUILD
from tests.programs import CannotRun

FOLDER: Final = BUILD / f"kernel-packages-{sys.version_info.major}.{sys.version_info.minor}"
LOOK: Final = "import lgpio; lgpio.gpiochip_open"
"""A check that fails for the empty wheel for Python 3.13."""


def packages() -> Path:
    """A folder for the guest's PYTHONPATH with an lgpio that works: from its wheel; Debian has no package of it.

    It is cached; nothing is fetched while it exists. Raises CannotRun.
    """
    if _works() or (_wheel() and _works()):
        return FOLDER
    raise CannotRun(
        f"there is no lgpio for Python {sys.version_info.major}.{sys.version_info.minor}: no wheel works with it"
    )


def _works() -> bool:
    surroundings = {**os.environ, "PYTHONPATH": str(FOLDER), "LD_LIBRARY_PATH": str(FOLDER), "LG_WD": "/tmp"}
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", LOOK], env=surroundings, capture_output=True, cwd=folder, check=False, timeout=60
        )
    return FOLDER.is_dir() and done.returncode == 0


def _wheel() -> bool:
    words = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:"]
    return _done([*words, "--upgrade", "--no-deps", "--target", str(FOLDER), "lgpio"], BUILD)


def _done(words: list[str], folder: Path) -> bool:
    folder.mkdir(parents=True, exist_ok=True)
    try:
        return subprocess.run(words, cwd=folder, capture_output=True, check=False, timeout=300).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False
