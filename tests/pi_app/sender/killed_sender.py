"""Run as a program: for each line `JOURNAL ADDRESS NUMBER` of standard input it hands that record over, and is killed
(SIGKILL) at the call with that number; 0: at none. Then it writes how that life ended and how many calls it made.

Each call that Python reports to its audit hooks counts: opening, renaming and removing files, SQLite, sockets. Modules
are loaded once; each life is a fork.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import NoReturn

from pi_app.journal.cosigned import cosigned
from pi_app.journal.record.heads import head_in
from pi_app.sender import outbox, pace
from pi_app.sender.orders import SenderOrders
from pi_app.sender.process import Reporting, run

CALLS = ("open", "os.", "sqlite3.", "socket.", "tempfile.", "fcntl.")


class DoneError(Exception):
    """Everything was handed over."""


def live(orders: SenderOrders, entries: int, killed_at: int, said: int) -> NoReturn:
    """Hand over until all is cosigned, or until that call; then write the number of calls."""
    calls, counting = 0, True

    def count(event: str, _: object) -> None:
        nonlocal calls
        if counting and event.startswith(CALLS):
            calls += 1
            if calls == killed_at:
                os.kill(os.getpid(), signal.SIGKILL)

    def pause(seconds: float) -> None:
        nonlocal counting
        counting = False
        if any(head_in(note).size == entries for note in cosigned(Path(orders.journal))):
            raise DoneError
        counting = True

    sys.addaudithook(count)
    try:
        run(orders, Reporting(lambda line: None), pause)
    except DoneError:
        os.write(said, str(calls).encode())
        os._exit(0)
    os._exit(1)


def main(key: str, entries: int) -> None:
    setattr(outbox, "MOST_ENTRIES", 3)  # noqa: B010 - it is Final for everyone else
    for pause in ("LEAST_PAUSE_S", "FIRST_LONGEST_S"):
        setattr(pace, pause, 0.0)
    for line in sys.stdin:
        journal, address, killed_at = line.split()
        orders = SenderOrders(journal=journal, address=address, key=key, spread=False)
        hears, says = os.pipe()
        if (child := os.fork()) == 0:
            live(orders, entries, int(killed_at), says)
        os.close(says)
        ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        sys.stdout.write(f"{ended} {os.read(hears, 20).decode() or 0}\n")
        sys.stdout.flush()
        os.close(hears)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
