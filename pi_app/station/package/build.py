"""Build the packages: one for each architecture, of this version, the same bytes each time."""

from __future__ import annotations

import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from pi_app.station.package.contents import package
from pi_app.station.package.debian import write
from pi_app.station.package.signing import BuilderKey, sign
from pi_app.station.package.wheelhouse import ROOT, fetched, own, project


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
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    with tempfile.TemporaryDirectory() as name:
        program = own(Path(name), epoch(), version, None if signer is None else signer.trusted)
        for architecture in architectures:
            wheels = [*fetched(architecture, ROOT / "build/wheels"), program]
            made.append(folder / f"trapdial_{version}_{architecture}.deb")
            write(package(architecture, version, wheels, epoch()), made[-1], epoch())
            if signer is not None:
                sign(made[-1], signer.key, epoch())
    return made


def epoch() -> int:
    """The time that everything in the package has, in seconds since 1970."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given:
        return int(given)
    asked = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    return int(done.stdout) if done.returncode == 0 and done.stdout.strip() else 0
