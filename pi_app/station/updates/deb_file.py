"""Read the Debian package of a newer Trapdial: what it is, and the payload that a tree is made from."""

from __future__ import annotations

import email.parser
import io
import lzma
import os
import re
import struct
import tarfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from pi_app.station.updates.refusals import PackageRefusedError, Refusal
from pi_app.station.updates.wheels import AGAIN

MOST_BYTES: Final = 300_000_000
"""Of a package's file, and of what is unpacked from it."""
MOST_CONTROL_BYTES: Final = 1_000_000
_MAGIC: Final = b"!<arch>\n"
_HEADER: Final = 60
_PAYLOAD: Final = re.compile(r"(?:\./)?opt/trapdial/payload/((?:wheels/)?(?!wheels$)\w[\w.+-]{0,199})", re.ASCII)
NAME_ONE: Final = "Name a package's file, such as trapdial_0.3.0_arm64.deb"
DAMAGE: Final = (
    *(tarfile.TarError, lzma.LZMAError, zlib.error, struct.error, EOFError, MemoryError),
    *(ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError),
)
"""What the standard library raises for damaged archives, texts and numbers: `tarfile` lets through whatever its
decompressors raise, and gzip raises an OSError without a number for a file that is not its own."""
ARCHITECTURES: Final = {"x86_64": "amd64", "aarch64": "arm64"}
"""Debian's name of each machine that the package is made for."""


@dataclass(frozen=True, slots=True)
class Control:
    """What a package says of itself."""

    package: str
    version: str
    architecture: str


def unpack_payload(file: Path, folder: Path, machine: str, name: str = "") -> Control:
    """Unpack the payload of a package of Trapdial for this machine into a new folder, and sync it to the disk.

    `name`: what messages call the file. Raises PackageRefusedError if the file is no such package or is damaged, and
    OSError if the disk refuses."""
    name = name or str(file)
    with file.open("rb") as opened:
        try:
            members = dict(_members(name, opened))
            control = _control(name, opened, members)
            _check(name, control, machine)
            with _archive(name, opened, members["data"]) as archive:
                _extract(name, archive, folder)
        except DAMAGE as trouble:
            raise damaged(name, str(trouble) or type(trouble).__name__) from None
        except OSError as trouble:
            if trouble.errno is not None:
                raise
            raise damaged(name, str(trouble)) from None  # gzip
    return control


def damaged(name: str, why: str) -> PackageRefusedError:
    """Return the error for a damaged package; `why` comes from a library, and may be empty."""
    seen = "the package is damaged" + (f" ({' '.join(why.split())[:200]})" if why else "")
    return PackageRefusedError.because(Refusal.DAMAGED, name, seen, AGAIN)


@dataclass(frozen=True, slots=True)
class _Member:
    """Where a member of a package begins, and how long it is."""

    start: int
    size: int
    name: str


def _members(file: str, opened: BinaryIO) -> Iterator[tuple[str, _Member]]:
    """Yield each member of a package by the first part of its name."""
    if opened.read(len(_MAGIC)) != _MAGIC:
        raise PackageRefusedError.because(Refusal.DAMAGED, file, "this is no Debian package", NAME_ONE)
    names = set()
    while header := opened.read(_HEADER):
        name, size = header[:16].decode("ascii").rstrip(" /"), header[48:58].decode("ascii").rstrip()
        if not size.isdecimal():
            raise damaged(file, "a member has no size")
        member = _Member(opened.tell(), int(size), name)
        yield name.split(".")[0], member
        names.add(name.split(".")[0])
        opened.seek(member.start + member.size + member.size % 2)
    for wanted in ("control", "data"):
        if wanted not in names:
            raise damaged(file, f"it has no {wanted}.tar")


def _archive(file: str, opened: BinaryIO, member: _Member) -> tarfile.TarFile:
    if not member.name.endswith((".tar", ".tar.xz", ".tar.gz")):
        seen = f"its {member.name} is compressed in a way that is not known here"
        raise PackageRefusedError.because(Refusal.DAMAGED, file, seen, "Make the package with `make deb`")
    opened.seek(member.start)
    data = opened.read(min(member.size, MOST_BYTES))
    if len(data) != member.size:
        raise damaged(file, f"it ends in the middle of its {member.name}")
    return tarfile.open(fileobj=io.BytesIO(data))


def _control(file: str, opened: BinaryIO, members: dict[str, _Member]) -> Control:
    member = members["control"]
    if member.size > MOST_CONTROL_BYTES:
        raise damaged(file, f"its {member.name} has {member.size:,} bytes")
    with _archive(file, opened, member) as archive:
        entry = next((each for each in archive if each.name.removeprefix("./") == "control" and each.isreg()), None)
        reader = archive.extractfile(entry) if entry is not None and entry.size <= MOST_CONTROL_BYTES else None
        text = reader.read().decode() if reader is not None else ""
        _read_to_end(file, archive, MOST_CONTROL_BYTES)
    fields = email.parser.HeaderParser().parsestr(text)
    return Control(*(str(fields.get(name, "")) for name in ("Package", "Version", "Architecture")))


def _check(file: str, control: Control, machine: str) -> None:
    here = ARCHITECTURES.get(machine, machine)
    if control.package != "trapdial":
        seen = f"this is the package {control.package or 'of no name'}"
        raise PackageRefusedError.because(Refusal.OTHER_MACHINE, file, seen, "Name a package of trapdial")
    if control.architecture != here:
        seen = f"this package is for {control.architecture}, and this machine is {here}"
        advice = f"Use trapdial_{control.version}_{here}.deb"
        raise PackageRefusedError.because(Refusal.OTHER_MACHINE, file, seen, advice)


def _extract(file: str, archive: tarfile.TarFile, folder: Path) -> None:
    """Write every plain file of the payload; links, devices and all else of the package are left where they are."""
    (folder / "wheels").mkdir(parents=True)
    left = MOST_BYTES
    for member in archive:
        left -= member.size
        if left < 0:
            raise damaged(file, f"it unpacks to more than {MOST_BYTES:,} bytes")
        found = _PAYLOAD.fullmatch(member.name)
        reader = archive.extractfile(member) if found is not None and member.isreg() else None
        if found is None or reader is None:
            continue
        data = reader.read()
        if len(data) != member.size:
            raise damaged(file, f"{found[1]} is cut off")
        (folder / found[1]).write_bytes(data)
    _read_to_end(file, archive, left)
    os.sync()


def _read_to_end(file: str, archive: tarfile.TarFile, most: int) -> None:
    """Read at most `most` bytes behind the last member of an archive: a compressed one has its checksum there."""
    assert archive.fileobj is not None
    while data := archive.fileobj.read(1 << 20):
        most -= len(data)
        if most < 0:
            raise damaged(file, "it does not end behind its last file")
