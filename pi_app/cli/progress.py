"""Draws how far long work is: on standard error, only on a terminal, and gone when the work is done.

It draws only when the work reports, without a thread, so that a benchmark measures nothing else and a long journal is
still verified on all cores.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from pi_app.cli.printing import console, is_terminal
from pi_app.text.printed import shown
from pi_app.text.progress import Progress, no_progress

if TYPE_CHECKING:
    from rich.progress import Progress as Drawing
    from rich.progress import TaskID

EVERY_S: Final = 0.1
"""The shortest time from one picture to the next of the same work."""


@contextlib.contextmanager
def shown_progress() -> Iterator[Progress]:
    """Show the progress that is reported inside the block; nothing if standard error is no terminal."""
    if not is_terminal(sys.stderr):
        yield no_progress
        return
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Drawing

    drawing = Drawing(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[share]}", markup=False),
        TimeElapsedColumn(),
        console=console(err=True),
        auto_refresh=False,
        speed_estimate_period=0.0,  # else it keeps every report, and the soak counts objects
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    with drawing:
        yield _Shown(drawing, drawing.add_task("", total=1, visible=False, share=""))


class _Shown:
    """One line of progress."""

    def __init__(self, drawing: Drawing, task: TaskID) -> None:
        self._drawing, self._task = drawing, task
        self._what, self._next_s = "", 0.0

    def __call__(self, what: str, done: int = 0, total: int = 0) -> None:
        now_s = time.monotonic()
        if what == self._what and now_s < self._next_s:
            return
        self._what, self._next_s = what, now_s + EVERY_S
        done = min(done, total)
        share = f"{100 * done // total} %" if total else ""
        self._drawing.update(
            self._task,
            description=shown(what),
            completed=done,
            total=total or 1,
            visible=True,
            share=share,
            refresh=True,
        )
