"""Takes from the sender's process all files but the record that it hands over: it talks to strangers, and no key of a
game may be in its reach. It also makes the process wait for every other program.

Sources: sched(7), nice(2), proc(5) on oom_score_adj, resolv.conf(5), nsswitch.conf(5).
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sysconfig
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final

from hardware.landlock import CHANGE, READ, no_new_privileges, restrict
from hardware.private_memory import keep_memory_private
from pi_app.journal.beside import INDEX, LOG
from pi_app.journal.cosigned import cosigned_folder

NICE: Final = 10
FIRST_TO_GO: Final = 500
"""Without memory the kernel ends this process before others."""

DOMAIN_PORT: Final = 53

RESOLVER: Final = Path("/etc/resolv.conf")
"""A network that is joined writes another file in its place."""

NAMES: Final = tuple(
    Path(each)
    for each in (
        *("/etc/hosts", "/etc/resolv.conf", "/etc/nsswitch.conf", "/etc/host.conf", "/etc/gai.conf", "/etc/services"),
        *("/etc/ld.so.cache", "/run/systemd/resolve", "/run/resolvconf", "/lib", "/usr/lib", "/lib64", "/usr/lib64"),
        *("/etc/ssl/certs", "/usr/share/ca-certificates", "/usr/local/share/ca-certificates", "/etc/pki"),
    )
)
"""What the system reads to find a computer by its name, and the authorities that it trusts."""


def make_way() -> None:
    """Let every other program go first. The table may run with a real-time priority, which this process must not
    have."""
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
    with contextlib.suppress(OSError):
        os.nice(NICE)
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write(str(FIRST_TO_GO))


def files_of(record: Path) -> tuple[Path, ...]:
    """Return the files of a record that are read: SQLite replaces the last two, and then others are there."""
    return record, *(record.with_name(record.name + end) for end in (LOG, INDEX))


def confine(record: Path, ports: Collection[int]) -> bool:
    """Leave this process the record's files to read, the folder of its cosignatures to write, what finds computers by
    name, and these ports; no other file, for good. Return whether the kernel does that. Read all keys before."""
    library = ctypes.CDLL(None, use_errno=True)
    keep_memory_private()
    no_new_privileges(library)
    rights = dict.fromkeys((*NAMES, *_program(record)), READ)
    rights |= dict.fromkeys(files_of(record), READ)
    rights[cosigned_folder(record)] = CHANGE
    try:
        return restrict(library, rights, {*ports, DOMAIN_PORT})
    except (OSError, AttributeError):
        return False


def _program(record: Path) -> Iterator[Path]:
    """Yield the folders that Python may still load a module from, but none that the record or its keys are in."""
    package = Path(__file__).resolve().parents[2]
    libraries = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    for folder in (package / "pi_app", package / "hardware", *(Path(each) for each in libraries if each)):
        if not record.resolve().is_relative_to(folder.resolve()):
            yield folder
