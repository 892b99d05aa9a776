"""The kernel's I2C device `/dev/i2c-N`, opened through smbus2 and locked for this program."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import functools
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

from hardware.adapter import KERNEL_LOG, KernelMessage
from hardware.errors import NoBus

I2C_TIMEOUT = 0x0702
"""linux/i2c-dev.h: the adapter's time-out, in units of 10 ms. smbus2 has no name for it."""

TIMEOUT_UNIT_MS = 10


def open_adapter(device: str, proc: Path = Path("/proc")) -> DeviceAdapter:
    """The I2C controller behind `/dev/i2c-N`, locked for this program until `close()`.

    Raises NoBus, with advice, if the device is missing, forbidden, no I2C bus, or used by another program.
    """
    try:
        file = open(device, "r+b", buffering=0)  # noqa: SIM115 - the adapter owns it until close()
    except OSError as error:
        raise _no_bus(device, error) from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return DeviceAdapter(device, file)
    except OSError as error:
        held_by = holder(file, proc) if error.errno == errno.EWOULDBLOCK else ""
        file.close()
        raise _no_bus(device, error, held_by) from error


_NO_BUS: dict[int, tuple[str, str]] = {
    errno.ENOENT: (
        "is not there",
        "Switch I2C on: dtparam=i2c_arm=on in config.txt, or sudo raspi-config, Interface Options, I2C; "
        "then start the Pi again.",
    ),
    errno.EACCES: (
        "cannot be opened: permission denied",
        "Join the group i2c: sudo usermod -aG i2c $USER, then log in again.",
    ),
    errno.EWOULDBLOCK: (
        "is in use by another program",
        "Stop the other one first: two programs on one bus corrupt each other's reads.",
    ),
    errno.ENOTTY: ("is not an I2C bus", "Name a device such as /dev/i2c-1 in the settings."),
}


OF_AN_OVERLAY = (
    "Switch this bus on with its own dtoverlay in config.txt, such as dtoverlay=i2c6 for /dev/i2c-6 on a Pi 4; then "
    "start the Pi again."
)
HEADER_BUSES = ("i2c-0", "i2c-1")
"""These need no overlay."""


def _no_bus(device: str, error: OSError, held_by: str = "") -> NoBus:
    fallback = (f"cannot be used: {error.strerror}", KERNEL_LOG)
    seen, advice = _NO_BUS.get(error.errno or 0, fallback)
    if error.errno == errno.ENOENT and Path(device).name not in HEADER_BUSES:
        advice = OF_AN_OVERLAY
    return NoBus("I2C bus", device, f"{seen}: {held_by}" if held_by else seen, advice)


def holder(file: IO[bytes], proc: Path = Path("/proc")) -> str:
    """The program that has locked this file, such as `trapdial (process 708)`; empty if unknown.

    Reads lines such as `1: FLOCK  ADVISORY  WRITE 708 00:06:312 0 EOF` (proc_locks(5)): major and minor number of the
    file system in hex, and the inode.
    """
    status = os.fstat(file.fileno())
    of_file = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    try:
        lines = (proc / "locks").read_text(encoding="ascii", errors="replace").splitlines()
        rows = [line.split() for line in lines]
        pid = next((row[4] for row in rows if len(row) > 5 and row[1] == "FLOCK" and row[5] == of_file), "")
        name = (proc / pid / "comm").read_text(encoding="utf-8", errors="replace").strip() if pid else ""
    except OSError:
        return ""
    return f"{name} (process {pid})" if name else ""


class DeviceAdapter:
    """`hardware.adapter.Adapter` over the kernel's device, with the kernel's structures from smbus2."""

    def __init__(self, device: str, file: IO[bytes]) -> None:
        from smbus2 import smbus2  # here, so that a simulated table never loads it

        self._smbus2 = smbus2
        self._name = device
        self._file = file
        functions = ctypes.c_ulong()
        fcntl.ioctl(file, smbus2.I2C_FUNCS, functions)
        self._functions = functions.value

    @property
    def name(self) -> str:
        return self._name

    def functions(self) -> int:
        return self._functions

    def prepare(self, messages: Sequence[KernelMessage]) -> Callable[[], int]:
        """The call holds the kernel's structures, which point into the messages' own buffers.

        It holds the file, not its number: a call after `close()` is a ValueError and never reaches
        another file that got the same number.
        """
        smbus2 = self._smbus2
        kernel_form = [
            smbus2.i2c_msg(
                addr=m.address,
                flags=m.flags,
                len=len(m.buffer),
                buf=(ctypes.c_char * len(m.buffer)).from_buffer(m.buffer),
            )
            for m in messages
        ]
        request = smbus2.i2c_rdwr_ioctl_data.create(*kernel_form)
        return functools.partial(fcntl.ioctl, self._file, smbus2.I2C_RDWR, request)

    def set_timeout_ms(self, timeout_ms: int) -> None:
        """Rounded up to whole tens. A transfer that takes longer on the wire fails as stuck."""
        if timeout_ms < 1:
            raise ValueError(f"a time-out is at least 1 ms, not {timeout_ms} ms")
        fcntl.ioctl(self._file, I2C_TIMEOUT, -(-timeout_ms // TIMEOUT_UNIT_MS))

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self._file.closed

    def close(self) -> None:
        """Close the device, which releases the lock."""
        self._file.close()
