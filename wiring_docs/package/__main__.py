"""Build the Debian package: `python -m wiring_docs.package`, or `make deb`.

It writes `build/trapdial_VERSION_amd64.deb` and `..._arm64.deb`. The first build fetches 40 MB of wheels and keeps them
in `build/wheels`; later ones fetch nothing. SOURCE_DATE_EPOCH sets every time in the package; without it, that is the
time of the last commit.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from wiring_docs.package.contents import package
from wiring_docs.package.debian import write
from wiring_docs.package.wheelhouse import LOCK, MACHINES, ROOT, CannotBuildError, fetched, lock, own, project


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m wiring_docs.package", description=__doc__)
    parser.add_argument("--architecture", choices=sorted(MACHINES), action="append", help="only this one")
    parser.add_argument("--into", type=Path, default=ROOT / "build", help="the folder of the packages")
    parser.add_argument("--lock", action="store_true", help="write wheels.lock again, with the newest wheels")
    asked = parser.parse_args(words)
    try:
        if asked.lock:
            LOCK.write_text(lock(), encoding="ascii")
        for file in built(asked.architecture or sorted(MACHINES), asked.into):
            sys.stdout.write(f"{file} ({file.stat().st_size / 1e6:.1f} MB)\n")
    except CannotBuildError as reason:
        sys.stderr.write(f"The package was not built: {reason}\n")
        return 1
    return 0


def built(architectures: list[str], folder: Path, version: str = str(project()["version"])) -> list[Path]:
    """Build the packages of these architectures into a folder. Raises CannotBuildError.

    `version`: what the program in it is called; another one to test an upgrade."""
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    with tempfile.TemporaryDirectory() as name:
        program = own(Path(name), epoch(), version)
        for architecture in architectures:
            wheels = [*fetched(architecture, ROOT / "build/wheels"), program]
            made.append(folder / f"trapdial_{version}_{architecture}.deb")
            write(package(architecture, version, wheels, epoch()), made[-1], epoch())
    return made


def epoch() -> int:
    """The time that everything in the package has, in seconds since 1970."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given:
        return int(given)
    asked = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    return int(done.stdout) if done.returncode == 0 and done.stdout.strip() else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
