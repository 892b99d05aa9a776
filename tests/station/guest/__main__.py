"""The station stage: systemd in a guest, with the real kernel, the real package and the plug pulled.

`python -m tests.station.guest` runs everything; whatever is missing is a failure. `--short` is what CI runs; where the
stage cannot run for reasons outside this project, it says so and does not fail.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tests.kernel.__main__ import check_machine
from tests.kernel.kernel import must_run_here
from tests.programs import CannotRun
from tests.station.guest import itself
from tests.station.guest.machine import Failed, Machine
from tests.station.guest.stage import guest, prepared

CUTS: Final = {True: 5, False: 200}
"""Power cuts of the short run and of the whole one."""

Scene = Callable[[Machine], str]


def scenes(*, short: bool, times: int) -> dict[str, Scene]:
    """What runs, by name; each scene has a guest of its own."""
    return {
        "itself": lambda machine: itself.honest(machine, 1 if short else 5),
        "planted": itself.planted,
    }


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.station.guest", description=__doc__)
    parser.add_argument("--short", action="store_true", help="what CI runs; forgive a machine that cannot run it")
    parser.add_argument("--cuts", type=int, help="so many power cuts")
    parser.add_argument("-k", dest="only", metavar="WORD", help="only scenes with this word in their name")
    asked = parser.parse_args(words)
    signal.signal(signal.SIGTERM, _stopped)  # so that the guest is ended on the way out
    began_s = time.monotonic()
    try:
        check_machine()
        boots, disks = prepared()
    except CannotRun as reason:
        return _report_not_run(reason, forgiven=asked.short and not must_run_here())
    ready_s = time.monotonic() - began_s
    chosen = scenes(short=asked.short, times=CUTS[asked.short] if asked.cuts is None else asked.cuts)
    results = []
    with tempfile.TemporaryDirectory(prefix="trapdial-", dir="/tmp") as name:
        for scene, run in chosen.items():
            if asked.only is None or asked.only in scene:
                with guest(boots, disks, Path(name) / scene) as machine:
                    results.append(_passed(scene, run, machine))
    verdict = "passed" if results and all(results) else "FAILED"
    ran_s = time.monotonic() - began_s - ready_s
    print(f"station stage: {verdict}: ready after {ready_s:.0f} s, then {ran_s:.0f} s of scenes", flush=True)
    return 0 if verdict == "passed" else 1


def _passed(name: str, scene: Scene, machine: Machine) -> bool:
    began_s = time.monotonic()
    try:
        found = scene(machine)
    except (Failed, CannotRun) as trouble:
        print(f"station stage: {name}: FAILED: {trouble}", flush=True)
        return False
    print(f"station stage: {name}: {found} ({time.monotonic() - began_s:.0f} s)", flush=True)
    return True


def _stopped(*_: object) -> None:
    sys.exit(128 + signal.SIGTERM)


def _report_not_run(reason: CannotRun, *, forgiven: bool) -> int:
    print(f"station stage: NOT RUN HERE, because {reason}", flush=True)
    if not forgiven:
        print("station stage: FAILED: the full form was requested, or this machine has all that it needs", flush=True)
    return 0 if forgiven else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
