"""Python's collector of cyclic garbage, run between the steps of a game and never within one.

Left alone it runs whenever enough has been allocated, which may be between a look and its answer: a full collection
took 30 ms of a step on a development machine, and a Pi Zero is several times slower. What was there before the game
is set aside, so that the collector need not walk through it again.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator
from typing import Final

YOUNG: Final = 700
OLDER: Final = 10
"""The thresholds of Python itself: so many new objects, and so many collections of the younger ones."""


@contextlib.contextmanager
def by_hand() -> Iterator[None]:
    """While this is open garbage is collected by `tidy` alone."""
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.unfreeze()


def tidy(*, idle: bool) -> None:
    """Collect what is due, if it is done by hand. The long collection waits until nobody is waited for (`idle`)."""
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
