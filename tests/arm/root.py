"""A Raspberry Pi's system without a Pi: Debian for arm64, an emulator for it, and the program's wheels for it.

They are cached in `build/arm-<key>/`; the key consists of what is fetched. Nothing is fetched while it exists, and
nothing of it is installed into this machine: the packages are unpacked, not configured.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from pi_app.station.updates.wheels import System
from tests.lock import DEVELOPER, PLAYER, choose_pins, read_lock
from tests.programs import CannotRun, ran

PROJECT: Final = Path(__file__).resolve().parents[2]
BUILD: Final = PROJECT / "build"

SUITE: Final = "trixie"
"""What Raspberry Pi OS of 2025 is made from."""
PYTHON: Final = "3.13"
PACKAGES: Final = ("base-files", "coreutils", "dash", "python3", "tzdata")
EMULATORS: Final = (f"{SUITE}-backports", SUITE)
"""The suites whose qemu-user is taken, the first that has one. Debian 12's is two times slower."""
EMULATOR: Final = "./usr/bin/qemu-aarch64"
PLATFORMS: Final = ("manylinux2014_aarch64", "manylinux_2_28_aarch64")
PI: Final = System(13, "aarch64")
WHEELS_OF_TESTS: Final = (
    *("pytest", "pluggy", "iniconfig", "packaging", "pytest-xdist", "execnet"),
    *("hypothesis", "sortedcontainers", "luma-oled", "luma-core", "cbor2"),
)
"""Beside what a player has: what a part of the tests needs, whole."""
MOUNTS: Final = ("project", "work", "cache")

OWN_NAMESPACES: Final = (
    *("setpriv", "--pdeathsig", "KILL", "--"),  # it ends with the stage, even when that is killed
    *("unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork", "--kill-child"),
)
PROBE: Final = "mount -t binfmt_misc none /proc/sys/fs/binfmt_misc && test -w /proc/sys/fs/binfmt_misc/register"


def root() -> Path:
    """The folder with `root`, `qemu-aarch64` and `cache`, from before or fetched now. Raises CannotRun."""
    check_machine()
    return kept_root()


def kept_root() -> Path:
    """The same folder on a machine that need not run it. Raises CannotRun."""
    kept = kept_folder()
    return kept if (kept / "root").is_dir() else _fetched(kept)


