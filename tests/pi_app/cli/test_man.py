"""The manual page: every command with its options, in roff that `man` reads."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest
from click.testing import CliRunner

from pi_app.cli.main import main
from pi_app.cli.man import manual
from tests.docs.pages import all_commands, text


def test_docs_prints_the_manual() -> None:
    result = CliRunner().invoke(main, ["docs", "--man"])
    assert result.output == manual()
    assert result.output.startswith('.TH TRAPDIAL 1 "" "Trapdial ')


def test_the_wheels_manual_is_the_programs_own() -> None:
    assert text("wiring_docs/trapdial.1") == manual(), "Run `make man`."


def test_no_entry_of_the_manual_is_empty() -> None:
    """A command's argument has no words of its own: the usage names it, and the command's help tells of it."""
    assert "" not in manual().splitlines()


def test_every_command_and_option_is_in_the_manual() -> None:
    page = manual().replace(r"\-", "-")
    for path in all_commands(main):
        said = CliRunner().invoke(main, [*path, "--help"]).output
        if path and "COMMAND [ARGS]..." not in said.partition("\n")[0]:
            assert f".SS trapdial {' '.join(path)} " in page
        for option in re.findall(r"^  (?:-\w, )?(--[a-z][a-z-]*)", said, re.MULTILINE):
            assert option in page, (path, option)


def test_no_line_is_taken_for_a_request() -> None:
    known = {"TH", "SH", "SS", "TP", "PP", "B", "nf", "fi"}
    requests = {line.split()[0][1:] for line in manual().splitlines() if line.startswith(".")}
    assert requests <= known
    assert not [line for line in manual().splitlines() if line.startswith("'")]
    assert re.findall(r"\\(?![e&-]|f[BIR])", manual()) == []


def test_man_itself_can_read_it() -> None:
    groff = shutil.which("groff")
    if groff is None:
        pytest.skip("groff is missing; the test above checks the page's requests without it")
    draws = [groff, "-man", "-Tutf8", "-ww"]
    drawn = subprocess.run(draws, input=manual(), capture_output=True, text=True, check=True)
    assert drawn.stderr == ""
    plain = re.sub(r".\x08", "", drawn.stdout)
    assert "\nEXIT STATUS\n" in plain
    assert "  trapdial hub list [OPTIONS]\n" in plain
