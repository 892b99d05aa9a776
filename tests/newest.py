"""The lane of the newest libraries: the everyday tests with the newest of everything that pyproject.toml allows.

`make test-newest` installs it into a venv of its own and prints which packages moved against the lock and which tests
fail. With `--short` it runs the tests that touch outside libraries most; with `--warn` nothing that it finds, and no
network that it lacks, is a failure: the lock decides what is installed elsewhere, this lane tells what comes next.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from packaging.utils import canonicalize_name
from packaging.version import Version

from pi_app.station.updates.wheels import System
from tests.lock import DEVELOPER, choose_pins, read_lock

ROOT: Final = Path(__file__).resolve().parent.parent
VENV: Final = ROOT / ".venv" / "newest"
OWN: Final = frozenset({"trapdial", "pip", "setuptools"})
"""Not of the lock, or installed with Python."""

EVERYDAY: Final = ("-m", "not slow and not wired", "--dist", "worksteal")
SHORT: Final = (
    "tests/hardware/test_screens.py",
    "tests/hardware/sims/test_oled_against_luma.py",
    "tests/pi_app/cli/test_completion.py",
    "tests/pi_app/cli/test_docs.py",
    "tests/pi_app/pages",
    "tests/pi_app/displays",
    "tests/pi_app/settings",
    "tests/pi_app/simulated/live",
    "tests/pi_app/station/display",
    "tests/pi_app/text",
    "tests/pi_app/workshop/bench/test_peers.py",
)
"""The tests that touch outside libraries most: Pillow, textual, starlette, uvicorn, click, msgspec, Blinka, babel."""

Run = Callable[[Sequence[str]], tuple[int, str]]
"""Run a program in the source's folder; return its exit code and what it printed."""


@dataclass(frozen=True, slots=True)
class Move:
    """A package whose newest version is not the locked one. No version: it is not in the lock, or no more needed."""

    name: str
    locked: str | None
    newest: str | None

    @property
    def line(self) -> str:
        if self.locked is None:
            return f"{self.name} {self.newest} is new: nothing in the lock needs it"
        if self.newest is None:
            return f"{self.name} {self.locked} is in the lock, and nothing needs it any more"
        older = " (older: the lock allows more than pyproject.toml)" if _is_older(self.newest, self.locked) else ""
        return f"{self.name} {self.locked} -> {self.newest}{older}"


def _is_older(one: str, other: str) -> bool:
    return Version(one) < Version(other)


@dataclass(frozen=True, slots=True)
class Failure:
    """A test, or a check of the whole source, that fails. `why`: the first line of its message."""

    test: str
    why: str


def compare(locked: Mapping[str, str], newest: Mapping[str, str]) -> list[Move]:
    """Return every package whose version differs, by name. Names are canonical."""
    names = sorted({*locked, *newest} - OWN)
    return [Move(name, locked.get(name), newest.get(name)) for name in names if locked.get(name) != newest.get(name)]


def read_failures(junit: str) -> tuple[int, list[Failure]]:
    """Return how many tests ran, and the failed ones, from pytest's JUnit XML. One that cannot be collected failed."""
    cases = list(ET.fromstring(junit).iter("testcase"))
    failures = []
    for case in cases:
        bad = next((case.find(kind) for kind in ("failure", "error") if case.find(kind) is not None), None)
        if bad is not None:
            place = ".".join(filter(None, (case.get("classname"), case.get("name"))))
            failures.append(Failure(place, (bad.get("message") or "").partition("\n")[0]))
    return sum(case.find("skipped") is None for case in cases), failures


def report(moves: Sequence[Move], ran: int, failures: Sequence[Failure]) -> list[str]:
    """Return what the lane prints: what moved, what fails, and one sentence of both."""
    lines = [f"moved: {move.line}" for move in moves]
    lines += [f"fails: {failure.test}: {failure.why}" for failure in failures]
    tests = f"{ran:,} {'test' if ran == 1 else 'tests'} ran"
    moved = "no package moved" if not moves else f"{len(moves)} {'package' if len(moves) == 1 else 'packages'} moved"
    fail = "none fails" if not failures else f"{len(failures)} {'fails' if len(failures) == 1 else 'fail'}"
    return [*lines, f"With the newest of everything that pyproject.toml allows: {moved}; {tests}, {fail}."]


# ------------------------------------------------------------------------------------------------------- running


class CannotRunError(Exception):
    """The lane cannot run here; the text says why."""


def install(run: Run, venv: Path) -> dict[str, str]:
    """Make the venv, install everything, and return the versions. Raises CannotRunError if pip fails."""
    pip = [str(venv / "bin" / "python"), "-m", "pip", "--disable-pip-version-check"]
    for words in (
        [sys.executable, "-m", "venv", "--clear", str(venv)],
        [*pip, "install", "--quiet", "--upgrade", "--upgrade-strategy", "eager", "-e", f"{ROOT}[dev]"],
    ):
        code, said = run(words)
        if code:
            last = said.strip().rpartition("\n")[2]
            raise CannotRunError(f"`{' '.join(words)}` failed: {last}")
    code, said = run([*pip, "list", "--format", "json"])
    return {canonicalize_name(package["name"]): package["version"] for package in json.loads(said)}


def run_tests(run: Run, venv: Path, *, short: bool) -> tuple[int, list[Failure]]:
    """Run the tests, and without `short` the checks of the whole source too. Return how many ran, and what fails."""
    with tempfile.TemporaryDirectory() as folder:
        junit = Path(folder, "junit.xml")
        words = [str(venv / "bin" / "python"), "-m", "pytest", "-q", "-n", "auto", *EVERYDAY, f"--junit-xml={junit}"]
        code, said = run([*words, *(SHORT if short else ())])
        if not junit.exists():
            raise CannotRunError(f"pytest ended with exit code {code}: {said.strip().rpartition(chr(10))[2]}")
        ran, failures = read_failures(junit.read_text(encoding="utf-8"))
    if code and not failures:
        failures.append(Failure("pytest", f"exit code {code}: {said.strip().rpartition(chr(10))[2]}"))
    for check in () if short else (("ruff", "check", "-q", "."), ("mypy",)):
        code, said = run([str(venv / "bin" / check[0]), *check[1:]])
        if code:
            failures.append(Failure(" ".join(check), said.strip().rpartition("\n")[2]))
    return ran, failures


def _run(words: Sequence[str]) -> tuple[int, str]:
    done = subprocess.run(
        words, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        check=False,
    )  # fmt: skip
    return done.returncode, done.stdout


def locked_versions() -> dict[str, str]:
    """Return the versions that the lock has for this Python and machine."""
    pins = choose_pins(read_lock(DEVELOPER), System(sys.version_info.minor, platform.machine()))
    return {name: pin.version for name, pin in pins.items()}


def main(words: Sequence[str] | None = None, run: Run = _run) -> int:
    """Run the lane; return its exit code: 0, 1 if a test fails, 2 if it cannot run. With `--warn` always 0."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true", help="only the tests that touch outside libraries most")
    parser.add_argument("--warn", action="store_true", help="exit with 0 whatever is found")
    chosen = parser.parse_args(words)
    try:
        moves = compare(locked_versions(), install(run, VENV))
        ran, failures = run_tests(run, VENV, short=chosen.short)
    except CannotRunError as error:
        print(f"The newest libraries were not tested: {error}")
        return 0 if chosen.warn else 2
    print("\n".join(report(moves, ran, failures)))
    return 1 if failures and not chosen.warn else 0


if __name__ == "__main__":
    sys.exit(main())