def check_machine() -> None:
    """Check that an emulator can be registered here, for our own processes only. Raises CannotRun."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        raise CannotRun(f"it compares arm64 with x86-64 Linux, and this is {platform.machine()} {sys.platform}")
    probe = [*OWN_NAMESPACES, "sh", "-c", PROBE]
    try:
        done = subprocess.run(probe, capture_output=True, text=True, check=False, timeout=60)
    except OSError as error:
        raise CannotRun(f"setpriv and unshare (util-linux) could not be run: {error}") from error
    if done.returncode != 0:
        raise CannotRun(
            "the kernel gives a user namespace no binfmt_misc of its own (Linux 6.7 and later do, unless a container "
            f"forbids it): {done.stderr.strip()}"
        )


def must_run_here() -> bool:
    """Whether the stage must run here: all that it needs is present or available."""
    try:
        check_machine()
        return kept_folder().is_dir() or (os.geteuid() == 0 and bool(_mirror()))
    except CannotRun:
        return False


def locked_wheels() -> list[str]:
    """What the program and its tests need, as lines of a requirements file with hashes."""
    player = choose_pins(read_lock(PLAYER), PI)
    developer = choose_pins(read_lock(DEVELOPER), PI)
    return [pin.line for pin in (player | {name: developer[name] for name in WHEELS_OF_TESTS}).values()]


def kept_folder() -> Path:
    fetched = (SUITE, PYTHON, PACKAGES, EMULATORS, PLATFORMS, MOUNTS, locked_wheels())
    return BUILD / f"arm-{hashlib.sha256(repr(fetched).encode()).hexdigest()[:12]}"


def _fetched(kept: Path) -> Path:
    mirror = debian()
    with kept_whole(kept) as fresh:
        fetch_emulator(mirror, fresh)
        unpack_system(mirror, SUITE, fresh / "root")
        _wheels(fresh / "root/opt/site")
        (fresh / "cache").mkdir()
    return kept


@contextlib.contextmanager
def kept_whole(kept: Path) -> Iterator[Path]:
    """A new folder that becomes `kept` if the block ends well, and is removed otherwise."""
    BUILD.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f"{kept.name}.", dir=BUILD) as name:
        fresh = Path(name)
        fresh.chmod(0o755)
        yield fresh
        shutil.rmtree(kept, ignore_errors=True)
        fresh.rename(kept)
        fresh.mkdir()  # for the TemporaryDirectory to remove


def debian() -> str:
    """The archive to unpack packages from, with mmdebstrap installed. Raises CannotRun."""
    mirror = _mirror()
    _tool()
    return mirror


def _mirror() -> str:
    """The archive that this machine's apt uses. Raises CannotRun if it knows none of Debian's."""
    if shutil.which("apt-get") is None:
        raise CannotRun("there is no apt-get, and so no Debian packages")
    found = _archives()
    if not found and os.geteuid() == 0:
        ran(["apt-get", "update", "-q"])
        found = _archives()
    if not found:
        raise CannotRun("apt knows no archive of Debian (as root, `apt-get update` is tried too)")
    return found[0]


def _archives() -> list[str]:
    listed = ran(["apt-get", "indextargets", "--format", "$(ORIGIN) $(LABEL) $(REPO_URI)", "Created-By: Packages"])
    return re.findall(r"^Debian Debian (\S+)$", listed, re.MULTILINE)


def _tool() -> None:
    if shutil.which("mmdebstrap"):
        return
    if os.geteuid() != 0:
        raise CannotRun("unpacking Debian's packages needs mmdebstrap: sudo apt-get install mmdebstrap")
    ran(["apt-get", "install", "-y", "-q", "--no-install-recommends", "mmdebstrap"])


def fetch_emulator(mirror: str, folder: Path) -> None:
    for suite in EMULATORS:
        archive = folder / "emulator.tar"
        try:
            unpack(mirror, suite, "amd64", ["qemu-user"], archive, only=[EMULATOR.removeprefix(".")])
            ran(["tar", "-xf", str(archive), "-C", str(folder), "--strip-components=3", EMULATOR])
        except CannotRun:
            if suite == EMULATORS[-1]:
                raise
        else:
            archive.unlink()
            return


def unpack_system(mirror: str, suite: str, folder: Path) -> None:
    """Unpack the arm64 system of a suite into a new folder. Raises CannotRun."""
    folder.mkdir()
    archive = folder.with_name("root.tar")
    unpack(mirror, suite, "arm64", PACKAGES, archive)
    ran(["tar", "-xf", str(archive), "-C", str(folder), "--no-same-owner", "--exclude=./dev/*"])
    archive.unlink()
    for name in MOUNTS:
        (folder / name).mkdir()


def unpack(
    mirror: str, suite: str, architecture: str, packages: Sequence[str], archive: Path, *, only: Sequence[str] = ()
) -> None:
    """An archive of packages and what they depend on, as they are before any script of theirs has run.

    `only`: patterns of the paths to keep.
    """
    words = ["mmdebstrap", "--quiet", "--variant=extract", f"--architectures={architecture}"]
    if only:
        words += ["--dpkgopt=path-exclude=/*", *(f"--dpkgopt=path-include={path}" for path in only)]
    ran([*words, f"--include={','.join(packages)}", suite, str(archive), mirror])


def _wheels(folder: Path) -> None:
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.writelines(f"{line}\n" for line in locked_wheels())
        file.flush()
        fetch_wheels(folder, PYTHON, PLATFORMS, ["--require-hashes", "--no-deps", "--requirement", file.name])


def fetch_wheels(folder: Path, python: str, platforms: Sequence[str], names: Sequence[str]) -> None:
    """Unpack wheels for another machine's Python. `names`: what pip is asked for. Raises CannotRun."""
    words = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"]
    words += ["--only-binary", ":all:", "--python-version", python, "--target", str(folder)]
    for name in platforms:
        words += ["--platform", name]
    ran([*words, *names])
