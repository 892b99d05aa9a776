"""News for the referee from beside the game: the machine's troubles and the screens'. Taking them never waits."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from hardware.errors import HardwareError
from pi_app.text.language import N_

LOOK_EVERY_S: Final = 10


class News(Protocol):
    """Sentences for the referee, as they come."""

    def take(self) -> Sequence[str]:
        """What is new since the last call; never waits."""

    def close(self) -> None:
        """Stop looking."""


class NoNews:
    """A machine that nobody looks at: a simulated table's."""

    def take(self) -> Sequence[str]:
        return ()

    def close(self) -> None:
        """Nothing is open here."""


class InlineNews:
    """Looks in the caller's thread, every LOOK_EVERY_S of the caller's clock: for a table in virtual time."""

    def __init__(self, look: Callable[[], Sequence[str]], now_ns: Callable[[], int]) -> None:
        self._look, self._now_ns = look, now_ns
        self._next_ns = now_ns()

    def take(self) -> Sequence[str]:
        if self._now_ns() < self._next_ns:
            return ()
        self._next_ns = self._now_ns() + LOOK_EVERY_S * 1_000_000_000
        return self._look()

    def close(self) -> None:
        """Nothing is open here."""


class ThreadNews:
    """Looks in a thread of its own: a disk that hangs or a slow program must not hold up a game."""

    def __init__(self, look: Callable[[], Sequence[str]], every_s: float = LOOK_EVERY_S) -> None:
        self._look, self._every_s = look, every_s
        self._said: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="machine", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._stop.is_set():
            for line in self._look():
                self._said.put(line)
            self._stop.wait(self._every_s)

    def take(self) -> Sequence[str]:
        return [self._said.get_nowait() for _ in range(self._said.qsize())]

    def close(self) -> None:
        self._stop.set()
        self._thread.join(timeout=3.0)


class AllNews:
    """The news of several."""

    def __init__(self, sources: Sequence[News]) -> None:
        self._sources = sources

    def take(self) -> Sequence[str]:
        return [line for source in self._sources for line in source.take()]

    def close(self) -> None:
        """They are closed by those who opened them."""


class TroubledPart(Protocol):
    """A screen: it mends itself, and says what ails it meanwhile."""

    @property
    def trouble(self) -> HardwareError | None: ...


class ScreenNews:
    """Says once when a screen fails, and once when it works again."""

    def __init__(self, screens: Sequence[TroubledPart], words: Callable[[str], str]) -> None:
        self._screens, self._words = screens, words
        self._said: list[HardwareError | None] = [None for _ in screens]

    def take(self) -> Sequence[str]:
        told: list[str] = []
        for number, screen in enumerate(self._screens):
            trouble, said = screen.trouble, self._said[number]
            if trouble is not None and said is None:
                told.append(str(trouble))
            elif trouble is None and said is not None:
                again = self._words(N_("{part} ({place}) works again; it was set up anew."))
                told.append(again.format(part=said.part, place=said.place))
            self._said[number] = trouble
        return told

    def close(self) -> None:
        """Nothing is open here."""
