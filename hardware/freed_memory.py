"""Gives memory that a program has freed back to the system.

The C library keeps what was freed for later, between what is still in use. A program that runs for months would hold
for good what its largest moment took. Memory that is locked stays where it is. Source: malloc_trim(3), madvise(2);
musl has none.
"""

from __future__ import annotations


def give_back_memory() -> bool:
    """Give back what is free, in whole pages, in about a millisecond. Return whether there was something."""
    import ctypes

    try:
        return bool(ctypes.CDLL(None).malloc_trim(0))
    except (OSError, AttributeError):
        return False
