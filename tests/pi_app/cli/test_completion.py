"""`trapdial completion`: the script of each shell, where it is written, and what the Tab key offers."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pi_app.cli.completion import SHELLS
from pi_app.cli.main import COMMANDS, main

BASH_NEEDS = "Open a new terminal. It needs the package bash-completion."


def ran(*words: str, **environment: str | None) -> Result:
    return CliRunner(env=environment).invoke(main, ["completion", *words])


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_of_each_shell_asks_the_program(shell: str) -> None:
    result = ran(shell)
    assert result.exit_code == 0
    assert f"_TRAPDIAL_COMPLETE={shell}_complete" in result.stdout
    assert ran(SHELL=f"/usr/bin/{shell}").stdout == result.stdout


def test_bash_itself_reads_its_script() -> None:
    subprocess.run(["bash", "-n"], input=ran("bash").stdout, text=True, check=True)


def test_another_shell_is_refused() -> None:
    result = ran(SHELL="/bin/sh")
    assert result.exit_code == 2
    assert result.output.splitlines()[-1] == "Error: SHELL is 'sh': name one of bash, zsh, fish."


@pytest.mark.parametrize(
    ("shell", "place", "next_step"),
    [
        ("bash", "data/bash-completion/completions/trapdial", BASH_NEEDS),
        ("zsh", "data/trapdial/completion.zsh", "Add this line to ~/.zshrc, below compinit: source {file}"),
        ("fish", "config/fish/completions/trapdial.fish", "Open a new terminal."),
    ],
)
def test_install_writes_it_where_the_shell_looks(tmp_path: Path, shell: str, place: str, next_step: str) -> None:
    homes = {"XDG_DATA_HOME": str(tmp_path / "data"), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    result = ran(shell, "--install", **homes)
    file = tmp_path / place
    assert result.output == f"{file}: written. {next_step.format(file=file)}\n"
    assert file.read_text(encoding="utf-8") == ran(shell).stdout


def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    result = ran("bash", "--install", XDG_DATA_HOME=str(tmp_path / "data"))
    assert result.exit_code == 2
    assert result.output.endswith(
        "/completions/trapdial: it cannot be written (Not a directory). Check who may write there.\n"
    )


def test_tab_offers_every_command() -> None:
    asked = {"_TRAPDIAL_COMPLETE": "bash_complete", "COMP_WORDS": "trapdial ", "COMP_CWORD": "1"}
    offered = CliRunner(env=asked).invoke(main, prog_name="trapdial").output
    assert offered.split() == [f"plain,{name}" for name in COMMANDS]


def test_tab_offers_pages() -> None:
    asked = {"_TRAPDIAL_COMPLETE": "bash_complete", "COMP_WORDS": "trapdial docs jour", "COMP_CWORD": "2"}
    offered = CliRunner(env=asked).invoke(main, prog_name="trapdial").output
    assert offered.split() == ["plain,journal", "plain,journal_format"]
