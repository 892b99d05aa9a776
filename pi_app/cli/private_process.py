"""Keeps the secrets of this program in this program: no core file, no debugger, no error text with a secret in it."""

from __future__ import annotations

import os
import sys
import threading
from types import TracebackType

from hardware.private_memory import keep_memory_private
from pi_app.cli.terminal import warn


def keep_private() -> None:
    """Do it for the whole program, before it reads a key. An error that no command handles becomes one line, which has
    no value of the game, unless TRAPDIAL_TRACEBACK asks for more."""
    keep_memory_private()
    from pi_app.cli.main import WITH_TRACEBACK

    if not os.environ.get(WITH_TRACEBACK):
        sys.excepthook = _failed
        threading.excepthook = lambda failed: _failed(failed.exc_type, failed.exc_value, failed.exc_traceback)
        sys.unraisablehook = lambda failed: _failed(failed.exc_type, failed.exc_value, failed.exc_traceback)


def _failed(kind: type[BaseException], error: BaseException | None, _: TracebackType | None) -> None:
    from pi_app.cli.main import bug_line

    if not issubclass(kind, (SystemExit, KeyboardInterrupt)):
        warn(bug_line(error) if isinstance(error, Exception) else f"Trapdial stopped because of {kind.__name__}.")
