"""The entry point of `trapdial`. It handles signals before it imports anything, so that each always ends the program
with one line."""

from __future__ import annotations

import gc
import os
import signal
import sys
from types import FrameType

from pi_app.cli.ends import BY_SIGNAL, ENDS, handle_ends


def main() -> None:
    """Run the command line."""
    handle_ends(_leave)
    from pi_app.cli.main import main as command
    from pi_app.cli.private_process import keep_private

    keep_private()
    try:
        command()
    finally:
        handle_ends(signal.SIG_IGN)  # Python would give the signals back to the system, which ends it without a line
        gc.freeze()  # Python would look through all objects for garbage before it ends, for a third of a second


def _leave(number: int, _: FrameType | None) -> None:
    """Leave at once; nothing is open yet, or no more."""
    if sys.stderr is not None:
        try:  # noqa: SIM105 - contextlib is a large import, and comes later
            os.write(2, f"Stopped: {ENDS[signal.Signals(number)]}.\n".encode())
        except OSError:  # a closed terminal
            pass
    os._exit(BY_SIGNAL + number)


if __name__ == "__main__":
    main()
