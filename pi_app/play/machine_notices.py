"""Notices for the referee about the machine and the screens. Taking them never waits."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from hardware.errors import HardwareError
from pi_app.text.language import N_, Words

POLL_EVERY_S: Final = 10


class Notices(Protocol):
    """A source of sentences for the referee."""

    def take(self) -> Sequence[str]:
        """Return the notices since the last call, without waiting."""


class InlineNotices:
    """Polls in the caller's thread, every POLL_EVERY_S of the caller's clock: for a table in virtual time."""

    def __init__(self, poll: Callable[[], Sequence[str]], now_ns: Callable[[], int]) -> None:
        self._poll, self._now_ns = poll, now_ns
        self._next_ns = now_ns()

    def take(self) -> Sequence[str]:
        if self._now_ns() < self._next_ns:
            return ()
        self._next_ns = self._now_ns() + POLL_EVERY_S * 1_000_000_000
        return self._poll()


class ThreadNotices:
    """Polls in a separate thread, so that a disk that hangs or a slow program does not delay a game."""

    def __init__(self, poll: Callable[[], Sequence[str]], every_s: float = POLL_EVERY_S) -> None:
        self._poll, self._every_s = poll, every_s
        self._queue: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="machine", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._stop.is_set():
            for line in self._poll():
                self._queue.put(line)
            self._stop.wait(self._every_s)

    def take(self) -> Sequence[str]:
        return [self._queue.get_nowait() for _ in range(self._queue.qsize())]

    def close(self) -> None:
        """Stop polling."""
        self._stop.set()
        self._thread.join(timeout=3.0)


class TroubledPart(Protocol):
    """A screen: it recovers automatically, and names its trouble meanwhile."""

    @property
    def trouble(self) -> HardwareError | None: ...


class ScreenNotices:
    """Reports once when a screen fails, and once when it works again."""

    def __init__(self, screens: Sequence[TroubledPart], words: Words) -> None:
        self._screens, self._words = screens, words
        self._reported: list[HardwareError | None] = [None for _ in screens]

    def take(self) -> Sequence[str]:
        notices: list[str] = []
        for number, screen in enumerate(self._screens):
            trouble, reported = screen.trouble, self._reported[number]
            if trouble is not None and reported is None:
                notices.append(str(trouble))
            elif trouble is None and reported is not None:
                again = self._words(N_("{part} ({place}) works again; it was set up again."))
                notices.append(again.format(part=reported.part, place=reported.place))
            self._reported[number] = trouble
        return notices
