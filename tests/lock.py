"""The lock: the version and all hashes of everything that `make` installs, on every Python and machine.

`python -m tests.lock` (or `make lock`) writes `requirements.txt` (what a player needs), `requirements-dev.txt` (and
what a developer needs), what each extra needs beside it, which `trapdial extras` installs, and the list of the Debian
package's wheels again, with the newest versions that pyproject.toml allows. `--keep` keeps each version that it still
allows.

These are requirements files with hashes: the pip of Debian 12 installs them, which knows no pylock.toml. That format
has the address of each file, too, and no address of a package registry belongs into this source.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from pi_app.station.package.wheelhouse import LOCK as WHEELS_LOCK
from pi_app.station.package.wheelhouse import MACHINES, CannotBuildError, list_wheels
from pi_app.station.updates.wheels import System
from pi_app.workshop.extras import LOCKS as EXTRAS
from pi_app.workshop.extras import USES

ROOT: Final = Path(__file__).resolve().parents[1]
PLAYER: Final = ROOT / "requirements.txt"
DEVELOPER: Final = ROOT / "requirements-dev.txt"
EXTRA_HEAD: Final = "# Written by `make lock`: what this extra needs beside Trapdial's own packages.\n"
SYSTEMS: Final = tuple(System(minor, machine) for minor in (11, 12, 13, 14) for machine in MACHINES.values())
"""Each of them has a wheel of everything; others install from the same lock, and build what has no wheel for them."""
WHEELS_LIBRARY: Final = "manylinux_2_28"
"""The newest C library that a wheel may ask for: Debian 12's has this, and newer ones."""


@dataclass(frozen=True, slots=True)
class Pin:
    """A line of the lock: exactly one version, where it is installed, and the hashes of all its files."""

    requirement: Requirement
    hashes: tuple[str, ...]

    @property
    def name(self) -> str:
        return canonicalize_name(self.requirement.name)

    @property
    def version(self) -> str:
        (specifier,) = self.requirement.specifier
        assert specifier.operator == "==", self.requirement
        return specifier.version

    @property
    def line(self) -> str:
        """As a requirements file has it, without a marker."""
        return f"{self.name}=={self.version} {' '.join(f'--hash=sha256:{each}' for each in self.hashes)}"


def read_lock(file: Path) -> list[Pin]:
    """Return every line of a requirements file."""
    text = re.sub(r"(?m)^\s*#.*\n", "", file.read_text(encoding="utf-8")).replace("\\\n", " ")
    return [_read_pin(line) for line in text.splitlines() if line.strip()]


def _read_pin(line: str) -> Pin:
    requirement, *hashes = re.split(r"\s+--hash=sha256:", line.strip())
    return Pin(Requirement(requirement), tuple(hashes))


def choose_pins(pins: Sequence[Pin], system: System) -> dict[str, Pin]:
    """Return what is installed on a system, by its canonical name."""
    applies = [pin for pin in pins if applies_on(pin.requirement, system)]
    chosen = {pin.name: pin for pin in applies}
    assert len(chosen) == len(applies), f"a package has two versions for {system}"
    return chosen


def applies_on(requirement: Requirement, system: System, extra: str = "") -> bool:
    """Whether a requirement's marker holds on a system, for an extra or without one."""
    python = f"3.{system.minor}"
    told = {"python_version": python, "python_full_version": f"{python}.2", "platform_machine": system.machine}
    told |= {"sys_platform": "linux", "os_name": "posix", "platform_system": "Linux", "extra": extra}
    told |= {"platform_python_implementation": "CPython", "implementation_name": "cpython"}
    return requirement.marker is None or requirement.marker.evaluate(told)


def find_faults(pins: Mapping[str, Pin], wanted: Sequence[str], system: System) -> Iterator[str]:
    """Yield a sentence for each requirement that what is installed on a system does not fulfil."""
    for text in wanted:
        requirement = Requirement(text)
        pin = pins.get(canonicalize_name(requirement.name))
        if not applies_on(requirement, system):
            continue
        if pin is None or pin.version not in requirement.specifier:
            yield f"{text}: the lock has {pin.version if pin else 'none'} for {system}"


