"""`trapdial station play --simulated` whose scan or journal hangs once, as soon as a file says so."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from pi_app.cli.main import main
from pi_app.play.feed import DialSample, InlineFeed
from pi_app.play.loop.session import GameSession

HANGS = 10_000


def struck(fault: str) -> bool:
    """Whether this fault is on; `strike` puts it there, and the first program that sees it takes it away."""
    path = Path(os.environ["RUNTIME_DIRECTORY"]) / f"fault-{fault}"
    if path.exists():
        path.unlink()
        return True
    return False


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
        real(self)

    GameSession.tidy_journal = tidy  # type: ignore[method-assign]


if __name__ == "__main__":
    without_scan()
    with_a_stuck_journal()
    main(["station", "play", "--simulated", *sys.argv[1:]])
