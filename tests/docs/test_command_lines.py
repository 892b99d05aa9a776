"""Every command that a page names exists, with its options; the examples and samples can be used."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from pi_app.cli.main import main
from pi_app.settings import load as settings
from tests.docs.pages import DOCS, PAGES, ROOT, all_commands, blocks, command_lines, resolved, shell_lines


@pytest.mark.parametrize("line", command_lines())
def test_command_lines_exist(line: str) -> None:
    command, rest = resolved(line)
    known = {option for parameter in command.params for option in parameter.opts} | {"--help", "--version"}
    for word in rest:
        assert not word.startswith("-") or word == "-" or word.partition("=")[0] in known, line


@pytest.mark.parametrize("line", shell_lines())
def test_command_lines_can_be_parsed(line: str) -> None:
    command, rest = resolved(line)
    assert not isinstance(command, click.Group) or command.invoke_without_command
    with command.make_context(line, rest, help_option_names=["-h", "--help"]):
        pass


NO_DEBIAN_PROGRAM = re.compile(r"(?<![\w/.])python -[mc] \S+|(?<![\w/.])python \S+\.py\b")
"""Debian has no `python`; what a page wants is in the venv. What was said of an old release stays as it is."""


@pytest.mark.parametrize(
    "page", sorted({*PAGES, *(str(each.relative_to(ROOT)) for each in DOCS.rglob("*.md"))} - {"CHANGELOG.md"})
)
def test_no_page_calls_a_python_that_debian_does_not_have(page: str) -> None:
    assert NO_DEBIAN_PROGRAM.findall((ROOT / page).read_text(encoding="utf-8")) == []


def test_every_command_has_help() -> None:
    for path in all_commands(main):
        result = CliRunner().invoke(main, [*path, "--help"])
        assert result.exit_code == 0, path
        assert result.output.startswith("Usage:")


@pytest.mark.parametrize("size", settings.EXAMPLES)
def test_the_examples_can_be_used(size: str, tmp_path: Path) -> None:
    example = CliRunner().invoke(main, ["settings", "example", size])
    (tmp_path / "trapdial.toml").write_text(example.output, encoding="utf-8")
    checked = CliRunner().invoke(main, ["settings", "check", "-s", str(tmp_path / "trapdial.toml")])
    assert checked.exit_code == 0, checked.output


def test_the_samples_are_good() -> None:
    checked = CliRunner().invoke(main, ["tables", "check", "sample:SAMPLE-A", "sample:SAMPLE-B"])
    assert checked.exit_code == 0, checked.output


def test_the_demo_plays_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    lines = [line for block in blocks("wiring_docs/demo.md", "sh") for line in block.splitlines()]
    (line,) = [line for line in lines if "demo --auto --seed" in line]
    played = CliRunner().invoke(main, shlex.split(line)[1:])
    assert played.exit_code == 0, played.output
    viewers = {who for row in played.output.splitlines() for who in row.partition(" | ")[0].strip().split(", ")}
    assert viewers >= {"all", "seat CAL", "public", "referee"}
