"""Says when the machine, and not the wire, makes gaps between samples."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

from hardware.readings import DialSource
from pi_app.text.language import N_

Words = Callable[[str], str]

LATE_READS: Final = N_(
    "processor (this machine): {times} times in {seconds} s the dials were read late, up to {late} ms, while the wires "
    "were idle. Close other programs; trapdial doctor says how play gets real-time priority."
)

WINDOW_NS: Final = 10_000_000_000
ENOUGH: Final = 3
"""So many late scans within the window are told. One alone is not: a card that is slow once happens on every Pi."""

QUIET_NS: Final = 600_000_000_000
"""It is not told again for so long, whatever happens."""


class GapCause:
    """Counts the scans that the machine made late. One for each scanning thread; it belongs to that thread."""

    def __init__(self, words: Words, late_ns: int) -> None:
        """`late_ns`: from here on a scan counts as late; the table's gap limit."""
        self._words, self._late_ns = words, late_ns
        self._late: deque[tuple[int, int]] = deque()
        self._told_ns: int | None = None
        self.late_scans = 0
        """All of them so far, for the status."""

    def note(self, asked_ns: int, woke_ns: int, scan_took_ns: int, wire_ns: int) -> str | None:
        """Take in one scan: it was to begin at `asked_ns`, began at `woke_ns`, and took so long, `wire_ns` of it on the
        wire (bits, and what the adapter waits for). A sentence for the referee, now and then."""
        late_ns = max(0, woke_ns - asked_ns) + max(0, scan_took_ns - wire_ns)
        if late_ns < self._late_ns:
            return None
        self.late_scans += 1
        self._late.append((woke_ns, late_ns))
        while self._late[0][0] < woke_ns - WINDOW_NS:
            self._late.popleft()
        quiet = self._told_ns is not None and woke_ns - self._told_ns < QUIET_NS
        if len(self._late) < ENOUGH or quiet:
            return None
        self._told_ns = woke_ns
        return self._sentence(woke_ns)

    def _sentence(self, now_ns: int) -> str:
        times, longest_ns = len(self._late), max(late for _, late in self._late)
        seconds = max(1, -(-(now_ns - self._late[0][0]) // 1_000_000_000))
        self._late.clear()
        return self._words(LATE_READS).format(times=times, seconds=seconds, late=-(-longest_ns // 1_000_000))


FORGETS: Final = 64
"""How slowly `UsualTime` follows scans that became longer: by so small a part of the difference, scan by scan."""


class UsualTime:
    """How long a scan takes when nothing fails: about the shortest one of the last few hundred."""

    def __init__(self) -> None:
        self._least_ns: int | None = None

    def of(self, took_ns: int, *, calm: bool) -> int:
        """What a scan that took so long should have taken. One that was not `calm` had its reasons on the wire."""
        if not calm:
            return took_ns
        least_ns = self._least_ns
        if least_ns is None or took_ns < least_ns:
            least_ns = took_ns
        self._least_ns = least_ns + (took_ns - least_ns) // FORGETS
        return least_ns


class GapNotices:
    """The late scans of all scanning threads, and a sentence about them for the referee now and then. It is one of the
    machine's notices (`pi_app.play.machine_notices.News`)."""

    def __init__(self, words: Words, late_ns: int) -> None:
        self._words, self._late_ns = words, late_ns
        self._lock = threading.Lock()
        self._said_ns: int | None = None
        self._waiting: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._threads: list[ThreadGaps] = []

    def of_thread(self) -> ThreadGaps:
        """The account of one more scanning thread."""
        made = ThreadGaps(GapCause(self._words, self._late_ns), self._say)
        self._threads.append(made)
        return made

    @property
    def late_scans(self) -> int:
        """All of them so far."""
        return sum(thread.cause.late_scans for thread in self._threads)

    def _say(self, sentence: str, now_ns: int) -> None:
        """Two threads that were late together make one sentence."""
        with self._lock:
            if self._said_ns is None or now_ns - self._said_ns >= QUIET_NS:
                self._said_ns = now_ns
                self._waiting.put(sentence)

    def take(self) -> Sequence[str]:
        """What is new since the last call; never waits."""
        return [self._waiting.get_nowait() for _ in range(self._waiting.qsize())]

    def close(self) -> None:
        """Nothing is open here."""


class ThreadGaps:
    """The late scans of one scanning thread, which alone may call it."""

    def __init__(self, cause: GapCause, say: Callable[[str, int], None]) -> None:
        self.cause, self._say = cause, say
        self._usual = UsualTime()

    def note(self, asked_ns: int, woke_ns: int, took_ns: int, sources: Sequence[DialSource]) -> None:
        """Take in one scan of these sources: when it was to begin, when the machine let it begin, and how long it
        took."""
        usual_ns = self._usual.of(took_ns, calm=all(source.calm for source in sources))
        sentence = self.cause.note(asked_ns, woke_ns, took_ns, usual_ns)
        if sentence is not None:
            self._say(sentence, woke_ns)
