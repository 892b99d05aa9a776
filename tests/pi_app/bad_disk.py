"""A disk that can be made to refuse everything, for games."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from tests.crash.disk import Made, Op, Written
from tests.crash.recorder import recording


class BadDisk:
    """A disk that refuses every write with the error `number`, while it is set."""

    def __init__(self) -> None:
        self.number: int | None = None

    def __call__(self, op: Op) -> None:
        if self.number is not None and isinstance(op, Made | Written):
            raise OSError(self.number, os.strerror(self.number))


@contextlib.contextmanager
def on_a_bad_disk(folder: Path) -> Iterator[BadDisk]:
    """Put this folder on such a disk. Open the journal within."""
    disk = BadDisk()
    with recording(folder, disk):
        yield disk
