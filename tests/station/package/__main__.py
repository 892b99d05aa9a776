"""The package stage: the Debian package built, installed, used, upgraded and removed in clean Debian systems.

`python -m tests.station.package` does it in Debian 12 and 13 for amd64, kills dpkg at every place of the package's
scripts, installs the package as the layer of an image does, and puts the arm64 package in place on an emulated
processor. `--short` is what CI runs: build, checks, and an installation, a game and a removal in Debian 13. It says
what this machine cannot run, and why.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from pi_app.station.package.build import built, epoch
from pi_app.station.package.wheelhouse import CannotBuildError, project
from tests.arm.root import BUILD
from tests.programs import CannotRun
from tests.station.package.arm import on_arm
from tests.station.package.cuts import check_cuts
from tests.station.package.layer import run_layer
from tests.station.package.roots import NEWEST, SUITES, check_machine, root
from tests.station.package.steps import SHORT, STEPS, Failed, Step, leave
from tests.station.package.wheels_inside import check_wheels
from tests.station.tiny import SIGNER

VERSION: Final = str(project()["version"])
NEWER: Final = f"{VERSION}+newer"


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.station.package", description=__doc__)
    parser.add_argument("--short", action="store_true", help="build, checks, and one system")
    asked = parser.parse_args(words)
    BUILD.mkdir(exist_ok=True)
    os.environ["SOURCE_DATE_EPOCH"] = str(epoch())  # one time for all builds, also when a commit is made meanwhile
    with tempfile.TemporaryDirectory(prefix="package-", dir=BUILD) as name:
        results = _stages(Path(name), short=asked.short)
    verdict = "FAILED" if "failed" in results else "passed"
    print(f"package stage: {verdict}: {results.count('passed')} passed, {results.count('skipped')} not run here")
    return 1 if "failed" in results else 0


def _stages(folder: Path, *, short: bool) -> list[str]:
    try:
        packages = built(["amd64"] if short else ["amd64", "arm64"], folder, signer=SIGNER)
        newer = packages[0] if short else built(["amd64"], folder, NEWER, SIGNER)[0]
    except CannotBuildError as reason:
        print(f"package stage: the package: FAILED: {reason}")
        return ["failed"]
    stages = _short(packages, folder) if short else _long(packages, newer, folder)
    return [_stage(name, run) for name, run in stages]


Stages = Iterator[tuple[str, Callable[[], str]]]


def _short(packages: list[Path], folder: Path) -> Stages:
    yield "the wheels", lambda: _wheels(packages, folder)
    yield "lintian", lambda: _lintian(packages[:1])
    yield SUITES[NEWEST], partial(_in_a_root, NEWEST, packages[0], packages[0], SHORT)


def _long(packages: list[Path], newer: Path, folder: Path) -> Stages:
    yield "the same bytes", lambda: _same_bytes(packages, folder / "again")
    yield "the wheels", lambda: _wheels(packages, folder)
    yield "lintian", lambda: _lintian(packages)
    for suite in SUITES:
        yield SUITES[suite], partial(_in_a_root, suite, packages[0], newer, STEPS)
    yield "an image's layer", lambda: _image(packages[0])
    yield "dpkg killed", lambda: _killed(packages[0], newer, folder)
    yield "arm64", lambda: on_arm(packages[1], folder)


def _stage(name: str, run: Callable[[], str]) -> str:
    began = time.monotonic()
    try:
        found, result = run(), "passed"
    except CannotRun as reason:
        found, result = f"NOT RUN HERE, because {reason}", "skipped"
    except Failed as trouble:
        found, result = f"FAILED: {trouble}", "failed"
    print(f"package stage: {name}: {found} ({time.monotonic() - began:.0f} s)", flush=True)
    return result


def _same_bytes(packages: list[Path], folder: Path) -> str:
    names = [package.name.rpartition("_")[2].removesuffix(".deb") for package in packages]
    for first, second in zip(packages, built(names, folder, signer=SIGNER), strict=True):
        if first.read_bytes() != second.read_bytes():
            raise Failed(f"two builds of {first.name} differ")
    sizes = ", ".join(f"{package.name} {package.stat().st_size / 1e6:.1f} MB" for package in packages)
    return f"a second build is byte for byte the same: {sizes}"


def _lintian(packages: list[Path]) -> str:
    if shutil.which("lintian") is None:
        raise CannotRun("there is no lintian: sudo apt install lintian")
    words = ["lintian", "--fail-on", "error,warning", *map(str, packages)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failed(done.stdout.strip() or done.stderr.strip())
    return "no error and no warning, but for the overrides, which give their reasons"


def _wheels(packages: list[Path], folder: Path) -> str:
    return "; ".join(check_wheels(each, folder) for each in packages)


def _image(package: Path) -> str:
    check_machine()
    with root(NEWEST) as system:
        return run_layer(system, package)


def _killed(package: Path, newer: Path, folder: Path) -> str:
    check_machine()
    with root(NEWEST) as system:
        return check_cuts(system, package, newer, folder)


def _in_a_root(suite: str, package: Path, newer: Path, steps: Sequence[Step]) -> str:
    check_machine()
    said = []
    with root(suite) as system:
        before = system.files()
        for step in steps:
            said.append(f"\n    {step.__name__}: {step(system, package, newer)}")
        said.append(f"\n    leave: {leave(system, before)}")
    return "".join(said)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
