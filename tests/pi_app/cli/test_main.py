"""How the program is called: by its name, as a module, for its version."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from pi_app.cli.main import main

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("option", ["-V", "--version"])
def test_both_options_print_the_version(option: str) -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert CliRunner().invoke(main, [option]).output == f"trapdial, version {version}\n"


def test_the_package_is_the_program() -> None:
    command = [sys.executable, "-m", "pi_app", "docs", "screen"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout == (ROOT / "wiring_docs/screen.md").read_text(encoding="utf-8")
