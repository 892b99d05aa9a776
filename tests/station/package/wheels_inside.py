"""What is in a package, looked at without running it: every wheel that each Python needs, for the right processor."""

from __future__ import annotations

import re
import struct
import zipfile
from collections.abc import Iterator, Sequence
from email.parser import HeaderParser
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from pi_app.station.package.wheelhouse import MACHINES, systems
from pi_app.station.updates.deb_file import unpack_payload
from pi_app.station.updates.wheels import System, Wheel, choose
from tests.lock import applies_on
from tests.station.package.steps import Failed

ELF: Final = b"\x7fELF"
PROCESSORS: Final = {"x86_64": 62, "aarch64": 183}
"""The number of each processor in an ELF file (elf.h: EM_X86_64, EM_AARCH64)."""
GLIBC: Final = 36
"""Debian 12 has glibc 2.36: a compiled file that wants a later one is of no use there."""


def check_wheels(package: Path, folder: Path) -> str:
    """Check the wheels of a package's file; say what was found. Raises Failed."""
    architecture = package.stem.rpartition("_")[2]
    payload = folder / f"payload-{architecture}"
    unpack_payload(package, payload, MACHINES[architecture])
    said, compiled = [], 0
    for system in systems(architecture):
        chosen = choose(payload, system)
        check_closed(chosen, system)
        compiled += sum(check_compiled(each, system) for each in chosen)
        said.append(f"{len(chosen)} wheels for Python 3.{system.minor}")
    return (
        f"{architecture}: {' and '.join(said)}, which need nothing else; {compiled} compiled files, all for "
        f"{MACHINES[architecture]} and at most glibc 2.{GLIBC}"
    )


def check_closed(chosen: Sequence[Wheel], system: System) -> None:
    """Check that every requirement of every wheel is met by another one of them. Raises Failed."""
    there = {canonicalize_name(each.name): each.version for each in chosen}
    for each in chosen:
        for wanted in _requirements(each, system):
            version = there.get(canonicalize_name(wanted.name))
            if version is None or version not in wanted.specifier:
                raise Failed(f"{each.path.name} needs {wanted}, and there is {version or 'none'}, for {system}")


def _requirements(each: Wheel, system: System) -> Iterator[Requirement]:
    with zipfile.ZipFile(each.path) as archive:
        (name,) = (name for name in archive.namelist() if re.fullmatch(r"[^/]+\.dist-info/METADATA", name))
        found = HeaderParser().parsestr(archive.read(name).decode())
    for line in found.get_all("Requires-Dist", []):
        wanted = Requirement(line)
        if applies_on(wanted, system):
            yield wanted


def check_compiled(each: Wheel, system: System) -> int:
    """Check every compiled file of a wheel; how many there are. Raises Failed."""
    count = 0
    with zipfile.ZipFile(each.path) as archive:
        for name in archive.namelist():
            content = archive.read(name)
            if not content.startswith(ELF):
                continue
            count += 1
            if trouble := wrong_elf(content, system.machine):
                raise Failed(f"{each.path.name}: {name} {trouble}")
    return count


def wrong_elf(content: bytes, machine: str) -> str | None:
    """What is wrong with a compiled file for this machine; None if nothing is."""
    (processor,) = struct.unpack_from("<H", content, 18)
    if processor != PROCESSORS[machine]:
        return f"is for the processor {processor} of elf.h, not for {machine}"
    newest = max((int(found) for found in re.findall(rb"GLIBC_2\.(\d+)", content)), default=0)
    return f"needs glibc 2.{newest}" if newest > GLIBC else None
