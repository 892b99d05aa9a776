"""Makes guests for the stage: the kernel, the system, and a machine over copies of its disks."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.kernel.guest import memory_folder
from tests.kernel.kernel import kernel
from tests.programs import CannotRun
from tests.station.guest.machine import Failed, Machine
from tests.station.guest.meter import check_meter
from tests.station.guest.system import Disks, disks

FIRST_BOOT_S = 300.0
ROOM_MB = 1000
"""What the disks of one guest take at most, without their holes."""


def prepared() -> tuple[Path, Disks]:
    """The kernel and the disks of a system that has started once. Raises CannotRun."""
    check_meter()
    boots = kernel()

    def settle(made: Disks) -> None:
        with tempfile.TemporaryDirectory(prefix="trapdial-", dir="/tmp") as share:
            machine = Machine(boots, made, Path(share))
            try:
                # The boot disk has no file system yet. systemd leaves out all of local-fs.target with it, also what
                # makes the root writable.
                machine.boot("systemd.mask=boot-firmware.mount", "rw", seconds=FIRST_BOOT_S)
                machine.must("mkfs.vfat", "-n", "BOOTFS", "/dev/ubdb")
                wait_until_up(machine, seconds=FIRST_BOOT_S)
                machine.off()
            except Failed as failure:
                raise CannotRun(f"the guest's first start failed: {failure}") from failure
            finally:
                machine.close()

    return boots, disks(boots, settle)


@contextlib.contextmanager
def guest(boots: Path, from_disks: Disks, folder: Path) -> Iterator[Machine]:
    """A machine that is switched off, over copies of the disks; at the end it is killed and its disks are removed.

    The copies are in memory if there is room: else each sync of the guest waits for what other programs write here."""
    folder.mkdir(parents=True)
    share = folder / "host"
    share.mkdir()
    with tempfile.TemporaryDirectory(prefix="trapdial-", dir=memory_folder(folder, ROOM_MB)) as disks_folder:
        machine = Machine(boots, from_disks.copied(Path(disks_folder)), share)
        try:
            yield machine
        finally:
            machine.close()


def wait_until_up(machine: Machine, seconds: float = 120.0) -> str:
    """Wait until systemd has started everything. Returns its word: `running`, or `degraded` if a unit failed."""
    said = machine.run("systemctl", "is-system-running", "--wait", seconds=seconds)
    if said.out.strip() not in ("running", "degraded"):
        raise Failed(f"systemd says {said.out.strip() or said.err.strip()!r} after {seconds:g} s")
    return said.out.strip()
