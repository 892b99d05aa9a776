"""How far long work is, for whoever waits for it: a plain callback, passed down to the work."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar

T = TypeVar("T")


class Progress(Protocol):
    """Called with what is done now and, where it can be counted, with how much of it is done."""

    def __call__(self, what: str, done: int = 0, total: int = 0) -> None: ...


def no_progress(what: str, done: int = 0, total: int = 0) -> None:
    """Show no progress."""


def counted(
    each: Iterable[T],
    progress: Progress,
    what: str,
    total: int,
    *,
    size: Callable[[T], int] = lambda _: 1,
    every: int = 4096,
) -> Iterable[T]:
    """Yield the same things, and report after every so many of them. Without `progress` it costs nothing."""
    return each if progress is no_progress else _counted(each, progress, what, total, size, every)


def _counted(
    each: Iterable[T], progress: Progress, what: str, total: int, size: Callable[[T], int], every: int
) -> Iterator[T]:
    done = reported = 0
    progress(what, 0, total)
    for one in each:
        yield one
        done += size(one)
        if done - reported >= every:
            reported = done
            progress(what, done, total)