def read_wanted(*extras: str) -> list[str]:
    """Return what pyproject.toml asks for: what builds Trapdial, what it needs, and these extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = [*project["build-system"]["requires"], *project["project"]["dependencies"]]
    for extra in extras:
        wanted += _read_extra(project["project"]["optional-dependencies"], extra)
    return wanted


def read_extras() -> list[str]:
    """Return the names of all extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [*project["optional-dependencies"]]


def _read_extra(extras: Mapping[str, Sequence[str]], name: str) -> Iterator[str]:
    for text in extras[name]:
        requirement = Requirement(text)
        if requirement.name == "trapdial":
            for other in sorted(requirement.extras):
                yield from _read_extra(extras, other)
        else:
            yield text


def write_lock(uv: str, *, keep: bool) -> None:
    """Write all files again. Raises CalledProcessError or CannotBuildError, after the reason was printed by the tool.

    `uv`: the command. Its own settings, and those of this machine, change nothing in the lock."""
    _compile(uv, DEVELOPER, "--extra", "dev", *([] if keep else ["--upgrade"]))
    PLAYER.unlink(missing_ok=True)
    _compile(uv, PLAYER, "--constraints", DEVELOPER.name)
    write_extras(uv)
    for system in SYSTEMS:
        _check_wheels(uv, system)
    WHEELS_LOCK.write_text(list_wheels(_pin_texts), encoding="ascii")


def write_extras(uv: str) -> None:
    """Write what each extra needs beside the player's packages, in the versions of the developer's lock."""
    player = {pin.name: pin for pin in read_lock(PLAYER)}
    EXTRAS.mkdir(exist_ok=True)
    for name in USES:
        file = EXTRAS / f"{name}.txt"
        file.unlink(missing_ok=True)
        _compile(uv, file, "--extra", name, "--constraints", DEVELOPER.name)
        pins = [pin for pin in read_lock(file) if not _is_installed(pin, player.get(pin.name))]
        file.write_text(EXTRA_HEAD + "".join(map(_write_pin, pins)), encoding="utf-8")


def _is_installed(pin: Pin, player: Pin | None) -> bool:
    """Whether a player has this wherever the extra needs it."""
    return player is not None and player.requirement.marker in (None, pin.requirement.marker)


def _write_pin(pin: Pin) -> str:
    """Write a pin as uv does, a hash on each line."""
    marker = f" ; {pin.requirement.marker}" if pin.requirement.marker else ""
    hashes = (f" \\\n    --hash=sha256:{each}" for each in pin.hashes)
    return f"{pin.name}=={pin.version}{marker}{''.join(hashes)}\n"


def _compile(uv: str, file: Path, *words: str) -> None:
    about = ["--universal", "--python-version", "3.11", "--generate-hashes", "--no-emit-index-url", "--no-annotate"]
    about += ["--custom-compile-command", "make lock", "--output-file", str(file.relative_to(ROOT)), "--quiet", *words]
    builds = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]["requires"]
    _run([uv, "pip", "compile", *about, "pyproject.toml", "-"], "\n".join(builds))


def _check_wheels(uv: str, system: System) -> None:
    """Check that everything comes as a wheel, so that nothing is built there with what is not locked."""
    with tempfile.TemporaryDirectory() as folder:
        words = ["--dry-run", "--quiet", "--require-hashes", "--no-deps", "--only-binary", ":all:", "--target", folder]
        where = ["--python-version", f"3.{system.minor}", "--python-platform", f"{system.machine}-{WHEELS_LIBRARY}"]
        _run([uv, "pip", "install", *words, *where, "--requirements", DEVELOPER.name])


def _pin_texts(system: System) -> list[str]:
    return [pin.line for pin in choose_pins(read_lock(PLAYER), system).values()]


def _run(words: Sequence[str], text: str = "") -> None:
    own = {name: value for name, value in os.environ.items() if not name.startswith("UV_")}
    subprocess.run([*words, "--no-config"], input=text, text=True, check=True, cwd=ROOT, env=own)


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.lock", description=__doc__)
    parser.add_argument("--uv", default="uv", help="the command of uv")
    parser.add_argument("--keep", action="store_true", help="keep each version that pyproject.toml still allows")
    asked = parser.parse_args(words)
    try:
        write_lock(asked.uv, keep=asked.keep)
    except (subprocess.CalledProcessError, CannotBuildError, OSError) as reason:
        sys.stderr.write(f"The lock was not written whole: {reason}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
