"""Changes a number of a module for as long as a lane runs."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from types import ModuleType


@contextlib.contextmanager
def patched(module: ModuleType, name: str, value: float) -> Iterator[None]:
    """Give a module's number another value, and its own one back afterwards."""
    before = getattr(module, name)
    setattr(module, name, value)
    try:
        yield
    finally:
        setattr(module, name, before)
