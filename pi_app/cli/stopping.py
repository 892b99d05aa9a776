"""How a signal ends the program: raised as an exception, or kept as a request that a loop carries out.

A command begins with `raising`: a signal ends it where it stands, and every `finally` runs. A game runs under
`requesting`: the round at hand is finished, screens and lamps go dark, the journal is closed, and only then the
signal counts. What no handler sees (`kill -9`, a crash) is the watchdog's business (`pi_app.play.watchdog`).
"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Final

SIGNALS: Final = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM)
"""A closed terminal, Ctrl-C, Ctrl-\\ and a service's stop. Python itself ignores SIGPIPE: a write fails instead."""

_HOW: Final = {
    signal.SIGHUP: "its terminal was closed (SIGHUP)",
    signal.SIGINT: "Ctrl-C",
    signal.SIGQUIT: "Ctrl-\\ (SIGQUIT)",
    signal.SIGTERM: "SIGTERM",
}


class Stopped(KeyboardInterrupt):
    """A signal ended the program. `exit_code` is 128 and the signal's number, as shells count."""

    def __init__(self, number: int, advice: str = "") -> None:
        self.number, self.advice = number, advice
        how = _HOW.get(signal.Signals(number), signal.Signals(number).name)
        super().__init__(f"Stopped: {how}.{advice and ' ' + advice}")

    @property
    def exit_code(self) -> int:
        return 128 + self.number


class Request:
    """Whether a signal asked the program to stop, and what is called then."""

    def __init__(self) -> None:
        self.number: int | None = None
        self._stop: Callable[[], None] | None = None

    def __call__(self, number: int, _: FrameType | None) -> None:
        """The handler. The first signal counts."""
        self.number = self.number or number
        if self._stop is not None:
            self._stop()

    def calls(self, stop: Callable[[], None]) -> None:
        """Call this from now on; at once if a signal has come already."""
        self._stop = stop
        if self.number is not None:
            stop()


@contextlib.contextmanager
def requesting(advice: str = "") -> Iterator[Request]:
    """Until the end of the block a signal is a request. Then it raises Stopped, unless another exception is on its
    way. `advice`: how to go on another time. Signals that come while the block closes everything change nothing."""
    request = Request()
    with _handled_by(request):
        yield request
    if request.number is not None:
        raise Stopped(request.number, advice)


@contextlib.contextmanager
def raising() -> Iterator[None]:
    """Until the end of the block the first signal raises Stopped; later ones are ignored, so that nothing interrupts
    the closing."""

    def stop(number: int, _: FrameType | None) -> None:
        for each in SIGNALS:
            signal.signal(each, signal.SIG_IGN)
        raise Stopped(number)

    with _handled_by(stop):
        yield


@contextlib.contextmanager
def _handled_by(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """A SIGHUP that was ignored from the start stays so (nohup). Does nothing outside the main thread, which alone
    may choose handlers."""
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
