"""No simulated board may leave anything behind: no descriptor, no child, no thread."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _nothing_stays() -> Iterator[None]:
    before = set(os.listdir("/proc/self/fd"))
    yield
    assert set(os.listdir("/proc/self/fd")) <= before
    assert [thread.name for thread in threading.enumerate() if thread.name.startswith("board ")] == []
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
