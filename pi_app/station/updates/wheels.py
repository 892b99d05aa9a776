"""Unpack wheels into a virtual environment, without pip, compiler and network.

The Debian package brings the wheels of every Python that it supports, and their checksums. The system's Python unpacks
them before Trapdial is installed, so this module needs the standard library alone.
"""

from __future__ import annotations

import configparser
import errno
import hashlib
import lzma
import posixpath
import re
import shutil
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pi_app.text.errors import UserFileError

SUMS: Final = "SHA256SUMS"
"""The file beside `wheels/` with a line for each wheel: its SHA-256 in hex, two spaces, its name."""
WHEELS: Final = "wheels"
LAUNCHED: Final = "trapdial"
"""The only wheel whose commands are written."""

_NAME: Final = re.compile(r"(?P<name>[\w.]+)-(?P<version>[\w.!+]+)(?:-\d\w*)?-(?P<tags>[\w.]+-[\w.]+-[\w.]+)\.whl")
_SUM: Final = re.compile(r"(?P<sum>[0-9a-f]{64})  (?P<name>[\w.!+-]+\.whl)")
_LAUNCHER: Final = """#!{python} -I
import sys
from {module} import {function}
if __name__ == "__main__":
    sys.exit({function}())
"""
AGAIN: Final = "Copy or download the package again"
DAMAGE: Final = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, configparser.Error, EOFError, MemoryError),
    *(ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError),
)
"""What the standard library raises for a damaged wheel; a wheel that is encrypted, or compressed in a way that this
Python lacks, is a RuntimeError."""
WRONG_IN_WHEEL: Final = (errno.EINVAL, errno.ENAMETOOLONG, errno.EISDIR, errno.ENOTDIR, errno.EEXIST)
"""What the system says to a place or a name in a damaged wheel; a bad disk says something else."""


@dataclass(frozen=True, slots=True)
class System:
    """What a wheel must fit: the minor version of Python 3, and the machine as the kernel names it (`aarch64`)."""

    minor: int
    machine: str


@dataclass(frozen=True, slots=True)
class Wheel:
    """A wheel's file and what its name says. `tags`: every (Python, ABI, platform) that it supports."""

    path: Path
    name: str
    version: str
    tags: tuple[tuple[str, str, str], ...]


def wheel(path: Path) -> Wheel:
    """Read the name of a wheel. Raises UserFileError if it is none."""
    found = _NAME.fullmatch(path.name)
    if found is None:
        raise UserFileError.at(str(path), "", "this is not the name of a wheel", AGAIN)
    pythons, abis, platforms = (part.split(".") for part in found["tags"].split("-"))
    tags = tuple((python, abi, platform) for python in pythons for abi in abis for platform in platforms)
    return Wheel(path, found["name"], found["version"], tags)


def fits(tried: Wheel, system: System) -> bool:
    """Say whether a system's Python can import what a wheel contains."""
    return any(_tag_fits(tag, system) for tag in tried.tags)


def _tag_fits(tag: tuple[str, str, str], system: System) -> bool:
    python, abi, platform = tag
    if platform == "any":
        return abi == "none" and python in ("py3", f"py3{system.minor}", f"cp3{system.minor}")
    if not platform.startswith(("manylinux", "linux")) or not platform.endswith(f"_{system.machine}"):
        return False
    if abi == "abi3":
        minor = python.removeprefix("cp3") or "0"
        return python.startswith("cp3") and minor.isdecimal() and int(minor) <= system.minor
    return python == abi == f"cp3{system.minor}"


def choose(payload: Path, system: System) -> tuple[Wheel, ...]:
    """Return one wheel of each project that fits, in the order of their names.

    Raises UserFileError if a wheel is missing or changed, and if a project has none for this system."""
    every = [wheel(path) for path in _listed(payload)]
    chosen = {each.name: each for each in every if fits(each, system)}
    optional = {each.name for each in every if each.name == "lgpio"}
    missing = sorted({each.name for each in every} - chosen.keys() - optional)
    if missing:
        seen = f"it has no wheel of {', '.join(missing)} for Python 3.{system.minor} on {system.machine}"
        advice = f"Use a package for this system; this one has wheels for {_supported(every)}"
        raise UserFileError.at(str(payload), "", seen, advice)
    _check([each.path for each in chosen.values()], sums(payload))
    return tuple(chosen[name] for name in sorted(chosen))


