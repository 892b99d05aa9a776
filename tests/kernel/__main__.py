"""The kernel stage: build the guest's kernel if none is cached, boot it, run the checks inside, print the verdict.

`python -m tests.kernel` runs everything; a missing tool is a failure. `--short` is what CI runs: the checks not marked
slow; where the stage cannot run for reasons outside this project, it says so and does not fail.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import platform
import signal
import sys
import time
from pathlib import Path
from typing import Final

from tests.kernel.guest import DIED, KILLED, run
from tests.kernel.kernel import kernel, must_run_here
from tests.kernel.packages import packages
from tests.programs import CannotRun

TABLE: Final = Path(__file__).with_name("table.toml")
SECONDS: Final = {True: 240.0, False: 600.0}
"""Time limit of the guest, short form and whole."""

PTRACE_TRACEME: Final = 0


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.kernel", description=__doc__)
    parser.add_argument(
        "--short", action="store_true", help="skip checks that take minutes; forgive a machine that cannot run it"
    )
    parser.add_argument("-k", dest="only", metavar="WORD", help="only checks with this word in their name")
    asked = parser.parse_args(words)
    signal.signal(signal.SIGTERM, _stopped)  # so that the guest is ended on the way out
    try:
        check_machine()
        began = time.monotonic()
        boots, finds = kernel(), packages()
        ready_s = time.monotonic() - began
    except CannotRun as reason:
        return _report_not_run(reason, forgiven=asked.short and not must_run_here())
    command = [sys.executable, "-m", "tests.kernel.inside", *(["--short"] if asked.short else [])]
    ran = run(
        boots,
        TABLE,
        [*command, *(["-k", asked.only] if asked.only else [])],
        packages=finds,
        seconds=SECONDS[asked.short],
    )
    if ran.code in (KILLED, DIED):
        how = "did not end in time and was killed" if ran.code == KILLED else "ended without an exit code"
        print(f"kernel stage: FAILED: the guest {how} after {ran.seconds:.0f} s", flush=True)
        return 1
    booted = "never" if ran.boot_seconds is None else f"in {ran.boot_seconds:.1f} s"
    print(
        f"kernel stage: {'passed' if ran.code == 0 else 'FAILED'}: {boots.parent.name}, ready after {ready_s:.0f} s, "
        f"Python ran {booted}, {ran.seconds:.1f} s in the guest",
        flush=True,
    )
    return ran.code


def _stopped(*_: object) -> None:
    sys.exit(128 + signal.SIGTERM)


def check_machine() -> None:
    """Check that User-Mode Linux can run here. Raises CannotRun."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        raise CannotRun(f"User-Mode Linux runs on x86-64 Linux, not on {platform.machine()} {sys.platform}")
    if not _may_trace():
        raise CannotRun("ptrace is forbidden here (by the container, most likely), and User-Mode Linux needs it")


def _may_trace() -> bool:
    """Whether a child may ask to be traced."""
    child = os.fork()
    if child == 0:
        libc = ctypes.CDLL(None, use_errno=True)
        os._exit(0 if libc.ptrace(PTRACE_TRACEME, 0, None, None) == 0 else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def _report_not_run(reason: CannotRun, *, forgiven: bool) -> int:
    print(f"kernel stage: NOT RUN HERE, because {reason}", flush=True)
    if not forgiven:
        print("kernel stage: FAILED: the full form was requested, or this machine has all that it needs", flush=True)
    return 0 if forgiven else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
