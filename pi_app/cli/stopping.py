"""Signals end the program: as an exception, or as a request that a loop carries out.

A command runs in `raising`: a signal ends it at once, and every `finally` runs. A game runs in `requesting`: it
finishes its current step, turns screens and lamps dark and closes the journal; then the signal takes effect. After
`kill -9` or a crash, which no handler sees, the watchdog acts (`pi_app.play.watchdog`).
"""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Final

from pi_app.cli.ends import ENDS, handle_ends
from pi_app.text import exit_codes

AGAIN_S: Final = 0.001
"""How soon a Stopped is raised again that Python dropped, as it does with any exception in a finalizer."""


class Stopped(KeyboardInterrupt):
    """A signal ended the program. `exit_code` is 128 plus the signal's number, as in shells."""

    def __init__(self, number: int, advice: str = "") -> None:
        self.number, self.advice = number, advice
        super().__init__(f"Stopped: {ENDS[signal.Signals(number)]}.{advice and ' ' + advice}")

    @property
    def exit_code(self) -> int:
        return exit_codes.BY_SIGNAL + self.number


class Request:
    """Records whether a signal asked the program to stop, and calls a function then."""

    def __init__(self) -> None:
        self.number: int | None = None
        self._stop: Callable[[], None] | None = None

    def __call__(self, number: int, _: FrameType | None) -> None:
        """Handle a signal; the first one counts."""
        self.number = self.number or number
        if self._stop is not None:
            self._stop()

    def calls(self, stop: Callable[[], None]) -> None:
        """Call `stop` at the first signal; at once if it has come already."""
        self._stop = stop
        if self.number is not None:
            stop()


@contextlib.contextmanager
def requesting(advice: str = "", journal: Path | None = None) -> Iterator[Request]:
    """Treat a signal as a request until the end of the block, and raise Stopped then, unless another exception is being
    raised. `advice`: how to resume, said only if this journal has been made by then. Signals that come while the block
    closes change nothing."""
    request = Request()
    with _handled_by(request):
        yield request
    if request.number is not None:
        raise Stopped(request.number, advice if journal is None or journal.exists() else "")


@contextlib.contextmanager
def raising() -> Iterator[None]:
    """Raise Stopped at the first signal until the end of the block. Later ones are ignored, so that they do not
    interrupt the closing."""

    def stop(number: int, _: FrameType | None) -> None:
        if _is_closing():
            return
        for each in ENDS:
            signal.signal(each, signal.SIG_IGN)
        raise Stopped(number)

    with _handled_by(stop), _raised_again():
        yield


def _is_closing() -> bool:
    """Whether a Stopped is passing through the `finally` of what is open."""
    error = sys.exc_info()[1]
    while error is not None and not isinstance(error, Stopped):
        error = error.__context__
    return error is not None


@contextlib.contextmanager
def _raised_again() -> Iterator[None]:
    """Raise a Stopped again if it came while Python ran a finalizer, or another callback whose exceptions it drops."""
    earlier, dropped = sys.unraisablehook, list[Stopped]()

    def again(_: int, __: FrameType | None) -> None:
        raise dropped.pop()

    def hook(unraisable: sys.UnraisableHookArgs, /) -> None:
        if not isinstance(unraisable.exc_value, Stopped):
            earlier(unraisable)
            return
        dropped.append(unraisable.exc_value)
        signal.signal(signal.SIGALRM, again)
        signal.setitimer(signal.ITIMER_REAL, AGAIN_S)

    sys.unraisablehook = hook
    try:
        yield
    finally:
        sys.unraisablehook = earlier


@contextlib.contextmanager
def _handled_by(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Install the handler. Does nothing outside the main thread, because only that thread may set handlers."""
    before = {each: signal.getsignal(each) for each in ENDS}
    try:
        handle_ends(handler)
    except ValueError:
        before = {}
    try:
        yield
    finally:
        for each, earlier in before.items():
            if earlier is not None:
                signal.signal(each, earlier)
