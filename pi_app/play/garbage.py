"""Runs Python's garbage collector between the steps of a game, and never within one.

On its own it runs whenever enough was allocated, perhaps between a sample and its result: a full collection
took 30 ms of a step on a development machine, and a Pi Zero is several times slower. Objects from before the game
are frozen, so that the collector does not visit them again.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator
from typing import Final

YOUNG: Final = 700
OLDER: Final = 10
"""Python's own thresholds: new objects, and collections of the younger generations."""


@contextlib.contextmanager
def manual_collection() -> Iterator[None]:
    """While this is open, only `collect_due` collects garbage."""
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.unfreeze()


def collect_due(*, idle: bool) -> None:
    """Collect the generations that are due. The full collection waits until no player waits (`idle`)."""
    if gc.isenabled():
        return
    young, middle, old = gc.get_count()
    if young < YOUNG:
        return
    if old > OLDER and idle:
        gc.collect(2)
    elif middle > OLDER:
        gc.collect(1)
    else:
        gc.collect(0)
