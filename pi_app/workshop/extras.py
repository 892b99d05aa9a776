"""Install the packages of an extra into the environment that the program runs in.

Which packages these are is in the installed metadata; their exact versions, and the hashes of all their files, are in a
lock of each extra, which ships with the program. An environment that another tool keeps (pipx, uv, the system) is left
alone: the message is then the command of that tool.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import re
import shlex
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pi_app.text.errors import BrokenInstallationError, UserFileError

USES: Final = {
    "parts": "printed parts of a trap square, and dial faces as PDF",
    "hub": "installing the firmware on a hub",
    "peers": "other libraries, to compare with in trapdial bench peers",
    "centre": "a centre of many tables: PostgreSQL, and HTTP for hundreds of tables",
}
"""What each extra is for. The extra `dev` is left out: `make install-dev` installs it."""

RunPip = Callable[[Sequence[str]], tuple[int, str]]
"""Runs pip with these arguments; returns its exit code and what it wrote on standard error."""

PIP: Final = ("install", "--disable-pip-version-check", "--no-input", "--retries", "1")
LOCKS: Final = Path(__file__).with_name("locks")
"""A requirements file with hashes for each extra, of what it needs beside Trapdial's own packages (`make lock`)."""
LOCKED: Final = ("--require-hashes", "--no-deps", "--only-binary", ":all:", "--requirement")
"""Before a lock: pip takes exactly these files, and builds none, since what it would build with is not locked."""
NO_WHEEL: Final = re.compile(r"No matching distribution|from versions: none")
UNREACHED: Final = re.compile(r"Retrying|NewConnectionError|NameResolutionError|ConnectTimeout|Network is unreachable")


@dataclass(frozen=True, slots=True)
class Environment:
    """Where the program runs. `source`: what it was installed from, as one names it to pip."""

    prefix: Path
    is_virtual: bool
    is_managed: bool
    is_writable: bool
    has_pip: bool
    python: str
    source: str


