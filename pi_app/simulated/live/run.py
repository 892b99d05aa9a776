"""Runs the live screen over a simulated table."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pi_app.settings.model import Settings
from pi_app.simulated.fault_option import WantedFault
from pi_app.simulated.live.app import LiveScreen
from pi_app.simulated.live.table import AfterGame, LiveTable


def run(
    settings: Settings,
    journal: Path,
    *,
    seed: int = 0,
    resume: bool = False,
    faults: Sequence[WantedFault] = (),
    boards: bool = False,
    after_game: AfterGame = lambda game_id, letters: (),
    at_signal: Callable[[Callable[[], None]], None] = lambda stop: None,
) -> tuple[str, ...]:
    """Play until the player quits, and return what `after_game` told of the last game that ended. The table runs in one
    thread, the screen in this one. `at_signal` takes what a signal calls to stop both.

    Raises the error of the table, HardwareError, UserFileError or a bug, and a bug of the screen. Exits with the
    screen's code if it could not run.
    """
    table = LiveTable(settings, journal, seed=seed, resume=resume, faults=faults, boards=boards, after_game=after_game)
    at_signal(table.stop)
    screen: LiveScreen | None = None
    with ThreadPoolExecutor(1, thread_name_prefix="table") as threads:
        playing = threads.submit(table.play)
        try:
            table.begun.wait()
            if table.snapshot is not None and not table.stopping:
                over = lambda: table.stopping or playing.done()  # noqa: E731 - a value for the screen
                screen = LiveScreen(table, table.snapshot, seed=seed, over=over, guided=not resume)
                screen.run()
        finally:
            table.stop()
        playing.result()
    if screen is not None and screen.failure is not None:
        raise screen.failure
    if screen is not None and screen.return_code:
        sys.exit(screen.return_code)
    return table.after
