"""`trapdial station play --simulated` whose scan or journal hangs once, as soon as a file says so; whose disk takes ten
seconds for everything, or has no room, for as long as a file says so."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from pi_app.cli.main import main
from pi_app.play.feed import DialSample, InlineFeed
from pi_app.play.loop.session import GameSession
from tests.crash.disk import Made, Op
from tests.crash.recorder import recording

HANGS = 10_000
SLOW_S = 10.0


def struck(fault: str) -> bool:
    """Whether this fault is on; `strike` puts it there, and the first program that sees it takes it away."""
    path = Path(os.environ["RUNTIME_DIRECTORY"]) / f"fault-{fault}"
    if path.exists():
        path.unlink()
        return True
    return False


def lasts(fault: str) -> bool:
    """Whether this fault is on, for as long as its file is there."""
    return (Path(os.environ["RUNTIME_DIRECTORY"]) / f"fault-{fault}").exists()


def without_scan() -> None:
    """The feed gives nothing any more, and the loop turns on."""
    real, stopped = InlineFeed.take, list[bool]()

    def take(self: InlineFeed) -> Sequence[DialSample]:
        if stopped or struck("scan"):
            stopped.append(True)
            return []
        return real(self)

    InlineFeed.take = take  # type: ignore[method-assign]


def with_a_stuck_journal() -> None:
    """A commit does not return."""
    real = GameSession.tidy_journal

    def tidy(self: GameSession) -> None:
        if struck("journal"):
            self.writing_ns = self.clock.now_ns()
            time.sleep(HANGS)
        if lasts("slow"):
            self.writing_ns = self.clock.now_ns()
            time.sleep(SLOW_S)
            self.writing_ns = None
        real(self)

    GameSession.tidy_journal = tidy  # type: ignore[method-assign]


def on_a_full_disk() -> contextlib.AbstractContextManager[object]:
    """No file can be made or grow, but in the run folder, which is in memory."""

    def refuse(op: Op) -> None:
        named_in_run = isinstance(op, Made) and op.name.startswith("run/")
        if lasts("full") and isinstance(op, Made) and not named_in_run:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    return recording(Path(os.environ["RUNTIME_DIRECTORY"]).parent, refuse)


if __name__ == "__main__":
    without_scan()
    with_a_stuck_journal()
    with on_a_full_disk() if lasts("full") else contextlib.nullcontext():
        main(["station", "play", "--simulated", *sys.argv[1:]])
