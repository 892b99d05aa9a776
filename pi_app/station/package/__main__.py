"""Build the Debian package: `python -m pi_app.station.package`, or `make deb`.

It writes `build/trapdial_VERSION_amd64.deb` and `..._arm64.deb`. The first build fetches 40 MB of wheels and keeps them
in `build/wheels`; later ones fetch nothing. SOURCE_DATE_EPOCH sets every time in the package; without it, that is the
time of the last commit.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from pi_app.station.package.build import built
from pi_app.station.package.wheelhouse import MACHINES, ROOT, CannotBuildError


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m pi_app.station.package", description=__doc__)
    parser.add_argument("--architecture", choices=sorted(MACHINES), action="append", help="only this one")
    parser.add_argument("--into", type=Path, default=ROOT / "build", help="the folder of the packages")
    asked = parser.parse_args(words)
    try:
        for file in built(asked.architecture or sorted(MACHINES), asked.into):
            sys.stdout.write(f"{file} ({file.stat().st_size / 1e6:.1f} MB)\n")
    except CannotBuildError as reason:
        sys.stderr.write(f"The package was not built: {reason}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
