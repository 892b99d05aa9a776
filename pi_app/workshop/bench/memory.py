"""The memory of a table of 16 dials and 4 seats: a simulated game in a process of its own.

The process reports its memory after each step. A real table has gpiozero's pins and the kernel's buses instead of
twins; the twins cost more.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from pi_app.workshop.bench import Bench, Figure, as_installed, machine

if TYPE_CHECKING:
    from pi_app.settings.model import Settings

MOST_MB: Final = 42.0
SECOND_MUX: Final = 0x71
EXPOSES_PER_MINUTE: Final = 9
"""About as many as in the demo."""


def run(minutes: float) -> Bench:
    """Play for so many virtual minutes in a new process and report its memory.

    Raises RuntimeError with its error output if that process failed.
    """
    with tempfile.TemporaryDirectory(prefix="trapdial-bench-") as byte_code:
        environment = as_installed(Path(byte_code))
        _in_new_process(0.0, environment)
        steps = _in_new_process(minutes, environment)
    return Bench("memory", machine(), tuple(figures(steps, minutes)), EXPLAINS)


def _in_new_process(minutes: float, environment: Mapping[str, str]) -> dict[str, float]:
    command = [sys.executable, "-m", "pi_app.workshop.bench.memory", str(minutes)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=dict(environment))
    if done.returncode != 0:
        raise RuntimeError(f"the simulated game failed: {done.stderr.strip()}")
    steps: dict[str, float] = json.loads(done.stdout)
    return steps


EXPLAINS: Final = (
    "A SIMULATED table of 16 dials and 4 seats in 4 languages, played by the program in a process of its own.",
    "Resident memory as the kernel counts it (VmHWM, VmRSS); each step includes those before it.",
    "The figures include the twins, which a real table does not have, and lack lgpio, which only a Pi has.",
)


def figures(steps: dict[str, float], minutes: float) -> list[Figure]:
    peak = steps.pop("peak")
    figures = [Figure("peak", peak, "MB", MOST_MB, note=f"over {minutes:g} virtual minutes")]
    figures += [Figure(f"after {step}", held, "MB") for step, held in steps.items()]
    return figures


# ------------------------------------------------------------------------------------------ in the new process


def held_mb(which: str = "VmRSS", status: Path = Path("/proc/self/status")) -> float:
    """Return the resident memory of this process: now (VmRSS) or its peak (VmHWM). Raises KeyError if the kernel does
    not report it."""
    fields = dict(line.split(":", 1) for line in status.read_text(encoding="ascii").splitlines() if ":" in line)
    return int(fields[which].split()[0]) / 1024


def steps_of_a_play(minutes: float) -> dict[str, float]:
    """Play and note the memory after each step; `peak` is the most."""
    held = {"Python's start": held_mb()}
    from pi_app.settings import load as reader
    from pi_app.simulated.demo import Demo
    from pi_app.simulated.script import script

    held["loading the program"] = held_mb()
    settings = reader.speaking(sixteen(reader.load(reader.example_path("8x4"))), ("de", "es", "fr", "it"))
    with (
        tempfile.TemporaryDirectory(prefix="trapdial-bench-") as folder,
        Demo(settings, Path(folder) / "journal.db", seed=7) as demo,
    ):
        held["building the table"] = held_mb()
        while not demo.loop.ready:
            demo.step()
        held["reading all dials"] = held_mb()
        exposes = max(1, round(minutes * EXPOSES_PER_MINUTE))
        for half in ("the first half of the game", "the whole game"):
            demo.play(script(7, demo.public_state(), -(-exposes // 2)))
            held[half] = held_mb()
    return {"peak": max(held_mb("VmHWM"), *held.values()), **held}


def sixteen(settings: Settings) -> Settings:
    """Return the table of eight squares with eight more behind a second mux."""
    from msgspec.structs import replace as changed

    bus = settings.buses["dials"]
    second = changed(bus.mux[0], address=SECOND_MUX, reset_gpio=None)
    squares = dict(settings.squares)
    for number, square in enumerate(settings.squares.values(), len(squares) + 1):
        squares[f"T{number:02}"] = changed(square, label=f"T{number:02}", mux=SECOND_MUX)
    return replace(
        settings,
        buses=MappingProxyType({**settings.buses, "dials": changed(bus, mux=(*bus.mux, second))}),
        squares=MappingProxyType(squares),
    )


def main(arguments: Sequence[str]) -> None:
    """Run in the new process: the minutes as its one argument, the steps as JSON on standard output."""
    sys.stdout.write(json.dumps(steps_of_a_play(float(arguments[0]))))


if __name__ == "__main__":
    main(sys.argv[1:])
