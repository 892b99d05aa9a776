"""What holds for every test: Hypothesis judges properties and never how long this machine takes.
Temporary folders are inside pytest's own.

TRAPDIAL_EXAMPLES is how many cases it makes for a property that does not say it itself: fewer every day, more in CI.
"""

from __future__ import annotations

import gc
import os
import shutil
import signal
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "untimed",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    max_examples=int(os.environ.get("TRAPDIAL_EXAMPLES", "15")),
)
settings.load_profile("untimed")


MEMORY = Path("/dev/shm")
"""What tests write goes there, if it is large: thousands of journals need not wait for a disk."""

ENOUGH_BYTES = 1 << 30

if MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ENOUGH_BYTES:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))

RARELY = 1000
"""How many younger collections come before a full one, which searches all that thousands of tests are made of."""


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Generator[None, object, object]:
    """Turn the garbage collector off while tests are collected: nearly all of it stays."""
    gc.set_threshold(*gc.get_threshold()[:2], RARELY)
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.fixture(autouse=True, scope="session")
def temporary_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Keep temporary folders, also those of child processes, inside pytest's own: the demo leaves its record in one."""
    folder = tmp_path_factory.mktemp("temporary")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("TMPDIR", str(folder))
        patched.setattr("tempfile.tempdir", None)
        yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(autouse=True, scope="session")
def hangup_is_not_ignored() -> Iterator[None]:
    """Give each child process the usual SIGHUP: under `nohup` it would inherit an ignored one."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)
