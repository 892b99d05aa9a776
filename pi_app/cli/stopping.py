"""Signals end the program: as an exception, or as a request that a loop carries out.

A command runs in `raising`: a signal ends it at once, and every `finally` runs. A game runs in `requesting`: it
finishes its current step, turns screens and lamps dark and closes the journal; then the signal takes effect. After
`kill -9` or a crash, which no handler sees, the watchdog acts (`pi_app.play.watchdog`).
"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Final

from pi_app.text import exit_codes

SIGNALS: Final = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM)
"""A closed terminal, Ctrl-C, Ctrl-\\ and a service's stop. Python ignores SIGPIPE: the write fails instead."""

_HOW: Final = {
    signal.SIGHUP: "its terminal was closed (SIGHUP)",
    signal.SIGINT: "Ctrl-C",
    signal.SIGQUIT: "Ctrl-\\ (SIGQUIT)",
    signal.SIGTERM: "SIGTERM",
}


class Stopped(KeyboardInterrupt):
    """A signal ended the program. `exit_code` is 128 plus the signal's number, as in shells."""

    def __init__(self, number: int, advice: str = "") -> None:
        self.number, self.advice = number, advice
        how = _HOW.get(signal.Signals(number), signal.Signals(number).name)
        super().__init__(f"Stopped: {how}.{advice and ' ' + advice}")

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
def requesting(advice: str = "") -> Iterator[Request]:
    """Treat a signal as a request until the end of the block, and raise Stopped then, unless another exception is being
    raised. `advice`: how to resume. Signals that come while the block closes change nothing."""
    request = Request()
    with _handled_by(request):
        yield request
    if request.number is not None:
        raise Stopped(request.number, advice)


@contextlib.contextmanager
def raising() -> Iterator[None]:
    """Raise Stopped at the first signal until the end of the block. Later ones are ignored, so that they do not
    interrupt the closing."""

    def stop(number: int, _: FrameType | None) -> None:
        for each in SIGNALS:
            signal.signal(each, signal.SIG_IGN)
        raise Stopped(number)

    with _handled_by(stop):
        yield


@contextlib.contextmanager
def _handled_by(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Install the handler; a SIGHUP that was ignored from the start stays ignored (nohup). Does nothing outside the
    main thread, because only that thread may set handlers."""
    before = {each: signal.getsignal(each) for each in SIGNALS}
    try:
        for each in SIGNALS:
            if each is not signal.SIGHUP or before[each] is not signal.SIG_IGN:
                signal.signal(each, handler)
    except ValueError:
        before = {}
    try:
        yield
    finally:
        for each, earlier in before.items():
            if earlier is not None:
                signal.signal(each, earlier)
