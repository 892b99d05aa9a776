"""Says when the machine, and not the wire, makes gaps between samples."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final

from pi_app.displays.words import N_

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
