"""The guest's system: Debian 13 with systemd and Python on an ext4 disk, made once and kept outside the tree.

`<cache>/station-system-<key>.tar` is what mmdebstrap unpacked and configured; the key consists of the suite and the
packages. `<cache>/station-disks-<key>/` is that system with the stage's own files, after its first start; the key
consists of the archive's key, the kernel and those files. Nothing is fetched while the archive exists.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.arm.root import debian
from tests.programs import CannotRun, cache, ran

HERE: Final = Path(__file__).resolve().parent
SUITE: Final = "trixie"
"""What Raspberry Pi OS of 2025 is made from."""
PACKAGES: Final = ("systemd", "systemd-sysv", "udev", "dbus", "kmod", "dosfstools", "python3", "python3-venv")
"""No compiler, no pip's network, no name server: what the package needs beside itself must be in it or here."""
LEFT_OUT: Final = ("/usr/share/doc/*", "/usr/share/man/*", "/usr/share/locale/*", "/usr/share/info/*")
DISK_MB: Final = 1400
BOOT_MB: Final = 32
DAILY: Final = ("apt-daily.timer", "apt-daily-upgrade.timer", "fstrim.timer", "e2scrub_all.timer")
"""Timers of Debian's that would do their daily work in the middle of a check."""
MODULES: Final = ("modprobe@.service", "systemd-modules-load.service", "systemd-udev-load-credentials.service")
"""The guest's kernel has no modules: each of a dozen programs that load some only costs a start."""
MASKED: Final = (*DAILY, *MODULES)
TRIGGER: Final = """# This kernel has two hundred terminals: the rules for each would take longer than all the rest.
[Service]
ExecStart=
ExecStart=-udevadm trigger --type=all --action=add --subsystem-match=block
"""

AGENT: Final = """[Unit]
Description=The stage's own agent
DefaultDependencies=no
After=local-fs.target
Conflicts=shutdown.target
Before=shutdown.target
RequiresMountsFor=/host

[Service]
ExecStart=/usr/bin/python3 -I /stage/agent.py
Restart=always
RestartSec=0
OOMScoreAdjust=-1000

[Install]
WantedBy=sysinit.target
"""
FSTAB: Final = """/dev/ubda / ext4 rw,errors=remount-ro 0 0
/dev/ubdb /boot/firmware vfat ro 0 0
none /host hostfs nofail 0 0
"""
FOLDERS: Final = ("host", "boot/firmware")
OWN_FILES: Final = {
    "etc/fstab": FSTAB,
    "etc/hostname": "station\n",
    "etc/systemd/system/stage-agent.service": AGENT,
    "etc/systemd/system/systemd-udev-trigger.service.d/stage.conf": TRIGGER,
    "stage/agent.py": (HERE / "inside/agent.py").read_text(encoding="utf-8"),
    "stage/little.py": (HERE / "inside/little.py").read_text(encoding="utf-8"),
}


def archive() -> Path:
    """The system as an archive, from before or fetched now. Raises CannotRun."""
    kept = cache() / f"station-system-{_key(SUITE, PACKAGES, LEFT_OUT)}.tar"
    if not kept.exists():
        mirror = debian()
        fresh = kept.with_suffix(".fetched.tar")
        words = ["mmdebstrap", "--quiet", "--variant=minbase", "--aptopt=Apt::Install-Recommends false"]
        words += [f"--dpkgopt=path-exclude={path}" for path in LEFT_OUT]
        ran([*words, f"--include={','.join(PACKAGES)}", SUITE, str(fresh), mirror])
        fresh.rename(kept)
    return kept


@dataclass(frozen=True, slots=True)
class Disks:
    """The disks of a guest: the one with the root, and the small one that a Pi boots from."""

    root: Path
    boot: Path

    def copied(self, to: Path) -> Disks:
        """Copies with the originals' holes; they share with them what the host's file system can share."""
        to.mkdir(parents=True, exist_ok=True)
        for path in (self.root, self.boot):
            ran(["cp", "--sparse=always", "--reflink=auto", str(path), str(to / path.name)])
        return Disks(to / self.root.name, to / self.boot.name)

    def is_whole(self) -> bool:
        """Whether the root's file system has no fault once its own journal is played back, which changes the disk."""
        done = subprocess.run(["e2fsck", "-p", str(self.root)], capture_output=True, check=False, timeout=120)
        return done.returncode in (0, 1)


def disks(kernel: Path, settle: Callable[[Disks], None]) -> Disks:
    """The disks of a system that has started once, from before or made now. Raises CannotRun.

    `settle` starts a system from its disks for the first time and shuts it down.
    """
    parts = (archive().name, kernel.parent.name, OWN_FILES, DISK_MB, BOOT_MB, MASKED)
    kept = cache() / f"station-disks-{_key(*parts)}"
    if not kept.exists():
        if os.geteuid() != 0:
            raise CannotRun("the guest's disk is made as root: its files belong to several users")
        with tempfile.TemporaryDirectory(prefix="trapdial-system-", dir=cache()) as name:
            fresh = Path(name) / "disks"
            fresh.mkdir()
            made = Disks(fresh / "root.img", fresh / "boot.img")
            _make_root(Path(name) / "root", made.root)
            with made.boot.open("wb") as file:
                file.truncate(BOOT_MB << 20)
            settle(made)
            fresh.rename(kept)
    return Disks(kept / "root.img", kept / "boot.img")


def _make_root(root: Path, fresh: Path) -> None:
    root.mkdir()
    ran(["tar", "-xf", str(archive()), "-C", str(root), "--exclude=./dev/*"])
    for folder in FOLDERS:
        (root / folder).mkdir(parents=True, exist_ok=True)
    for name, text in OWN_FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    units = root / "etc/systemd/system"
    (units / "sysinit.target.wants").mkdir(exist_ok=True)
    (units / "sysinit.target.wants/stage-agent.service").symlink_to("/etc/systemd/system/stage-agent.service")
    for unit in MASKED:
        (units / unit).unlink(missing_ok=True)
        (units / unit).symlink_to("/dev/null")
    ran(["mke2fs", "-q", "-t", "ext4", "-d", str(root), str(fresh), f"{DISK_MB}M"])
    shutil.rmtree(root)


def _key(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:12]
