"""The arm stage: the program on a 64-bit Raspberry Pi's system and processor, emulated, compared with this machine.

`python -m tests.arm` runs everything; whatever is missing is a failure. `--short` is what CI runs: demo, wiring and
journals, without pytest; where the stage cannot run for reasons outside this project, it says so and does not fail.
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from tests.arm.checks import CHECKS, Check, Differs
from tests.arm.machines import Machine, described, emulated, this_machine
from tests.arm.root import must_run_here, root
from tests.programs import CannotRun

TESTS: Final = ("tests/hardware", "tests/pi_app/journal")
PYTEST: Final = ("-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", "-m", "not slow and not wired")
SECONDS: Final = 3000.0
"""Time limit of the tests on arm64."""


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.arm", description=__doc__)
    parser.add_argument(
        "--short", action="store_true", help="skip the tests on arm64; forgive a machine that cannot run it"
    )
    asked = parser.parse_args(words)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="trapdial-arm-") as name:
        folder = Path(name)
        try:
            there = emulated(root(), folder)
        except CannotRun as reason:
            return _report_not_run(reason, forgiven=asked.short and not must_run_here())
        ready_s = time.monotonic() - began
        here = this_machine()
        for machine in (here, there):
            print(f"arm stage: {described(machine, folder)}", flush=True)
        results = [_passed(check, here, there, folder) for check in CHECKS]
        if not asked.short:
            results.append(_tests_pass(there, folder))
    ran_s = time.monotonic() - began - ready_s
    verdict = "passed" if all(results) else "FAILED"
    print(f"arm stage: {verdict}: ready after {ready_s:.0f} s, then {ran_s:.0f} s of checks", flush=True)
    return 0 if all(results) else 1


def _passed(check: Check, here: Machine, there: Machine, folder: Path) -> bool:
    began = time.monotonic()
    try:
        found = check(here, there, folder)
    except (Differs, subprocess.TimeoutExpired) as trouble:
        print(f"arm stage: {check.__name__}: FAILED: {trouble}", flush=True)
        return False
    print(f"arm stage: {check.__name__}: {found} ({time.monotonic() - began:.0f} s)", flush=True)
    return True


def _tests_pass(there: Machine, folder: Path) -> bool:
    names = [f"{there.project}/{name}" for name in TESTS]
    try:
        code = there.live(folder, *PYTEST, "--rootdir", there.project, *names, seconds=SECONDS)
    except subprocess.TimeoutExpired:
        print(f"arm stage: the tests did not end in {SECONDS:.0f} s and were killed", flush=True)
        return False
    return code == 0


def _stopped(*_: object) -> None:
    sys.exit(128 + signal.SIGTERM)


def _report_not_run(reason: CannotRun, *, forgiven: bool) -> int:
    print(f"arm stage: NOT RUN HERE, because {reason}", flush=True)
    if not forgiven:
        print("arm stage: FAILED: the full form was requested, or this machine has all that it needs", flush=True)
    return 0 if forgiven else 1


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _stopped)  # so that the folder is removed on the way out
    sys.exit(main(sys.argv[1:]))
