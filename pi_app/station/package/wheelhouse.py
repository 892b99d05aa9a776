"""The wheels of a package: which ones (`wheels.lock`), fetched once, and Trapdial's own, built from the source."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from pi_app.station.updates.minisign import BUILDER
from pi_app.station.updates.wheels import System, Wheel, fits, wheel

ROOT: Final = Path(__file__).resolve().parents[3]
LOCK: Final = Path(__file__).with_name("wheels.lock")
"""A line for each wheel: its SHA-256, two spaces, its name. `make deb` takes exactly these.
They are those of requirements.txt for the systems of a package; `make lock` writes both."""
MACHINES: Final = {"amd64": "x86_64", "arm64": "aarch64"}
MINORS: Final = (11, 13)
"""The Python 3 of Debian 12 and of Debian 13, and so of Raspberry Pi OS."""
PLATFORMS: Final = ("manylinux2014", "manylinux_2_28", "manylinux_2_34")
SOURCES: Final = ("firmware_host", "hardware", "pi_app", "wiring_docs", "LICENSE", "pyproject.toml")
LGPIO: Final = (System(11, "aarch64"), "lgpio>=0.2.2")
"""The only Python of a Pi that lgpio has a wheel for. With another one a tree uses the system's python3-lgpio."""
PIP: Final = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")


class CannotBuildError(Exception):
    """A wheel cannot be had or built; the text says why."""


def systems(architecture: str) -> tuple[System, ...]:
    """Return what a package of Debian's `amd64` or `arm64` has wheels for."""
    return tuple(System(minor, MACHINES[architecture]) for minor in MINORS)


def project() -> Mapping[str, object]:
    """Return the section [project] of pyproject.toml."""
    found: Mapping[str, object] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return found


def locked() -> dict[str, str]:
    """Return the checksum of every wheel of every architecture, by its name."""
    lines = LOCK.read_text(encoding="ascii").splitlines()
    return {name: digest for digest, name in (line.split("  ") for line in lines)}


def chosen(architecture: str) -> list[Wheel]:
    """Return the locked wheels of an architecture's package; their files need not be here."""
    every = [wheel(Path(name)) for name in locked()]
    return [each for each in every if any(fits(each, system) for system in systems(architecture))]


def fetched(architecture: str, kept: Path) -> list[Path]:
    """Return the files of an architecture's wheels, checked; those that `kept` lacks are fetched.

    Raises CannotBuildError if a wheel cannot be had or is another one than the locked one."""
    sums = locked()
    kept.mkdir(parents=True, exist_ok=True)
    for system in systems(architecture):
        missing = [each for each in chosen(architecture) if fits(each, system) and not (kept / each.path).exists()]
        if missing:
            _download(system, kept, "--no-deps", "--require-hashes", *_required(missing, sums, kept))
    files = [kept / each.path for each in chosen(architecture)]
    wrong = [file.name for file in files if not file.exists() or sha256(file) != sums[file.name]]
    if wrong:
        raise CannotBuildError(f"{', '.join(wrong)}: not the wheel in {LOCK.name}. Delete {kept}, and try again.")
    return sorted(files)


def _required(wheels: Sequence[Wheel], sums: Mapping[str, str], kept: Path) -> tuple[str, str]:
    lines = (f"{each.name}=={each.version} --hash=sha256:{sums[each.path.name]}\n" for each in wheels)
    file = kept / "requirements.txt"
    file.write_text("".join(lines), encoding="utf-8")
    return "--requirement", str(file)


def _download(system: System, folder: Path, *words: str) -> None:
    platforms = [word for name in PLATFORMS for word in ("--platform", f"{name}_{system.machine}")]
    python = ["--only-binary", ":all:", "--python-version", f"3.{system.minor}"]
    _run([*PIP, "download", *python, *platforms, "--dest", str(folder), *words])


def list_wheels(pins: Callable[[System], Sequence[str]]) -> str:
    """Return a new text of the lock. `pins`: the lines of a requirements file with hashes for a system."""
    found: dict[str, str] = {}
    for architecture in MACHINES:
        for system in systems(architecture):
            found |= _sums_of(system, [*pins(system)])
    return "".join(f"{digest}  {name}\n" for name, digest in sorted(found.items(), key=lambda each: each[0].lower()))


def _sums_of(system: System, pins: Sequence[str]) -> dict[str, str]:
    with tempfile.TemporaryDirectory() as name:
        file = Path(name, "requirements.txt")
        file.write_text("".join(f"{pin}\n" for pin in pins), encoding="utf-8")
        _download(system, Path(name), "--no-deps", "--require-hashes", "--requirement", str(file))
        if system == LGPIO[0]:
            _download(system, Path(name), "--no-deps", LGPIO[1])
        return {file.name: sha256(file) for file in Path(name).glob("*.whl")}


def own(folder: Path, epoch: int, version: str, builder: bytes | None = None) -> Path:
    """Build Trapdial's own wheel into a folder: the same bytes from the same source. Raises CannotBuildError.

    `builder`: the public key of whose packages the program will install; None: of nobody's."""
    with tempfile.TemporaryDirectory() as name:
        source = Path(name) / "source"
        _copy(source, version)
        if builder is not None:
            (source / BUILDER.relative_to(ROOT)).write_bytes(builder)
        words = ["wheel", "--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir", str(folder), str(source)]
        _run([*PIP, *words], SOURCE_DATE_EPOCH=str(epoch), PYTHONHASHSEED="0")
    return next(folder.glob("trapdial-*.whl"))


def _copy(folder: Path, version: str) -> None:
    """Copy the source, as this version, with the modes that every checkout would have."""
    folder.mkdir()
    for file in _sources():
        target = folder / file.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)
    named = folder / "pyproject.toml"
    text = named.read_text(encoding="utf-8")
    named.write_text(text.replace(f'version = "{project()["version"]}"', f'version = "{version}"', 1), encoding="utf-8")
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)


def _sources() -> Iterator[Path]:
    for name in SOURCES:
        found = [ROOT / name] if (ROOT / name).is_file() else (ROOT / name).rglob("*")
        yield from (file for file in found if file.is_file() and "__pycache__" not in file.parts)


def sha256(file: Path) -> str:
    """Return a file's SHA-256 in hex."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _run(words: Sequence[str], **more: str) -> None:
    done = subprocess.run(words, capture_output=True, text=True, check=False, env={**os.environ, **more})
    if done.returncode != 0:
        last = "\n".join(done.stderr.splitlines()[-8:])
        raise CannotBuildError(f"`{' '.join(words[:6])} ...` ended with exit code {done.returncode}:\n{last}")
