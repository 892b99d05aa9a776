"""How long a builder waits for all files of `trapdial wiring` for 64 tiles, and for the printed parts of a square.

The first is measured from outside, as a person waits: from starting the process to its end.
"""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from pi_app.workshop.bench import Bench, Figure, as_installed, machine, p50
from pi_app.workshop.bench.start import program

TILES: Final = 64
SEATS: Final = 4
MOST_S: Final = 2.0


PER_HUB: Final = 16


def settings_of(tiles: int) -> str:
    """Return a table of so many tiles, sixteen on each hub, and four seats with lamps and screens. It could be built:
    every check before power passes."""
    lines = ['[table]\nname = "Bench"\n[wiring]\nchannel_pull_up_ohm = 2200']
    lines += [f'[hub.H{hub}]\nport = "/dev/ttyACM{hub}"' for hub in range(-(-tiles // PER_HUB))]
    lines += [
        f'[bus.{name}]\ndevice = "{device}"' for name, device in (("left", "/dev/i2c-6"), ("right", "/dev/i2c-4"))
    ]
    for tile in range(tiles):
        place = f'hub = "H{tile // PER_HUB}"\nchannel = {tile % PER_HUB}'
        lines.append(f'[square.T{tile:02d}]\n{place}\ntable = "sample:SAMPLE-A"')
    for seat in range(SEATS):
        pins = f"button_gpio = {(16, 26, 19, 25)[seat]}\nlamp_gpio = {(20, 21, 24, 27)[seat]}"
        screen = f'bus = "{("left", "right")[seat // 2]}"\naddress = {("0x3C", "0x3D")[seat % 2]}'
        lines.append(f'[seat.S{seat}]\nname = "Seat {seat}"\n{pins}\n[seat.S{seat}.screen]\n{screen}')
    return "\n".join(lines) + "\n"


def run(times: int) -> Bench:
    """Write all files so many times. Raises RuntimeError if the program fails."""
    with tempfile.TemporaryDirectory(prefix="trapdial-bench-") as made:
        folder = Path(made)
        (folder / "trapdial.toml").write_text(settings_of(TILES), encoding="utf-8")
        environment = as_installed(folder / "byte_code")
        command = [*program(), "wiring", "-o", "out"]
        took_s = [_took_s(command, folder, environment) for _ in range(times + 1)][1:]
        parts_s = [_parts_s(folder / f"parts{each}") for each in range(times)]
    figures = (
        _figure(f"all files for {TILES} tiles", took_s, ""),
        _figure("printed parts of one square", parts_s, ", with every check on the mesh"),
    )
    return Bench("wiring", machine(), figures, EXPLAINS)


def _figure(name: str, took_s: Sequence[float], more: str) -> Figure:
    note = f"{len(took_s)} runs, {min(took_s):.2f} to {max(took_s):.2f} s{more}"
    return Figure(name, p50(took_s), "s", MOST_S, note=note)


def _parts_s(folder: Path) -> float:
    """Raises UserFileError without the extra `parts`."""
    from pi_app.plans.printed.folder import write_parts

    began_ns = time.perf_counter_ns()
    write_parts(folder)
    return (time.perf_counter_ns() - began_ns) / 1e9


EXPLAINS: Final = (
    "By the wall clock, from starting the process to its end, files synced to disk; median of all runs.",
    "A first run does not count: it makes the byte code, which an installation has.",
    "The parts are for 12 clicks: solids, every check on the mesh, STL, 3MF, OpenSCAD source and page.",
)


def _took_s(command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> float:
    began_ns = time.perf_counter_ns()
    done = subprocess.run(command, check=False, cwd=folder, env=dict(environment), capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr}")
    return (time.perf_counter_ns() - began_ns) / 1e9
