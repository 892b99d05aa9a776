"""The environment of a process that this program starts for itself."""

from __future__ import annotations

import os
from pathlib import Path


def child_environment() -> dict[str, str]:
    """Nothing of this process's environment that could be a secret, such as a passphrase."""
    package = str(Path(__file__).resolve().parents[2])
    kept = {name: os.environ[name] for name in ("PYTHONHOME", "PYTHONPYCACHEPREFIX") if name in os.environ}
    return {
        **kept,
        "PATH": os.defpath,
        "LANG": "C.UTF-8",
        "PYTHONPATH": os.pathsep.join([package, *filter(None, [os.environ.get("PYTHONPATH")])]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "MALLOC_ARENA_MAX": "1",
        "MALLOC_MMAP_THRESHOLD_": "65536",  # large buffers go back to the system, so the heap does not grow
        "MALLOC_TRIM_THRESHOLD_": "131072",
    }
