"""The entry point of `trapdial`. It handles Ctrl-C before it imports anything, so that it always ends with one line."""

import os
import signal
import sys
from types import FrameType

EXIT_INTERRUPTED = 128 + signal.SIGINT


def main() -> None:
    """Run the command line."""
    signal.signal(signal.SIGINT, _interrupted)
    from pi_app.cli.main import main as command
    from pi_app.cli.private_process import keep_private

    keep_private()
    command()


def _interrupted(_: int, __: FrameType | None) -> None:
    """Leave at once; nothing is open yet."""
    if sys.stderr is not None:
        os.write(2, b"Stopped: Ctrl-C.\n")
    os._exit(EXIT_INTERRUPTED)


if __name__ == "__main__":
    main()
