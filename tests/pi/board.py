"""A board like a Raspberry Pi 3 B, emulated: QEMU, Debian's kernel for arm64, and the arm stage's system in memory.

They are cached in `build/pi-<key>/`; the key consists of what is fetched. Nothing is fetched while it exists, and
nothing of it is installed into this machine.
"""

from __future__ import annotations

import hashlib
import lzma
import platform
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.arm.root import (
    BUILD,
    PROJECT,
    SUITE,
    debian,
    fetch_wheels,
    kept_folder,
    kept_root,
    kept_whole,
    unpack,
)
from tests.pi.initramfs import write_archive
from tests.programs import CannotRun, ran

QEMU: Final = "qemu-system-arm"
KERNEL: Final = ("linux-image-arm64", "busybox-static")
TREE: Final = "bcm2837-rpi-3-b.dtb"
"""The kernel's description of a Pi 3 B."""
MODULES: Final = ("i2c-dev", "i2c-bcm2835", "i2c-mux", "i2c-mux-pca954x")
"""The kernel's own drivers, in the order in which they are loaded."""
OF_THE_KERNEL: Final = (
    "/boot/vmlinuz-*",
    f"/usr/lib/linux-image-*/broadcom/{TREE}",
    *(f"/usr/lib/modules/*/{name}.ko*" for name in MODULES),
    "/usr/bin/busybox",
)
LGPIO: Final = ("lgpio==0.2.2.0", "3.12", ("manylinux_2_34_aarch64",))
"""lgpio's wheel for Python 3.12, the newest that is not empty; Python 3.13 loads it too."""
PROGRAM: Final = ("pi_app", "hardware", "firmware_host", "pyproject.toml", "tests/__init__.py", "tests/pi")

NANOSECONDS_PER_INSTRUCTION_LOG2: Final = 1
"""2 ns: 500 million instructions a second of the board's own time, whatever this machine does besides. The cores of a
Pi 3 have 1200 million cycles a second."""
CHANNELS: Final = (0, 1, 2, 4)
"""The channels of the mux that have a chip. Channel 3 has none."""
SECONDS: Final = 900.0


@dataclass(frozen=True)
class Board:
    """What QEMU needs: its own folder, kernel, description of the board, and the system."""

    qemu: Path
    kernel: Path
    tree: Path
    system: Path


def board() -> Board:
    """The board's parts, from before or fetched now. Raises CannotRun."""
    check_machine()
    kept = _kept_folder()
    if not kept.is_dir():
        _fetch(kept)
    return Board(kept / "qemu", kept / "vmlinuz", kept / TREE, kept / "system.cpio")


def check_machine() -> None:
    if sys.platform != "linux" or platform.machine() != "x86_64":
        raise CannotRun(f"Debian's QEMU is fetched for x86-64 Linux, and this is {platform.machine()} {sys.platform}")


def pack_program(file: Path, system: Path) -> None:
    """Write the system with this project's program behind it."""
    shutil.copyfile(system, file)
    parts = [(PROJECT / name, f"project/{name}") for name in PROGRAM]
    with file.open("ab") as archive:
        write_archive(archive, [(Path(__file__).with_name("init.sh"), "init"), *parts])


def command(board: Board, system: Path, date_s: int) -> list[str]:
    """The words that start the board. Its console is the standard output; `date_s` is its date.

    All four cores are used: one that Linux leaves out spins, and QEMU cannot skip the time in which such a board idles.
    """
    told = f"console=ttyS1,115200 quiet iomem=relaxed rdinit=/init trapdial.date={date_s}"
    words = [*_qemu(board.qemu), "-M", "raspi3b", "-nographic", "-nodefaults", "-no-reboot"]
    words += ["-icount", f"shift={NANOSECONDS_PER_INSTRUCTION_LOG2},sleep=off"]
    words += ["-serial", "null", "-serial", "stdio", "-append", told]
    words += ["-kernel", str(board.kernel), "-dtb", str(board.tree), "-initrd", str(system)]
    words += ["-device", "pca9548,bus=i2c-bus.1,address=0x70"]
    for channel in CHANNELS:  # QEMU calls the mux's channels i2c.0 to i2c.7
        words += ["-device", f"at24c-eeprom,bus=i2c.{channel},address=0x36,rom-size=256"]
    return words


def _qemu(folder: Path) -> list[str]:
    """QEMU with its own libraries, which are newer than this machine's may be."""
    libraries = folder / "usr/lib/x86_64-linux-gnu"
    loader = [str(libraries / "ld-linux-x86-64.so.2"), "--library-path", f"{libraries}:{libraries}/pulseaudio"]
    return [*loader, str(folder / "usr/bin/qemu-system-aarch64"), "-L", str(folder / "usr/share/qemu")]


def _kept_folder() -> Path:
    fetched = (kept_folder().name, SUITE, QEMU, KERNEL, OF_THE_KERNEL, LGPIO)
    return BUILD / f"pi-{hashlib.sha256(repr(fetched).encode()).hexdigest()[:12]}"


def _fetch(kept: Path) -> None:
    system, mirror = kept_root() / "root", debian()
    with kept_whole(kept) as fresh:
        _unpacked(mirror, "amd64", [QEMU], fresh / "qemu")
        kernel = fresh / "kernel"
        _unpacked(mirror, "arm64", KERNEL, kernel, only=OF_THE_KERNEL)
        _one(kernel, "boot/vmlinuz-*").rename(fresh / "vmlinuz")
        _one(kernel, f"usr/lib/linux-image-*/broadcom/{TREE}").rename(fresh / TREE)
        modules = fresh / "modules"
        modules.mkdir()
        for name in MODULES:
            packed = _one(kernel, f"usr/lib/modules/**/{name}.ko.xz")
            (modules / f"{name}.ko").write_bytes(lzma.decompress(packed.read_bytes()))
        lgpio = fresh / "lgpio"
        fetch_wheels(lgpio, LGPIO[1], LGPIO[2], [LGPIO[0]])
        _one(lgpio, "_lgpio.*.so").rename(lgpio / "_lgpio.so")  # a name that every Python 3 loads
        added = [(path, f"opt/site/{path.name}") for path in (lgpio / "lgpio.py", lgpio / "_lgpio.so")]
        added += [(modules, "modules"), (_one(kernel, "usr/bin/busybox"), "usr/bin/busybox")]
        with (fresh / "system.cpio").open("wb") as archive:
            write_archive(archive, [(system, ""), *added])
        for done in (kernel, modules, lgpio):
            shutil.rmtree(done)


def _unpacked(mirror: str, architecture: str, packages: Sequence[str], folder: Path, only: Sequence[str] = ()) -> None:
    archive = folder.with_suffix(".tar")
    unpack(mirror, SUITE, architecture, packages, archive, only=only)
    folder.mkdir()
    ran(["tar", "-xf", str(archive), "-C", str(folder), "--no-same-owner", "--exclude=./dev/*"])
    archive.unlink()


def _one(folder: Path, pattern: str) -> Path:
    found = sorted(folder.glob(pattern))
    if not found:
        raise CannotRun(f"the package unpacked into {folder.name} has no {pattern}")
    return found[-1]
