"""Boots the guest: User-Mode Linux as an ordinary program, with our devices, for one command."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pi_app.settings import load as st
from tests.kernel.served import RequestServer, ServedTable

PROJECT: Final = Path(__file__).resolve().parents[2]
GUEST_MEMORY_MB: Final = 256
ENDS_WITH_US: Final = ("setpriv", "--pdeathsig", "TERM")
"""If this program is killed and cannot end the guest, the host's kernel does (util-linux is on every Debian)."""
KILLED: Final = 124
"""Exit code for a guest that did not end in time, as timeout(1) has it."""
DIED: Final = 125
"""Exit code for a guest that ended without an exit code: a panic, or no memory."""


@dataclass(frozen=True, slots=True)
class GuestResult:
    """Result of a guest: the command's exit code, and its console."""

    code: int
    seconds: float
    boot_seconds: float | None
    """From starting the kernel to our first Python output; None without any."""


def memory_folder(own: Path, megabytes: int) -> Path:
    """Folder of the guest's memory file: it needs room and must allow code. /dev/shm is the fastest."""
    shm = Path("/dev/shm")
    if shm.is_dir() and os.access(shm, os.W_OK):
        about = os.statvfs(shm)
        if not about.f_flag & os.ST_NOEXEC and about.f_bavail * about.f_frsize > 2 * megabytes << 20:
            return shm
    return own


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    """A folder with a short name: a socket's path is limited to 107 bytes."""
    folder = Path(tempfile.mkdtemp(prefix="trapdial-", dir="/tmp"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _words(kernel: Path, served: ServedTable, serial: int, command: Sequence[str]) -> list[str]:
    devices = [f"virtio_uml.device={device.path}:{device.virtio_id}:{n}" for n, device in enumerate(served.devices)]
    return [
        str(kernel),
        f"mem={GUEST_MEMORY_MB}M",
        "root=/dev/root",
        "rootfstype=hostfs",
        "rootflags=/",
        "ro",
        "quiet",
        "console=tty0",
        f"ssl0=fd:{serial}",
        *devices,
        "init=/bin/sh",
        "--",
        str(PROJECT / "tests/kernel/init.sh"),
        str(PROJECT),
        *command,
    ]


def run(
    kernel: Path, settings: Path, command: Sequence[str], *, packages: Path, seconds: float, seed: int = 7
) -> GuestResult:
    """Boot, run a command in the project's folder of the guest, and end the guest in any case.

    The command sends its exit code over the serial line (`["finished", code]`). `packages` goes onto the guest's
    PYTHONPATH. After `seconds` the guest is killed, with every process of its group.
    """
    codes: list[int] = []
    finished = threading.Event()

    def ended(code: int) -> None:
        codes.append(code)
        finished.set()

    began = time.monotonic()
    with contextlib.ExitStack() as closing:
        folder = closing.enter_context(_folder())
        served = ServedTable(st.load(settings), folder, seed)
        closing.callback(served.close)
        ours, theirs = socket.socketpair()
        closing.callback(ours.close)
        for device in served.devices:
            device.start()
        servant = RequestServer(served, ours, ended)
        servant.start()
        words = _words(kernel, served, theirs.fileno(), command)
        surroundings = {
            "TMPDIR": str(memory_folder(folder, GUEST_MEMORY_MB)),
            "PYTHONPATH": str(packages),
            "TRAPDIAL_GUEST": "1",
            "HOME": "/tmp",
            "PYTHONDONTWRITEBYTECODE": "1",
            "LD_LIBRARY_PATH": str(packages),
        }
        guest = subprocess.Popen(
            [
                *ENDS_WITH_US,
                words[0],
                *(f"{name}={value}" for name, value in surroundings.items() if name != "TMPDIR"),
                *words[1:],
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=(theirs.fileno(),),
            start_new_session=True,
            env={**os.environ, "TMPDIR": surroundings["TMPDIR"]},
            text=True,
            errors="replace",
        )
        theirs.close()
        closing.callback(end, guest)
        output = _Console(guest, finished)
        output.start()
        in_time = finished.wait(seconds)
        end(guest)
        output.join(5)
    code = codes[0] if codes else (DIED if in_time else KILLED)
    booted = None if servant.booted_at is None else servant.booted_at - began
    return GuestResult(code, time.monotonic() - began, booted)


class _Console(threading.Thread):
    """Prints the console as it arrives, and notices its end."""

    def __init__(self, guest: subprocess.Popen[str], finished: threading.Event) -> None:
        super().__init__(name="console", daemon=True)
        self._guest, self._finished = guest, finished

    def run(self) -> None:
        assert self._guest.stdout is not None
        with self._guest.stdout as console:
            for line in console:
                sys.stdout.write(line)
                sys.stdout.flush()
        self._finished.set()


def end(guest: subprocess.Popen[Any]) -> None:
    """Kill the guest with its whole process group: every process of the guest is one of the host."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(guest.pid, signal.SIGKILL)
    guest.wait()
