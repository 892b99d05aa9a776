"""A game on a disk that refuses writes."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from tests.crash.disk import Made, Op, Written
from tests.crash.recorder import recording


class Trouble:
    """A disk that can be given a trouble and be mended."""

    def __init__(self) -> None:
        self.number: int | None = None

    def __call__(self, op: Op) -> None:
        if self.number is not None and isinstance(op, Made | Written):
            raise OSError(self.number, os.strerror(self.number))


@contextlib.contextmanager
def on_a_bad_disk(folder: Path) -> Iterator[Trouble]:
    trouble = Trouble()
    with recording(folder, trouble):
        yield trouble
