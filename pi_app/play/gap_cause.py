"""Detects gaps between samples that the machine causes, and not the wire."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

from hardware.readings import DialSource
from pi_app.text.language import N_, Words

LATE_READS: Final = N_(
    "processor (this machine): {times} times in {seconds} s the dials were read late, up to {late} ms, while the wires "
    "were idle. Close other programs; trapdial doctor says how play gets real-time priority."
)

WINDOW_NS: Final = 10_000_000_000
ENOUGH: Final = 3
"""Late scans within the window that make a notice. A single one does not: a slow SD card happens on every Pi."""

QUIET_NS: Final = 600_000_000_000
"""The shortest time between two notices."""


class GapCause:
    """Counts the scans that the machine delayed. Each scanning thread has its own."""

    def __init__(self, words: Words, late_ns: int) -> None:
        """`late_ns`: the delay of a late scan; the table's gap limit."""
        self._words, self._late_ns = words, late_ns
        self._late: deque[tuple[int, int]] = deque()
        self._notice_ns: int | None = None
        self.late_scans = 0
        """All late scans so far, for the status."""

    def note(self, asked_ns: int, woke_ns: int, scan_took_ns: int, wire_ns: int) -> str | None:
        """Note one scan: due at `asked_ns`, begun at `woke_ns`, with this duration, of which `wire_ns` on the wire
        (bits, and waits of the adapter). Return a sentence for the referee now and then."""
        late_ns = max(0, woke_ns - asked_ns) + max(0, scan_took_ns - wire_ns)
        if late_ns < self._late_ns:
            return None
        self.late_scans += 1
        self._late.append((woke_ns, late_ns))
        while self._late[0][0] < woke_ns - WINDOW_NS:
            self._late.popleft()
        quiet = self._notice_ns is not None and woke_ns - self._notice_ns < QUIET_NS
        if len(self._late) < ENOUGH or quiet:
            return None
        self._notice_ns = woke_ns
        return self._sentence(woke_ns)

    def _sentence(self, now_ns: int) -> str:
        times, longest_ns = len(self._late), max(late for _, late in self._late)
        seconds = max(1, -(-(now_ns - self._late[0][0]) // 1_000_000_000))
        self._late.clear()
        return self._words(LATE_READS).format(times=times, seconds=seconds, late=-(-longest_ns // 1_000_000))


FORGETS: Final = 64
"""`UsualTime` follows longer scans by this fraction of the difference for each scan."""


class UsualTime:
    """The usual duration of a scan without failures: about the shortest of the last few hundred."""

    def __init__(self) -> None:
        self._least_ns: int | None = None

    def of(self, took_ns: int, *, calm: bool) -> int:
        """Return the usual duration for a scan that took `took_ns`. One that was not `calm` was slow on the wire."""
        if not calm:
            return took_ns
        least_ns = self._least_ns
        if least_ns is None or took_ns < least_ns:
            least_ns = took_ns
        self._least_ns = least_ns + (took_ns - least_ns) // FORGETS
        return least_ns


class GapNotices:
    """The late scans of all scanning threads, with a sentence for the referee now and then (a
    `pi_app.play.machine_notices.Notices`)."""

    def __init__(self, words: Words, late_ns: int) -> None:
        self._words, self._late_ns = words, late_ns
        self._lock = threading.Lock()
        self._noticed_ns: int | None = None
        self._waiting: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._threads: list[ThreadGaps] = []

    def of_thread(self) -> ThreadGaps:
        """Return the counter of one more scanning thread."""
        made = ThreadGaps(GapCause(self._words, self._late_ns), self._notice)
        self._threads.append(made)
        return made

    @property
    def late_scans(self) -> int:
        """All late scans so far."""
        return sum(thread.cause.late_scans for thread in self._threads)

    def _notice(self, sentence: str, now_ns: int) -> None:
        """Queue one sentence for threads that were late together."""
        with self._lock:
            if self._noticed_ns is None or now_ns - self._noticed_ns >= QUIET_NS:
                self._noticed_ns = now_ns
                self._waiting.put(sentence)

    def take(self) -> Sequence[str]:
        """Return the notices since the last call, without waiting."""
        return [self._waiting.get_nowait() for _ in range(self._waiting.qsize())]


class ThreadGaps:
    """The late scans of one scanning thread. Only that thread may call it."""

    def __init__(self, cause: GapCause, notice: Callable[[str, int], None]) -> None:
        self.cause, self._notice = cause, notice
        self._usual = UsualTime()

    def note(self, asked_ns: int, woke_ns: int, took_ns: int, sources: Sequence[DialSource]) -> None:
        """Note one scan of these sources: when it was due, when it began, and its duration."""
        usual_ns = self._usual.of(took_ns, calm=all(source.calm for source in sources))
        sentence = self.cause.note(asked_ns, woke_ns, took_ns, usual_ns)
        if sentence is not None:
            self._notice(sentence, woke_ns)
