"""The arm64 package on an emulated processor: its program is put in place with the Python of Debian 12 and of Debian
13, and plays a game there."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from tests.arm import root as systems
from tests.arm.checks import DEMO, HEAD, JOURNAL
from tests.arm.machines import Machine, Ran, emulated, this_machine
from tests.station.package.steps import Failed

TREE = "opt/trapdial"
"""Where the package's files are, seen from the folder that it is unpacked in."""
LAUNCH = f"import os, sys; os.execv('{TREE}/current/bin/python', ['python', '-I', '-m', 'pi_app', *sys.argv[1:]])"
VERSION = "import platform; print(platform.python_version())"
OLDER = "bookworm"
SECONDS = 900.0


def on_arm(package: Path, folder: Path) -> str:
    """Put the program of an arm64 package in place on emulated systems, and play the seeded demo with it.

    Raises CannotRun if nothing emulates arm64 here, Failed if the program differs from this machine's."""
    newer = systems.root()
    here = _played(this_machine(), _new(folder / "here"), "-m", "pi_app")
    pythons = [_on_one(kept, package, _new(folder / kept.name), here) for kept in (_older(newer), newer)]
    lines = here.count(b"\n")
    return (
        f"put in place with Python {' and '.join(pythons)} on an emulated Cortex-A72; the demo's {lines} lines are "
        "those of this machine"
    )


def _on_one(kept: Path, package: Path, own: Path, wanted: bytes) -> str:
    """Put the program in place on one system; its Python's version."""
    machine = emulated(kept, own)
    subprocess.run(["dpkg-deb", "--extract", package, own], check=True)
    _ended(machine.python(own, "-I", f"{TREE}/payload/put.py", "install", seconds=SECONDS), "put.py")
    version = _ended(machine.python(own, "-c", VERSION), "Python").decode().strip()
    if _played(machine, own, "-c", LAUNCH) != wanted:
        raise Failed(f"with Python {version}, the demo of the arm64 package differs from the one of this machine")
    return version


def _played(machine: Machine, folder: Path, *words: str) -> bytes:
    """What the seeded demo prints, without the record's random head."""
    done = machine.python(folder, *words, *DEMO, "--journal", JOURNAL, seconds=SECONDS)
    return HEAD.sub(b"(a head)", _ended(done, f"the demo on {machine.name}"))


def _ended(done: Ran, what: str) -> bytes:
    if done.code != 0:
        raise Failed(f"{what} ended with {done.code}: {done.complaints.decode(errors='replace')[-800:]}")
    return done.output


def _older(newer: Path) -> Path:
    """The same as the arm stage's folder, with Debian 12; from before or fetched now. Raises CannotRun."""
    kept = newer.with_name(f"{newer.name}-{OLDER}")
    if not kept.is_dir():
        with systems.kept_whole(kept) as fresh:
            systems.unpack_system(systems.debian(), OLDER, fresh / "root")
            shutil.copy2(newer / "qemu-aarch64", fresh)
            (fresh / "cache").mkdir()
    return kept


def _new(folder: Path) -> Path:
    folder.mkdir()
    return folder
