"""A USB cable that damages bytes on demand. The same seed and bytes give the same damage."""

from __future__ import annotations

import random
from collections.abc import Callable

CTRL_C = 0x03
REPL_TEXT = b'\r\nTraceback (most recent call last):\r\n  File "main.py", line 1\r\nOSError: [Errno 5] EIO\r\n>>> '


class BadWire:
    """Set `flips`, `drops`, `garbage` (probabilities per byte, 0 to 1), `cuts` and `text` (per line) at any time.

    Garbage is up to 40 bytes without 0x03, which would be a Ctrl-C. A cut line ends early and loses its LF. Text is the
    output of a REPL. `seen` counts the damages.
    """

    def __init__(self, seed: int = 0) -> None:
        self._random = random.Random(f"bad wire {seed}")
        self.flips = self.drops = self.garbage = self.cuts = self.text = 0.0
        self.seen = 0

    @property
    def bad(self) -> bool:
        """Whether it damages anything."""
        return any((self.flips, self.drops, self.garbage, self.cuts, self.text))

    def mend(self) -> None:
        """Stop damaging."""
        self.flips = self.drops = self.garbage = self.cuts = self.text = 0.0

    def carry(self, data: bytes) -> bytes:
        """These bytes as they arrive."""
        if not self.bad:
            return data
        return b"".join(self._line(line) for line in data.splitlines(keepends=True))

    def _line(self, line: bytes) -> bytes:
        chance = self._random.random
        if chance() < self.cuts:
            self.seen += 1
            line = line[: self._random.randrange(len(line))]
        came = b"".join(self._byte(byte) for byte in line)
        if chance() < self.text:
            self.seen += 1
            came = REPL_TEXT + came
        return came

    def _byte(self, byte: int) -> bytes:
        done: Callable[[], float] = self._random.random
        drawn = done()
        if drawn < self.flips:
            self.seen += 1
            flipped = byte ^ 1 << self._random.randrange(8)
            return bytes((byte if flipped == CTRL_C else flipped,))
        drawn -= self.flips
        if drawn < self.drops:
            self.seen += 1
            return b""
        drawn -= self.drops
        if drawn < self.garbage:
            self.seen += 1
            junk = self._random.randbytes(self._random.randint(1, 40))
            return junk.replace(bytes((CTRL_C,)), b"") + bytes((byte,))
        return bytes((byte,))
