"""Read the Debian package of a newer Trapdial: what it is, and the payload that a tree is made from."""

from __future__ import annotations

import email.parser
import io
import os
import re
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from pi_app.station.updates.wheels import AGAIN
from pi_app.text.errors import UserFileError
from pi_app.text.plain_file import open_plain, refusal

MOST_BYTES: Final = 300_000_000
"""Of a package's file, and of what is unpacked from it."""
MOST_CONTROL_BYTES: Final = 1_000_000
_MAGIC: Final = b"!<arch>\n"
_HEADER: Final = 60
_PAYLOAD: Final = re.compile(r"(?:\./)?opt/trapdial/payload/((?:wheels/)?[\w.+-]+)")
ARCHITECTURES: Final = {"x86_64": "amd64", "aarch64": "arm64"}
"""Debian's name of each machine that the package is made for."""


@dataclass(frozen=True, slots=True)
class Control:
    """What a package says of itself."""

    package: str
    version: str
    architecture: str


def unpack_payload(file: Path, folder: Path, machine: str) -> Control:
    """Unpack the payload of a package of Trapdial for this machine into a new folder, and sync it to the disk.

    Raises UserFileError if the file is no such package or is damaged, and OSError if the disk refuses."""
    try:
        with open_plain(file, MOST_BYTES) as opened:
            return _unpacked(file, opened, folder, machine)
    except (tarfile.TarError, EOFError, ValueError) as trouble:
        raise UserFileError.at(str(file), "", f"the package is damaged ({trouble})", AGAIN) from None
    except OSError as trouble:
        if trouble.filename is not None and Path(trouble.filename).is_relative_to(folder):
            raise
        raise refusal(str(file), trouble, "Name a package's file, such as trapdial_0.2.0_arm64.deb") from None


def _unpacked(file: Path, opened: BinaryIO, folder: Path, machine: str) -> Control:
    members = dict(_members(file, opened))
    control = _control(file, opened, members)
    _check(file, control, machine)
    start, size, name = members["data"]
    with _archive(file, opened, start, size, name) as archive:
        _extract(file, archive, folder)
    return control


def _members(file: Path, opened: BinaryIO) -> Iterator[tuple[str, tuple[int, int, str]]]:
    """Where each member of a package begins and how long it is, by the first part of its name."""
    if opened.read(len(_MAGIC)) != _MAGIC:
        raise UserFileError.at(str(file), "", "this is no Debian package", "Name one, such as trapdial_0.2.0_arm64.deb")
    found = set()
    while header := opened.read(_HEADER):
        name, size = header[:16].decode("ascii").rstrip(" /"), int(header[48:58])
        start = opened.tell()
        yield name.split(".")[0], (start, size, name)
        found.add(name.split(".")[0])
        opened.seek(start + size + size % 2)
    for wanted in ("control", "data"):
        if wanted not in found:
            raise UserFileError.at(str(file), "", f"the package is damaged (it has no {wanted}.tar)", AGAIN)


def _archive(file: Path, opened: BinaryIO, start: int, size: int, name: str) -> tarfile.TarFile:
    if not name.endswith((".tar", ".tar.xz", ".tar.gz")):
        seen = f"its {name} is compressed in a way that is not known here"
        raise UserFileError.at(str(file), "", seen, "Make the package with `make deb`")
    opened.seek(start)
    data = opened.read(size)
    if len(data) != size:
        raise UserFileError.at(str(file), "", f"the package ends in the middle of its {name}", AGAIN)
    return tarfile.open(fileobj=io.BytesIO(data))


def _control(file: Path, opened: BinaryIO, members: dict[str, tuple[int, int, str]]) -> Control:
    start, size, name = members["control"]
    if size > MOST_CONTROL_BYTES:
        raise UserFileError.at(str(file), "", f"its {name} has {size:,} bytes", AGAIN)
    with _archive(file, opened, start, size, name) as archive:
        member = next((each for each in archive if each.name.removeprefix("./") == "control" and each.isreg()), None)
        reader = archive.extractfile(member) if member is not None and member.size <= MOST_CONTROL_BYTES else None
        text = reader.read().decode() if reader is not None else ""
    fields = email.parser.HeaderParser().parsestr(text)
    return Control(*(str(fields.get(name, "")) for name in ("Package", "Version", "Architecture")))


def _check(file: Path, control: Control, machine: str) -> None:
    here = ARCHITECTURES.get(machine, machine)
    if control.package != "trapdial":
        seen = f"this is the package {control.package or 'of no name'}"
        raise UserFileError.at(str(file), "", seen, "Name a package of trapdial")
    if control.architecture != here:
        seen = f"this package is for {control.architecture}, and this machine is {here}"
        raise UserFileError.at(str(file), "", seen, f"Use trapdial_{control.version}_{here}.deb")


def _extract(file: Path, archive: tarfile.TarFile, folder: Path) -> None:
    """Write every plain file of the payload; links, devices and all else of the package are left where they are."""
    (folder / "wheels").mkdir(parents=True)
    left = MOST_BYTES
    for member in archive:
        found = _PAYLOAD.fullmatch(member.name)
        if found is None or not member.isreg():
            continue
        left -= member.size
        if left < 0:
            raise UserFileError.at(str(file), "", f"it unpacks to more than {MOST_BYTES:,} bytes", AGAIN)
        reader = archive.extractfile(member)
        assert reader is not None, member.name
        (folder / found[1]).write_bytes(reader.read())
    os.sync()
