"""The package stage: the Debian package built, installed, used, upgraded and removed in clean Debian systems.

`python -m tests.station.package` does it in Debian 12 and 13 for amd64, and unpacks the arm64 package on an emulated
processor. `--short` is what CI runs: build, checks, and Debian 13. It says what this machine cannot run, and why.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from pi_app.station.package.build import built, epoch
from pi_app.station.package.wheelhouse import CannotBuildError, project
from tests.arm.root import BUILD
from tests.programs import CannotRun
from tests.station.package.arm import on_arm
from tests.station.package.roots import SUITES, check_machine, root
from tests.station.package.steps import STEPS, Failed, leave

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
    architectures = ["amd64"] if short else ["amd64", "arm64"]
    try:
        packages = built(architectures, folder)
        newer = built(["amd64"], folder, NEWER)[0]
    except CannotBuildError as reason:
        print(f"package stage: the package: FAILED: {reason}")
        return ["failed"]
    results = [_stage("the same bytes", lambda: _same_bytes(packages, folder / "again"))]
    results += [_stage("lintian", lambda: _lintian(packages))]
    for suite in list(SUITES)[-1:] if short else SUITES:
        results.append(_stage(SUITES[suite], lambda suite=suite: _in_a_root(suite, packages[0], newer)))  # type: ignore[misc]
    if not short:
        results.append(_stage("arm64", lambda: on_arm(packages[1], folder)))
    return results


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
    for first, second in zip(packages, built(names, folder), strict=True):
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


def _in_a_root(suite: str, package: Path, newer: Path) -> str:
    check_machine()
    said = []
    with root(suite) as system:
        before = system.files()
        for step in STEPS:
            said.append(f"\n    {step.__name__}: {step(system, package, newer)}")
        said.append(f"\n    leave: {leave(system, before)}")
    return "".join(said)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
