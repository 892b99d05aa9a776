"""Write a Debian package: the same bytes from the same contents, on any machine, without root and without Debian."""

from __future__ import annotations

import gzip
import hashlib
import io
import tarfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

LEVEL: Final = 1
"""Of gzip: nearly all is wheels, which are compressed already, and a Pi unpacks this quickly."""


@dataclass(frozen=True, slots=True)
class Put:
    """A file of a package: its content, or where it leads if it is a symbolic link."""

    content: bytes = b""
    mode: int = 0o644
    link: str | None = None


Contents = Mapping[str, Put]
"""Every file by its path without the first slash."""


@dataclass(frozen=True, slots=True)
class Package:
    """A package before it is written. `scripts`: postinst and others; `conffiles`: paths that dpkg keeps if edited;
    `triggers`: paths of other packages whose change runs postinst again."""

    control: Mapping[str, str]
    contents: Contents
    scripts: Mapping[str, str]
    conffiles: tuple[str, ...]
    triggers: tuple[str, ...] = ()


def write(package: Package, file: Path, epoch: int) -> None:
    """Write a package; every time in it is `epoch`, in seconds since 1970. Raises OSError."""
    control = _tar(_control(package), epoch)
    members = {
        "debian-binary": b"2.0\n",
        "control.tar.gz": gzip.compress(control, LEVEL, mtime=0),
        "data.tar.gz": gzip.compress(_tar(package.contents, epoch), LEVEL, mtime=0),
    }
    file.write_bytes(b"!<arch>\n" + b"".join(_member(name, data, epoch) for name, data in members.items()))


def _member(name: str, data: bytes, epoch: int) -> bytes:
    header = f"{name:<16}{epoch:<12}{0:<6}{0:<6}{0o100644:<8o}{len(data):<10}`\n"
    return header.encode("ascii") + data + b"\n" * (len(data) % 2)


def _control(package: Package) -> dict[str, Put]:
    sums = "".join(
        f"{hashlib.md5(put.content, usedforsecurity=False).hexdigest()}  {name}\n"
        for name, put in sorted(package.contents.items())
        if put.link is None and f"/{name}" not in package.conffiles
    )
    control = {**package.control, "Installed-Size": str(installed_kib(package.contents))}
    return {
        "control": Put("".join(f"{name}: {value}\n" for name, value in _in_order(control)).encode()),
        "md5sums": Put(sums.encode()),
        "conffiles": Put("".join(f"{name}\n" for name in package.conffiles).encode()),
        **({"triggers": Put(_triggers(package).encode())} if package.triggers else {}),
        **{name: Put(text.encode(), 0o755) for name, text in package.scripts.items()},
    }


def _triggers(package: Package) -> str:
    return "".join(f"interest-noawait {name}\n" for name in package.triggers)


def _in_order(control: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    """The fields, with the description last, as Debian has them."""
    return sorted(control.items(), key=lambda field: field[0] == "Description")


def installed_kib(contents: Contents) -> int:
    """How much a package's files take, in KiB, as dpkg counts: each one up to the next KiB."""
    return sum(max(1, -(-len(put.content) // 1024)) for put in contents.values())


def _tar(contents: Contents, epoch: int) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for folder in folders(contents):
            archive.addfile(_info(f"./{folder}/" if folder else "./", Put(mode=0o755), tarfile.DIRTYPE, epoch))
        for name, put in sorted(contents.items()):
            kind = tarfile.REGTYPE if put.link is None else tarfile.SYMTYPE
            archive.addfile(_info(f"./{name}", put, kind, epoch), io.BytesIO(put.content))
    return buffer.getvalue()


def folders(contents: Contents) -> list[str]:
    """Every folder above these files, the outer ones first; "" is the root."""
    found = {str(parent) for name in contents for parent in PurePosixPath(name).parents}
    return sorted({"" if name == "." else name for name in found})


def _info(name: str, put: Put, kind: bytes, epoch: int) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.mtime, info.uname, info.gname = kind, epoch, "root", "root"
    info.mode = 0o777 if kind == tarfile.SYMTYPE else put.mode
    info.linkname = put.link or ""
    info.size = len(put.content) if kind == tarfile.REGTYPE else 0
    return info


def gzipped(text: bytes) -> bytes:
    """Compress a page as Debian has it: without a time and a name."""
    return gzip.compress(text, 9, mtime=0)
