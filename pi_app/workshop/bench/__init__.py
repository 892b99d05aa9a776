"""The benchmarks behind the numbers that Trapdial promises, so that anyone can run them on their own machine.

Each one returns a `Bench`: figures with their targets, and sentences about the method. Nothing here prints;
`trapdial bench` does. Figures of the wire come from twins on a virtual clock and are the same on every machine; figures
of software and disk are this machine's own.
"""

from __future__ import annotations

import os
import platform
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Verdict = Literal["pass", "fail", "no target"]

Progress = Callable[[str], None]
"""Called with the name of what is measured next."""


def no_progress(name: str) -> None:
    """Show no progress."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured number. `target` None: for information only. `at_most`: smaller is better."""

    name: str
    value: float
    unit: str
    target: float | None = None
    at_most: bool = True
    note: str = ""

    @property
    def verdict(self) -> Verdict:
        if self.target is None:
            return "no target"
        reached = self.value <= self.target if self.at_most else self.value >= self.target
        return "pass" if reached else "fail"


@dataclass(frozen=True, slots=True)
class Machine:
    """The machine that the figures were measured on."""

    name: str
    cpu: str
    cores: int
    system: str
    python: str


@dataclass(frozen=True, slots=True)
class Matrix:
    """A table of figures, as finished texts."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Bench:
    """The result of one bench. `explains` names what is simulated and what is real, one sentence each."""

    bench: str
    machine: Machine
    figures: tuple[Figure, ...]
    explains: tuple[str, ...] = ()
    matrix: Matrix | None = None

    @property
    def passed(self) -> bool:
        """Whether every figure reached its target."""
        return all(figure.verdict != "fail" for figure in self.figures)


def machine(proc: Path = Path("/proc")) -> Machine:
    """Return what this machine reveals about itself."""
    return Machine(
        name=platform.node() or "unnamed",
        cpu=_board(proc) or _processor(proc) or platform.machine(),
        cores=os.cpu_count() or 1,
        system=f"{platform.system()} {platform.release()}",
        python=f"{platform.python_implementation()} {platform.python_version()}",
    )


def _board(proc: Path) -> str:
    """Return the model of a Raspberry Pi. The device tree ends its strings with a zero."""
    model = proc / "device-tree" / "model"
    return model.read_text(encoding="utf-8", errors="replace").rstrip("\0\n ") if model.is_file() else ""


def _processor(proc: Path) -> str:
    lines = (proc / "cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    return next((line.partition(":")[2].strip() for line in lines if line.lower().startswith("model name")), "")


def as_installed(byte_code: Path) -> dict[str, str]:
    """Return an environment for a program to be measured, with its byte code kept in a folder as after an installation.
    Start the program once before measuring, so that the byte code is there."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": str(byte_code)}


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the value that `percent` of all values do not exceed (nearest rank). Raises ValueError without values."""
    if not values:
        raise ValueError("a percentile needs at least one value")
    ordered = sorted(values)
    rank = -(-len(ordered) * percent // 100)
    return ordered[max(0, int(rank) - 1)]


p50 = statistics.median
