"""Real sticks: a file system in a file, mounted by the kernel where only one program sees it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

MAKERS: Final = {"vfat": ("mkfs.vfat",), "ext2": ("mkfs.ext2", "-q", "-F")}
"""What makes each kind of stick: `vfat` is what shops have, `ext2` is what every kernel can mount."""

_MOUNT: Final = 'mount -t tmpfs none /mnt && mkdir "/mnt/the stick" && mount -t $1 -o loop,$2 $3 "/mnt/the stick"'
_RUN: Final = f'{_MOUNT} && "$4" -c "$5" "$6" && cp "$3" "$3.pulled"'
_LIST: Final = f'{_MOUNT} && ls "/mnt/the stick"'
_READ: Final = f'{_MOUNT} && cat "/mnt/the stick/$4"'


def stick(kind: str, image: Path, size: int = 1 << 20) -> Path:
    """Make a stick of this kind in a file. Skips the test, and says why, where it cannot be mounted."""
    maker = shutil.which(MAKERS[kind][0], path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    if maker is None:
        pytest.skip(f"{MAKERS[kind][0]} is not installed on this machine")
    with image.open("wb") as file:
        file.truncate(size)
    subprocess.run([maker, *MAKERS[kind][1:], image], check=True, capture_output=True)
    tried = _in_its_own_mounts(_MOUNT, kind, "rw", image)
    if tried.returncode:
        pytest.skip(f"a stick with {kind} cannot be mounted on this machine: {tried.stderr.strip()}")
    return image


def run_beside(kind: str, image: Path, program: str, *words: str, options: str = "sync") -> str:
    """Run a Python program while the stick is mounted at `/mnt/the stick`, then pull it out: `image` with `.pulled`
    behind its name is what was on it at that moment. Return what the program prints."""
    done = _in_its_own_mounts(_RUN, kind, options, image, sys.executable, program, *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def names_on(kind: str, image: Path) -> list[str]:
    """Return the names of the files on a stick that was pulled out."""
    return _printed(_LIST, kind, image).splitlines()


def file_on(kind: str, image: Path, name: str) -> str:
    """Return the text of a file on a stick that was pulled out."""
    return _printed(_READ, kind, image, name)


def _printed(script: str, kind: str, image: Path, *words: str) -> str:
    done = _in_its_own_mounts(script, kind, "ro", f"{image}.pulled", *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _in_its_own_mounts(script: str, *words: str | Path) -> subprocess.CompletedProcess[str]:
    """What it mounts is gone when it ends."""
    return subprocess.run(
        ["unshare", "--mount", "sh", "-c", script, "sh", *map(str, words)], capture_output=True, text=True, check=False
    )