def _supported(wheels: Iterable[Wheel]) -> str:
    found = {(abi, platform) for each in wheels for _, abi, platform in each.tags if re.fullmatch(r"cp3\d+", abi)}
    machines = {re.sub(r"^(?:manylinux(?:\d+|_\d+_\d+)|linux)_", "", platform) for _, platform in found}
    pythons = sorted({int(abi[3:]) for abi, _ in found})
    return f"Python {' and '.join(f'3.{minor}' for minor in pythons)} on {' and '.join(sorted(machines))}"


def sums(payload: Path) -> dict[str, str]:
    """Return the checksum of each wheel by its name. Raises UserFileError if the file is missing or of another form."""
    file = payload / SUMS
    try:
        lines = file.read_text(encoding="ascii").splitlines()
    except (OSError, ValueError) as trouble:
        seen = getattr(trouble, "strerror", None) or "it is not ASCII text"
        raise UserFileError.at(str(file), "", f"it cannot be read ({seen})", AGAIN) from None
    found = [_SUM.fullmatch(line) for line in lines]
    for number, line in enumerate(found, 1):
        if line is None:
            raise UserFileError.at(str(file), f"line {number}", "it is not a checksum and the name of a wheel", AGAIN)
    return {line["name"]: line["sum"] for line in found if line is not None}


def _listed(payload: Path) -> Iterator[Path]:
    return (payload / WHEELS / name for name in sums(payload))


def _check(files: Iterable[Path], wanted: dict[str, str]) -> None:
    for file in files:
        try:
            found = digest(file)
        except OSError as trouble:
            seen = f"it cannot be read ({trouble.strerror or trouble})"
            raise UserFileError.at(str(file), "", seen, AGAIN) from None
        if found != wanted[file.name]:
            raise UserFileError.at(str(file), "", f"its checksum is not the one in {SUMS}", AGAIN)


def digest(file: Path) -> str:
    """Return the SHA-256 of a file, in hex. Raises OSError."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def unpack(chosen: Wheel, environment: Path, site: Path) -> None:
    """Unpack a wheel into a virtual environment, whose packages are in `site`, and write its commands.

    Raises UserFileError for a damaged wheel, OSError if the disk refuses."""
    try:
        with zipfile.ZipFile(chosen.path) as archive:
            for entry in archive.infolist():
                _write(archive, entry, _target(chosen, entry.filename, environment, site))
        if chosen.name == LAUNCHED:
            _launchers(site / f"{chosen.name}-{chosen.version}.dist-info", environment)
    except DAMAGE as trouble:
        raise UserFileError.at(str(chosen.path), "", f"it is damaged ({trouble})", AGAIN) from None
    except OSError as trouble:
        if trouble.errno not in WRONG_IN_WHEEL:
            raise
        raise UserFileError.at(str(chosen.path), "", f"it is damaged ({trouble.strerror})", AGAIN) from None


def _target(chosen: Wheel, name: str, environment: Path, site: Path) -> Path | None:
    """Where a member goes; None for a folder and for what an environment has no use for."""
    if name.startswith("/") or ".." in name.split("/") or posixpath.normpath(name) != name.rstrip("/"):
        raise UserFileError.at(str(chosen.path), name, "a member of the wheel lies outside of it", AGAIN)
    if name.endswith("/"):
        return None
    first, _, rest = name.partition("/")
    if not first.endswith(".data"):
        return site / name
    kind, _, rest = rest.partition("/")
    places = {"purelib": site, "platlib": site, "data": environment}
    return places[kind] / rest if kind in places else None


def _write(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, target: Path | None) -> None:
    if target is None:
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    with archive.open(entry) as source, target.open("wb") as copy:
        shutil.copyfileobj(source, copy)
    target.chmod(0o755 if entry.external_attr >> 16 & 0o100 else 0o644)


def _launchers(info: Path, environment: Path) -> None:
    entries = configparser.ConfigParser(delimiters=("=",), interpolation=None)
    entries.optionxform = str  # type: ignore[assignment,method-assign]
    file = info / "entry_points.txt"
    if not file.is_file():
        raise ValueError("it has no entry_points.txt")
    entries.read_string(file.read_text(encoding="utf-8"))
    for name, entry in entries.items("console_scripts"):
        module, _, function = entry.partition(":")
        text = _LAUNCHER.format(python=environment / "bin/python", module=module, function=function)
        file = environment / "bin" / name
        file.write_text(text, encoding="utf-8")
        file.chmod(0o755)
