"""How the program is called: by its name, as a module, for its version."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from pi_app.cli.main import main
from tests.docs.pages import all_commands, resolved

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("option", ["-V", "--version"])
def test_both_options_print_the_version(option: str) -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert CliRunner().invoke(main, [option]).output == f"trapdial, version {version}\n"


def test_the_package_is_the_program() -> None:
    command = [sys.executable, "-m", "pi_app", "docs", "screen"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout == (ROOT / "wiring_docs/screen.md").read_text(encoding="utf-8")


def bare_groups() -> list[str]:
    """Return the command lines that name a group alone, and nothing that the group would do by itself."""
    lines = [" ".join(["trapdial", *path]) for path in all_commands(main)]
    groups = [(line, resolved(line)[0]) for line in lines]
    return [line for line, it in groups if isinstance(it, click.Group) and not it.invoke_without_command]


def test_the_groups_are_known() -> None:
    assert {"trapdial", "trapdial settings", "trapdial journal", "trapdial journal witness"} <= set(bare_groups())


@pytest.mark.parametrize("line", bare_groups())
def test_a_bare_group_shows_its_help_page_in_lines(line: str) -> None:
    words = line.split()[1:]
    bare, asked = (CliRunner().invoke(main, given, prog_name="trapdial") for given in (words, [*words, "--help"]))
    assert (bare.exit_code, bare.stdout, bare.stderr) == (2, "", asked.stdout)
    assert len(bare.stderr.splitlines()) > 8
