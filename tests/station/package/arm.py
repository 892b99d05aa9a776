"""The arm64 package on an emulated processor: its program is put in place and plays a game there."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.arm.checks import DEMO, HEAD
from tests.arm.machines import Machine, emulated, this_machine
from tests.arm.root import root
from tests.station.package.steps import Failed

TREE = "/work/opt/trapdial"
LAUNCH = f"import os, sys; os.execv('{TREE}/current/bin/python', ['python', '-I', '-m', 'pi_app', *sys.argv[1:]])"


def on_arm(package: Path, folder: Path) -> str:
    """Put the program of an arm64 package in place on an emulated Debian 13, and play the seeded demo with it.

    Raises CannotRun if nothing emulates arm64 here, Failed if the program differs from this machine's."""
    own = folder / "arm64"
    own.mkdir()
    machine = emulated(root(), own)
    subprocess.run(["dpkg-deb", "--extract", package, own], check=True)
    placed = machine.python(own, "-I", f"{TREE}/payload/put.py", "install", seconds=900)
    if placed.code != 0:
        raise Failed(f"put.py ended with {placed.code}: {placed.complaints.decode(errors='replace')[-800:]}")
    there = _played(machine, own, "-c", LAUNCH)
    here = _played(this_machine(), own, "-m", "pi_app")
    if here != there:
        raise Failed("the demo of the arm64 package differs from the one of this machine")
    lines = there.count(b"\n")
    return f"put in place with Python 3.13 on an emulated Cortex-A72; the demo's {lines} lines are those of this machine"


def _played(machine: Machine, folder: Path, *words: str) -> bytes:
    done = machine.python(folder, *words, *DEMO, seconds=900)
    if done.code != 0:
        raise Failed(f"the demo on {machine.name} ended with {done.code}: {done.complaints.decode(errors='replace')[-800:]}")
    return HEAD.sub(b"(a head)", done.output.partition(b"journal verify")[0])
