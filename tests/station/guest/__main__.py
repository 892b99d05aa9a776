"""The station stage: systemd in a guest, with the real kernel, the real package and the plug pulled.

`python -m tests.station.guest` runs everything; whatever is missing is a failure. `--short` is a shorter form; where
the stage cannot run for reasons outside this project, it says so and does not fail.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pi_app.station.package.build import built
from pi_app.station.package.wheelhouse import CannotBuildError, project
from tests.kernel.__main__ import check_machine
from tests.kernel.kernel import must_run_here
from tests.programs import CannotRun
from tests.station.guest import itself, real
from tests.station.guest.machine import Failed, Machine
from tests.station.guest.stage import guest, prepared
from tests.station.guest.system import Disks
from tests.station.tiny import SIGNER

CUTS: Final = {True: 3, False: 200}
"""Power cuts of the short run and of the whole one."""
SHORT: Final = ("install", "briefly")
"""The scenes of the short run. `install` comes before every other scene of the real package."""
BRIEF: Final = ("briefly",)
"""What the whole run leaves out: its other scenes do the same and more."""

Scene = Callable[[Machine], str]


@dataclass(frozen=True, slots=True)
class Packages:
    """The package that is installed, and one of a later version."""

    first: Path
    newer: Path


def scenes(packages: Packages, times: int) -> dict[str, Scene]:
    """What runs in a guest with the real package, by name; each scene has a guest of its own."""
    return {
        "start": real.started,
        "faults": real.faulty,
        "cuts": lambda machine: real.cut(machine, times),
        "planted": real.planted,
        "full disk": real.full_disk,
        "read-only": real.read_only,
        "clocks": real.clocks,
        "update": lambda machine: real.updated(machine, packages.newer),
        "remove": real.removed,
        "briefly": lambda machine: real.briefly(machine, times),
    }


def own_scenes() -> dict[str, Scene]:
    """What proves the stage itself, in a guest without the package."""
    return {"small": lambda machine: itself.honest(machine, 3), "planted-small": itself.planted}


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.station.guest", description=__doc__)
    parser.add_argument("--short", action="store_true", help="fewer scenes; forgive a machine that cannot run it")
    parser.add_argument("--cuts", type=int, help="so many power cuts")
    parser.add_argument("-k", dest="only", metavar="WORD", help="only scenes with this word in their name")
    asked = parser.parse_args(words)
    signal.signal(signal.SIGTERM, _stopped)  # so that the guest is ended on the way out
    began_s = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="trapdial-", dir="/tmp") as name:
        folder = Path(name)
        try:
            check_machine()
            boots, disks = prepared()
            packages = _packages(folder, newer=not asked.short)
        except CannotRun as reason:
            return _report_not_run(reason, forgiven=asked.short and not _must_run_here())
        ready_s = time.monotonic() - began_s
        results = _results(asked, boots, disks, packages, folder)
    verdict = "passed" if results and all(results) else "FAILED"
    ran_s = time.monotonic() - began_s - ready_s
    print(f"station stage: {verdict}: ready after {ready_s:.0f} s, then {ran_s:.0f} s of scenes", flush=True)
    return 0 if verdict == "passed" else 1


def _results(asked: argparse.Namespace, boots: Path, disks: Disks, packages: Packages, folder: Path) -> list[bool]:
    """Run the scenes that were asked for; the result of each."""
    times = CUTS[asked.short] if asked.cuts is None else asked.cuts

    def chosen(name: str) -> bool:
        wanted = name in SHORT if asked.short else name not in BRIEF
        return wanted and (asked.only is None or asked.only in name)

    results = []
    for name, scene in own_scenes().items():
        if chosen(name):
            with guest(boots, disks, folder / name) as machine:
                results.append(_passed(name, scene, machine))
    there = {name: scene for name, scene in scenes(packages, times).items() if chosen(name)}
    if not there and not chosen("install"):
        return results
    with guest(boots, disks, folder / "install") as fresh:
        results.append(_passed("install", lambda machine: real.installed(machine, packages.first), fresh))
        for name, scene in there.items() if results[-1] else ():
            with guest(boots, fresh.disks, folder / name) as machine:
                results.append(_passed(name, scene, machine))
    return results


def _packages(folder: Path, *, newer: bool) -> Packages:
    """Build the package of this source, and the same as a later version. Raises CannotRun."""
    try:
        (first,) = built(["amd64"], folder, signer=SIGNER)
        version = f"{project()['version']}+newer"
        return Packages(first, built(["amd64"], folder, version, SIGNER)[0] if newer else first)
    except CannotBuildError as reason:
        raise CannotRun(f"the package cannot be built: {reason}") from reason


def _passed(name: str, scene: Scene, machine: Machine) -> bool:
    began_s = time.monotonic()
    try:
        found = scene(machine)
    except (Failed, CannotRun) as trouble:
        print(f"station stage: {name}: FAILED: {trouble}", flush=True)
        return False
    print(f"station stage: {name}: {found} ({time.monotonic() - began_s:.0f} s)", flush=True)
    return True


def _must_run_here() -> bool:
    """Whether this machine has all that the stage needs: then a stage that does not run is a failure."""
    return os.geteuid() == 0 and must_run_here()


def _stopped(*_: object) -> None:
    sys.exit(128 + signal.SIGTERM)


def _report_not_run(reason: CannotRun, *, forgiven: bool) -> int:
    print(f"station stage: NOT RUN HERE, because {reason}", flush=True)
    if not forgiven:
        print("station stage: FAILED: the full form was requested, or this machine has all that it needs", flush=True)
    return 0 if forgiven else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
