"""The signals that end the program. This imports next to nothing: `pi_app.cli.entry` handles them before all else."""

from __future__ import annotations

import signal

BY_SIGNAL = 128
"""Plus the number of the signal: `pi_app.text.exit_codes`, without its import."""

ENDS = {
    signal.SIGHUP: "its terminal was closed (SIGHUP)",
    signal.SIGINT: "Ctrl-C",
    signal.SIGQUIT: "Ctrl-\\ (SIGQUIT)",
    signal.SIGTERM: "SIGTERM",
}
"""Each as the program's last line names it. Python ignores SIGPIPE: the write fails instead."""


def handle_ends(handler: signal._HANDLER) -> None:
    """Install a handler for all of them; a SIGHUP that was ignored from the start stays ignored (nohup). Raises
    ValueError outside of the main thread."""
    for number in ENDS:
        if number is not signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)