def environment() -> Environment:
    """Describe the environment that this program runs in."""
    return Environment(
        prefix=Path(sys.prefix),
        is_virtual=sys.prefix != sys.base_prefix,
        is_managed=Path(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED").exists(),
        is_writable=os.access(sysconfig.get_path("purelib"), os.W_OK),
        has_pip=importlib.util.find_spec("pip") is not None,
        python=sys.executable,
        source=_source(),
    )


def _source() -> str:
    """The folder, wheel or address that Trapdial was installed from (PEP 610); its name if it came from an index."""
    checkout = Path(__file__).resolve().parents[2]
    if (checkout / "pyproject.toml").exists():
        return str(checkout)
    text = importlib.metadata.distribution("trapdial").read_text("direct_url.json")
    address = str(json.loads(text)["url"]) if text else "trapdial"
    return address.removeprefix("file://")


def requirements(extra: str, metadata: Sequence[str] | None = None) -> list[str]:
    """Return what an extra requires, as pip takes it, from these lines of metadata, or from the installed program's."""
    lines = importlib.metadata.requires("trapdial") if metadata is None else metadata
    parted = [line.partition(";") for line in lines or ()]
    return [need.strip() for need, _, marker in parted if re.search(rf"\bextra\s*==\s*['\"]{extra}['\"]", marker)]


def lock_of(extra: str) -> Path:
    """Return the lock of an extra. Raises BrokenInstallationError if it is missing."""
    file = LOCKS / f"{extra}.txt"
    if not file.is_file():
        raise BrokenInstallationError(f"{file}: the lock of the extra {extra} is missing. Install Trapdial again.")
    return file


def names(needs: Sequence[str]) -> list[str]:
    """Return the names of the packages alone."""
    return [re.split(r"[^\w.-]", need, maxsplit=1)[0] for need in needs]


def versions(needs: Sequence[str]) -> dict[str, str]:
    """Return the installed version of each package; empty for one that is missing."""
    return {name: _version(name) for name in names(needs)}


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""


def overview() -> Iterator[str]:
    """Write a line for each extra: whether it is installed, and what it is for."""
    for extra, use in USES.items():
        missing = [name for name, version in versions(requirements(extra)).items() if not version]
        yield f"{extra:<6} {'not installed' if missing else 'installed':<14} {use}"


def refuse(extra: str, here: Environment) -> None:
    """Raises UserFileError with the command to type if pip must not, or cannot, install into this environment."""
    part, lock = f"extra {extra}", f"{' '.join(LOCKED)} {shlex.quote(str(lock_of(extra)))}"
    prefix, source = shlex.quote(str(here.prefix)), shlex.quote(here.source)
    if not here.is_virtual:
        seen = f"Trapdial runs in the system's own Python ({here.prefix}), not in a virtual environment"
        seen += ", and this system keeps pip out of it (PEP 668)" if here.is_managed else ""
        own = "~/trapdial-venv"
        advice = f"Install Trapdial into one: `python3 -m venv {own} && {own}/bin/pip install {source} && "
        raise UserFileError.at(part, "", seen, f"{advice}{own}/bin/trapdial extras install {extra}`")
    if (here.prefix / "pipx_metadata.json").exists():
        seen = f"pipx keeps the environment of Trapdial ({here.prefix})"
        raise UserFileError.at(part, "", seen, f"Type `pipx runpip {shlex.quote(here.prefix.name)} install {lock}`")
    if (here.prefix / "uv-receipt.toml").exists():
        seen = f"uv keeps the environment of Trapdial ({here.prefix})"
        raise UserFileError.at(part, "", seen, f"Type `uv pip install --python {shlex.quote(here.python)} {lock}`")
    if not here.is_writable:
        seen = f"this user may not write into Trapdial's environment ({here.prefix})"
        raise UserFileError.at(part, "", seen, f"Type `sudo {prefix}/bin/trapdial extras install {extra}`")
    if not here.has_pip:
        seen = f"Trapdial's environment ({here.prefix}) has no pip"
        advice = f"Type `uv pip install --python {shlex.quote(here.python)} {lock}`, or install pip with "
        raise UserFileError.at(part, "", seen, f"{advice}`{shlex.quote(here.python)} -m ensurepip` and try again")


def install(extra: str, needs: Sequence[str], run: RunPip | None = None, *, locked: bool = True) -> dict[str, str]:
    """Install what an extra requires; return the versions. `locked`: exactly the files in its lock; otherwise the
    newest that are allowed, whatever they are.

    pip fetches everything before it changes anything. Raises UserFileError if it fails.
    """
    code, told = (run or pip)([*PIP, *([*LOCKED, str(lock_of(extra))] if locked else ["--prefer-binary", *needs])])
    if code != 0:
        why, advice = _failure(told, locked=locked)
        seen = f"pip could not install {', '.join(names(needs))} ({why})"
        raise UserFileError.at(f"extra {extra}", "", seen, f"{advice}; everything else works without them")
    importlib.invalidate_caches()
    return versions(needs)


def _failure(told: str, *, locked: bool) -> tuple[str, str]:
    """Return why pip failed, from what it wrote, and what to do."""
    if UNREACHED.search(told):
        return "the package index cannot be reached", "Connect this machine to the network and try again"
    if "do not match the hashes" in told.lower():
        return "a file is not the locked one", "Do not install it: somebody has changed it on the way, or at its place"
    errors = [line.removeprefix("ERROR: ") for line in told.splitlines() if line.startswith("ERROR: ")]
    why = errors[-1].rstrip(".") if errors else "it failed"
    if locked and NO_WHEEL.search(told):
        return why, "There may be no locked file for this machine: --unlocked takes the newest, without checksums"
    return why, "Check the network and try again"


def pip(words: Sequence[str]) -> tuple[int, str]:
    """Run the environment's pip. It shows its progress on a terminal, and is silent elsewhere."""
    watched = sys.stdout is not None and sys.stdout.isatty()
    done = subprocess.run(
        [sys.executable, "-m", "pip", *words, *([] if watched else ["--quiet"])],
        stdin=subprocess.DEVNULL,
        stdout=None if watched else subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        check=False,
    )
    return done.returncode, done.stderr
