"""Build the Debian package: `python -m pi_app.station.package`, or `make deb`.

It writes `build/trapdial_VERSION_amd64.deb` and `..._arm64.deb`, and the signature of each beside it. The first build
fetches 40 MB of wheels and keeps them in `build/wheels`; later ones fetch nothing. SOURCE_DATE_EPOCH sets every time in
the package; without it, that is the time of the last commit.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Final

from pi_app.station.package.build import Signer, built
from pi_app.station.package.signing import PLACE, key_place, make_key, open_key, read_public
from pi_app.station.package.wheelhouse import MACHINES, ROOT, CannotBuildError

NEW_KEY: Final = """\
{file}: there was no builder's key, so this one was made. Keep a copy of it in a safe place:
a station that was installed from these packages takes updates that this key has signed, and no others.
If you have built packages before, on another machine, bring that machine's key here and build again.
"""
UNSIGNED: Final = (
    "Not signed: apt installs these packages, and a station with one of them takes no update from a stick.\n"
)


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m pi_app.station.package", description=__doc__)
    parser.add_argument("--architecture", choices=sorted(MACHINES), action="append", help="only this one")
    parser.add_argument("--into", type=Path, default=ROOT / "build", help="the folder of the packages")
    keys = parser.add_mutually_exclusive_group()
    keys.add_argument(
        "--key", type=Path, help=f"the builder's key; without it {key_place()}, or what {PLACE} names: made if missing"
    )
    keys.add_argument("--unsigned", action="store_true", help="no signature, and a program that trusts no package")
    parser.add_argument("--next-key", type=Path, help="the public key that the packages after these are signed with")
    asked = parser.parse_args(words)
    if asked.unsigned and asked.next_key is not None:
        parser.error("--next-key needs a key that signs: leave --unsigned out")
    try:
        signer = None if asked.unsigned else find_signer(asked.key, asked.next_key)
        for file in built(asked.architecture or sorted(MACHINES), asked.into, signer=signer):
            sys.stdout.write(f"{file} ({file.stat().st_size / 1e6:.1f} MB)\n")
    except CannotBuildError as reason:
        sys.stderr.write(f"The package was not built: {reason}\n")
        return 1
    sys.stdout.write(UNSIGNED if signer is None else f"Signed with the builder's key {signer.key.number}.\n")
    return 0


def find_signer(named: Path | None, following: Path | None) -> Signer:
    """Open the builder's key, or make it where none was named and none is. Raises CannotBuildError.

    `following`: the public key that packages after these are signed with; None: the same key."""
    place = named or key_place()
    if named is None and not place.exists():
        key = make_key(place)
        sys.stderr.write(NEW_KEY.format(file=place))
    else:
        key = open_key(place)
    return Signer(key, key.public_text if following is None else read_public(following)[1])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
