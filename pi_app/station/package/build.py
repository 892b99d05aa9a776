"""Build the packages: one for each architecture, of this version, the same bytes each time."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from pi_app.station.package.contents import package
from pi_app.station.package.debian import Package, write
from pi_app.station.package.signing import BuilderKey, sign
from pi_app.station.package.wheelhouse import ROOT, CannotBuildError, fetched, own, project
from pi_app.station.updates.minisign import SUFFIX


@dataclass(frozen=True, slots=True)
class Signer:
    """Who signs packages. `trusted`: the text of the public key that the program in them knows: the signer's own, or
    the next one's, which signs the packages after these."""

    key: BuilderKey
    trusted: bytes


def built(
    architectures: list[str], folder: Path, version: str = str(project()["version"]), signer: Signer | None = None
) -> list[Path]:
    """Build the packages of these architectures into a folder, with their signatures. Raises CannotBuildError.

    `version`: what the program in it is called; another one to test an upgrade. `signer`: None for packages that are
    not signed, with a program that trusts no package."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as why:
        raise _refused(folder, why) from None
    made = []
    with tempfile.TemporaryDirectory() as name:
        program = own(Path(name), epoch(), version, None if signer is None else signer.trusted)
        for architecture in architectures:
            wheels = [*fetched(architecture, ROOT / "build/wheels"), program]
            made.append(folder / f"trapdial_{version}_{architecture}.deb")
            _put(package(architecture, version, wheels, epoch()), made[-1], signer)
    return made


def _put(made: Package, file: Path, signer: Signer | None) -> None:
    """Write a package and its signature; an older signature is never beside it. Raises CannotBuildError, and leaves
    neither then."""
    signature = file.with_name(file.name + SUFFIX)
    try:
        signature.unlink(missing_ok=True)
        write(made, file, epoch())
        if signer is not None:
            sign(file, signer.key, epoch())
    except OSError as why:
        for each in (signature, file):
            with contextlib.suppress(OSError):
                each.unlink()
        raise _refused(file, why) from None


def _refused(file: Path, why: OSError) -> CannotBuildError:
    seen = f"it cannot be written ({why.strerror})"
    return CannotBuildError(f"{file}: {seen}. Make room there, or name another folder with --into.")


def epoch() -> int:
    """The time that everything in the package has, in seconds since 1970. Raises CannotBuildError."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given:
        if re.fullmatch("[0-9]{1,11}", given) is None:
            seen = f"SOURCE_DATE_EPOCH is {given!a}, not a number of seconds since 1970"
            raise CannotBuildError(f"{seen}. Write one, or unset it.")
        return int(given)
    asked = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    return int(done.stdout) if done.returncode == 0 and done.stdout.strip() else 0
