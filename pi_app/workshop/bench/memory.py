"""How much memory a table of 16 dials and 4 seats takes: a simulated play in a process of its own.

The process says how much it held at each step on the way, so that one can see what costs what. A real table has
gpiozero's pins and the kernel's buses instead of twins; the twins cost more.
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
"""About as many as the demo's players manage."""


def run(minutes: float) -> Bench:
    """Play for so many virtual minutes in a new process and report what it held.

    Raises RuntimeError, with what it said, if that process failed.
    """
    with tempfile.TemporaryDirectory(prefix="trapdial-bench-") as byte_code:
        environment = as_installed(Path(byte_code))
        _in_new_process(0.0, environment)
        steps = _in_new_process(minutes, environment)
    return Bench("memory", machine(), tuple(_figures(steps, minutes)), EXPLAINS)


def _in_new_process(minutes: float, environment: Mapping[str, str]) -> dict[str, float]:
    command = [sys.executable, "-m", "pi_app.workshop.bench.memory", str(minutes)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=dict(environment))
    if done.returncode != 0:
        raise RuntimeError(f"the simulated play failed: {done.stderr.strip()}")
    steps: dict[str, float] = json.loads(done.stdout)
    return steps


EXPLAINS: Final = (
    "A SIMULATED table of 16 dials and 4 seats in 4 languages, played by the program in a process of its own.",
    "Resident memory as the kernel counts it (VmHWM, VmRSS); each step includes those before it.",
    "In it are the twins, which a real table does not have, and not gpiozero's lgpio, which only a Pi has.",
)


def _figures(steps: dict[str, float], minutes: float) -> list[Figure]:
    peak = steps.pop("peak")
    figures = [Figure("the most it ever held", peak, "MB", MOST_MB, note=f"over {minutes:g} virtual minutes")]
    figures += [Figure(f"after {step}", held, "MB") for step, held in steps.items()]
    return figures


# ------------------------------------------------------------------------------------------ in the new process


def held_mb(which: str = "VmRSS", status: Path = Path("/proc/self/status")) -> float:
    """Resident memory of this process: now (VmRSS) or at most ever (VmHWM). Raises KeyError if the kernel
    does not say."""
    fields = dict(line.split(":", 1) for line in status.read_text(encoding="ascii").splitlines() if ":" in line)
    return int(fields[which].split()[0]) / 1024


def steps_of_a_play(minutes: float) -> dict[str, float]:
    """Play and note what is held on the way; `peak` is the most of all."""
    held = {"Python's own start": held_mb()}
    from pi_app.settings import load as reader
    from pi_app.simulated.demo import Demo
    from pi_app.simulated.script import script

    held["loading the program"] = held_mb()
    settings = reader.speaking(sixteen(reader.load(reader.example_path("8x4"))), ("de", "es", "fr", "it"))
    with (
        tempfile.TemporaryDirectory(prefix="trapdial-bench-") as folder,
        Demo(settings, Path(folder) / "journal.db", seed=7) as demo,
    ):
        held["putting the table together"] = held_mb()
        while not demo.loop.ready:
            demo.step()
        held["reading all dials"] = held_mb()
        exposes = max(1, round(minutes * EXPOSES_PER_MINUTE))
        for half in ("the first half of the play", "the whole play"):
            demo.play(script(7, demo.public_state(), -(-exposes // 2)))
            held[half] = held_mb()
    return {"peak": max(held_mb("VmHWM"), *held.values()), **held}


def sixteen(settings: Settings) -> Settings:
    """The table of eight squares with eight more behind a second mux."""
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
    """What the new process runs: the minutes as its one argument, the steps as JSON on standard output."""
    sys.stdout.write(json.dumps(steps_of_a_play(float(arguments[0]))))


if __name__ == "__main__":
    main(sys.argv[1:])
