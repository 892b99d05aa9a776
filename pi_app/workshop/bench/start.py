"""The time until the help is shown, and until a table with all its dials read.

Both are measured from outside, as a person waits: from starting the process to its first line.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from pi_app.workshop.bench import Bench, Figure, as_installed, machine, p50

MOST_HELP_S: Final = 0.2
MOST_START_S: Final = 0.5

HELP: Final = ("--help",)
DEMO: Final = ("demo", "--auto", "--plain", "--exposes", "1", "--seed", "7")
"""The demo prints its first line when a game begins: once every dial is read and at rest."""


def run(times: int) -> Bench:
    """Start the program so many times for each figure. Raises RuntimeError if it prints nothing."""
    with tempfile.TemporaryDirectory(prefix="trapdial-bench-") as byte_code:
        environment = as_installed(Path(byte_code))
        figures = (
            _figure("trapdial --help", [*program(), *HELP], times, environment, MOST_HELP_S),
            _figure("start to all dials read, 8 dials", [*program(), *DEMO], times, environment, MOST_START_S),
            _figure("Python alone, for comparison", [sys.executable, "-c", "print()"], times, environment),
        )
    return Bench("start", machine(), figures, EXPLAINS)


EXPLAINS: Final = (
    "By the wall clock, from starting the process to its first line on a pipe; median of all runs.",
    "A first run does not count: it makes the byte code, which an installation has, and warms the disk.",
    "The table is SIMULATED: `trapdial demo`, whose first line comes once every dial is read and at rest.",
)


def _figure(
    name: str, command: Sequence[str], times: int, environment: Mapping[str, str], target_s: float | None = None
) -> Figure:
    first_line_s(command, environment)  # makes the byte code and warms the disk
    took_s = [first_line_s(command, environment) for _ in range(times)]
    note = f"{times} runs, {min(took_s):.3f} to {max(took_s):.3f} s"
    return Figure(name, p50(took_s), "s", target_s, note=note)


def program() -> list[str]:
    """Return the command installed beside this Python; without it, the same by its module."""
    script = Path(sys.executable).with_name("trapdial")
    return [str(script)] if script.is_file() else [sys.executable, "-c", "from pi_app.cli.main import main; main()"]


def first_line_s(command: Sequence[str], environment: Mapping[str, str]) -> float:
    """Return the seconds until a command prints its first line, and end it. Raises RuntimeError if it prints none."""
    began_ns = time.perf_counter_ns()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=dict(environment)) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        took_s = (time.perf_counter_ns() - began_ns) / 1e9
        process.terminate()
    if not line:
        raise RuntimeError(f"{' '.join(command)} printed nothing")
    return took_s
