"""`trapdial completion`: the Tab key completes commands, options and names of pages."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Final

import click

from pi_app.cli.printing import echo, echo_text
from pi_app.text.errors import UserFileError

SHELLS: Final = ("bash", "zsh", "fish")
_VARIABLE: Final = "_TRAPDIAL_COMPLETE"
"""The name that click derives from the command's."""


@click.command()
@click.argument("shell", type=click.Choice(SHELLS), required=False, metavar="[bash|zsh|fish]")
@click.option("--install", is_flag=True, help="Write the script where the shell finds it, for this user.")
def completion(shell: str | None, install: bool) -> None:
    """Print the script that makes a shell complete trapdial's commands with the Tab key.

    Without a shell's name it is the one in SHELL, your login shell. --install writes the script where new shells find
    it; `trapdial` must be on the PATH.
    """
    shell = shell or _login_shell()
    script = _script(shell)
    if not install:
        echo_text(script)
        return
    file = _file(shell)
    _write(file, script)
    echo(f"{file}: written. {_next_step(shell, file)}")


def _login_shell() -> str:
    name = Path(os.environ.get("SHELL", "")).name
    if name not in SHELLS:
        raise click.UsageError(f"SHELL is {name!r}: name one of {', '.join(SHELLS)}.")
    return name


def _script(shell: str) -> str:
    """Return click's script for a shell."""
    from click.shell_completion import get_completion_class

    from pi_app.cli.main import main

    completer = get_completion_class(shell)
    assert completer is not None, shell
    return completer(main, {}, "trapdial", _VARIABLE).source()


def _file(shell: str) -> Path:
    """Where a shell finds a user's own completions; zsh has no such place, so there it is one of ours."""
    try:
        data = Path(os.environ.get("XDG_DATA_HOME") or Path("~/.local/share").expanduser())
        config = Path(os.environ.get("XDG_CONFIG_HOME") or Path("~/.config").expanduser())
    except RuntimeError:
        seen, advice = "no home folder was found", f"Redirect the output of `trapdial completion {shell}` to a file"
        raise UserFileError.at("~", "", seen, advice) from None
    return {
        "bash": data / "bash-completion" / "completions" / "trapdial",
        "zsh": data / "trapdial" / "completion.zsh",
        "fish": config / "fish" / "completions" / "trapdial.fish",
    }[shell]


def _write(file: Path, script: str) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(script, encoding="utf-8")
    except OSError as trouble:
        seen = f"it cannot be written ({trouble.strerror or trouble})"
        raise UserFileError.at(str(file), "", seen, "Check who may write there") from None


def _next_step(shell: str, file: Path) -> str:
    if shell == "zsh":
        line = f"autoload -Uz compinit && compinit && source {shlex.quote(str(file))}"
        return f"Add this line at the end of ~/.zshrc: {line}"
    if shell == "bash":
        return "Open a new terminal. It needs the package bash-completion."
    return "Open a new terminal."
