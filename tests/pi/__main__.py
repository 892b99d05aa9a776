"""The Pi stage: doctor, calibrate and play on an emulated board with the kernel's own I2C driver, beside known truth.

`python -m tests.pi` prints a table of what is true and what was found, and exits with 1 on any difference.
"""

from __future__ import annotations

import argparse
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final

from tests.pi.board import SECONDS, board, command, pack_program
from tests.pi.checks import MARK, parsed, rows, table
from tests.programs import CannotRun

END: Final = "PI ended"
ENDS_WITH_US: Final = ("setpriv", "--pdeathsig", "KILL", "--")
LAST: Final = 15
"""Lines of the console that a failure shows."""


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.pi", description=__doc__)
    parser.add_argument("--console", action="store_true", help="print the board's console too")
    asked = parser.parse_args(words)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="trapdial-pi-") as name:
        system = Path(name) / "system.cpio"
        try:
            parts = board()
        except CannotRun as reason:
            print(f"Pi stage: NOT RUN HERE, because {reason}\nPi stage: FAILED: nothing was compared", flush=True)
            return 1
        pack_program(system, parts.system)
        started = time.monotonic()
        lines = []
        for line in console([*ENDS_WITH_US, *command(parts, system, int(time.time()))], SECONDS):
            lines.append(line)
            step = line.partition('"step": "')[2].partition('"')[0] if MARK in line else ""
            if asked.console:
                print(line, flush=True)
            elif step:
                print(f"Pi stage: {step}, after {time.monotonic() - started:.0f} s", flush=True)
    reports = parsed(lines)
    compared = rows(reports)
    print("\n".join(table(compared)))
    passed = all(row.holds for row in compared)
    if not passed:
        print("\n".join(["Pi stage: the end of the console:", *(line[:2000] for line in lines[-LAST:])]))
    ran_s = time.monotonic() - started
    print(
        f"Pi stage: {'passed' if passed else 'FAILED'}: ready after {started - began:.0f} s, "
        f"then {ran_s:.0f} s on the board",
        flush=True,
    )
    return 0 if passed else 1


def console(words: list[str], seconds: float) -> Iterator[str]:
    """Run a program; yield its lines until it ends, says `END`, or the time is over."""
    deadline = time.monotonic() + seconds
    running = subprocess.Popen(
        words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace"
    )
    assert running.stdout is not None
    lines: queue.Queue[str | None] = queue.Queue()
    reader = threading.Thread(target=_read, args=(running.stdout, lines))
    reader.start()
    try:
        while (line := lines.get(timeout=max(0.0, deadline - time.monotonic()))) is not None:
            yield line.rstrip()
            if line.startswith(END):
                return
    except queue.Empty:
        yield f"the board was stopped after {seconds:.0f} s"
    finally:
        running.kill()
        running.wait()
        reader.join()


def _read(pipe: IO[str], lines: queue.Queue[str | None]) -> None:
    with pipe:
        for line in pipe:
            lines.put(line)
    lines.put(None)


def _stopped(*_: object) -> None:
    sys.exit(128 + signal.SIGTERM)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _stopped)  # so that the folder is removed on the way out
    sys.exit(main(sys.argv[1:]))
