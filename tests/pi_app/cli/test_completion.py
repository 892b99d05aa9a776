"""`trapdial completion`: the script of each shell, where it is written, and what the Tab key offers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pi_app.cli.completion import SHELLS
from pi_app.cli.main import COMMANDS, main
from tests.terminal import Terminal

BASH_NEEDS = "Open a new terminal. It needs the package bash-completion."

ZSH_LINE = "Add this line at the end of ~/.zshrc: autoload -Uz compinit && compinit && source {file}"


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
        ("zsh", "data/trapdial/completion.zsh", ZSH_LINE),
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


def shell_at_home(shell: str, home: Path) -> tuple[str, dict[str, str]]:
    """Install the script for a new user of this shell, and do what is printed. Return the shell and its environment."""
    path = shutil.which(shell)
    if path is None:
        pytest.skip(f"{shell} is not installed: apt install {shell}")
    told = ran(shell, "--install", XDG_DATA_HOME=f"{home}/.local/share", XDG_CONFIG_HOME=f"{home}/.config").output
    if shell == "zsh":
        (home / ".zshrc").write_text(f"PS1='ready> '\n{told.strip().partition('~/.zshrc: ')[2]}\n", encoding="utf-8")
    here = {"HOME": str(home), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
    return path, here


@pytest.mark.slow
def test_tab_in_zsh(tmp_path: Path) -> None:
    shell, environment = shell_at_home("zsh", tmp_path)
    with Terminal([shell, "-i"], tmp_path, environment) as terminal:
        terminal.wait_for("ready>")
        terminal.type("trapdial pl\t\t")
        terminal.wait_for("place -- Check the placement of traps")
        terminal.wait_for("play -- Run")
        terminal.type("\x15trapdial docs hub_w\t")
        terminal.wait_for("trapdial docs hub_wire")


def test_tab_in_fish(tmp_path: Path) -> None:
    shell, environment = shell_at_home("fish", tmp_path)

    def offered(line: str) -> list[str]:
        words = [shell, "-c", f"complete -C '{line}'"]
        done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
        return [row.partition("\t")[0] for row in done.stdout.splitlines()]

    assert offered("trapdial pl") == ["place", "play"]
    assert offered("trapdial docs jour") == ["journal", "journal_format"]
    assert offered("trapdial demo --siz") == ["--size"]


def test_tab_in_bash(tmp_path: Path) -> None:
    shell, environment = shell_at_home("bash", tmp_path)
    (tmp_path / "rc").write_text(f"PS1='ready> '\n. {tmp_path}/.local/share/bash-completion/completions/trapdial\n")
    with Terminal([shell, "--rcfile", "rc", "-i"], tmp_path, environment) as terminal:
        terminal.wait_for("ready>")
        terminal.type("trapdial pla\t\t")
        terminal.wait_for("play place")
        terminal.type("\x15trapdial docs hub_w\t")
        terminal.wait_for("trapdial docs hub_wire")


def test_tab_offers_every_command() -> None:
    asked = {"_TRAPDIAL_COMPLETE": "bash_complete", "COMP_WORDS": "trapdial ", "COMP_CWORD": "1"}
    offered = CliRunner(env=asked).invoke(main, prog_name="trapdial").output
    assert offered.split() == [f"plain,{name}" for name in COMMANDS]


def test_tab_offers_pages() -> None:
    asked = {"_TRAPDIAL_COMPLETE": "bash_complete", "COMP_WORDS": "trapdial docs jour", "COMP_CWORD": "2"}
    offered = CliRunner(env=asked).invoke(main, prog_name="trapdial").output
    assert offered.split() == ["plain,journal", "plain,journal_format"]
