"""A terminal that does not show what is typed, for a line that only one player may read."""

from __future__ import annotations

import contextlib
import sys
import termios


class Echo:
    """The echo of standard input. Leaving the context switches it on again."""

    def __init__(self) -> None:
        self._before: list[int | list[bytes | int]] | None = None

    def hide(self, hidden: bool) -> None:
        """Stop showing what is typed, or show it again. A pipe shows nothing anyway."""
        with contextlib.suppress(OSError, ValueError, AttributeError, termios.error):
            descriptor = sys.stdin.fileno()
            if hidden and self._before is None:
                before = termios.tcgetattr(descriptor)
                silent = [*before]
                silent[3] = before[3] & ~termios.ECHO
                termios.tcsetattr(descriptor, termios.TCSANOW, silent)
                self._before = before
            elif not hidden and self._before is not None:
                termios.tcsetattr(descriptor, termios.TCSANOW, self._before)
                self._before = None

    def __enter__(self) -> Echo:
        return self

    def __exit__(self, *_: object) -> None:
        self.hide(False)
