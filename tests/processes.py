"""The processes that another one has started, and whether they have ended."""

from __future__ import annotations

import os
import select
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def children(process_id: int) -> list[int]:
    """Return the child processes of this one."""
    tasks = Path(f"/proc/{process_id}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


def is_gone(process_id: int) -> bool:
    try:
        stat = Path(f"/proc/{process_id}/stat").read_text()
    except OSError:
        return True
    return stat.rpartition(")")[2].split()[0] == "Z"


@contextmanager
def ends(process_id: int, *, at_most_s: float = 60) -> Iterator[None]:
    """Hold a process, of whichever parent, and make sure after the block that it ends."""
    held = os.pidfd_open(process_id)
    try:
        yield
        assert select.select([held], [], [], at_most_s)[0] == [held], f"process {process_id} goes on"
    finally:
        os.close(held)
