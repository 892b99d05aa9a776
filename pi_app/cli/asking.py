"""Questions on the terminal: the answer is a typed line, read and refused like every other one."""

from __future__ import annotations

import sys

import click

from pi_app.cli.printing import echo, is_terminal, prompt
from pi_app.cli.typed_lines import RefusedLineError, next_line


def ask(question: str) -> str:
    """Ask, and return the line that is typed. Raises Abort at the end of the input."""
    while True:
        prompt(f"{question}: ")
        try:
            line = next_line()
        except RefusedLineError as reason:
            echo(str(reason))
            continue
        if line is None:
            raise click.Abort
        if not is_terminal(sys.stdin):
            echo(line)  # a terminal has shown it already
        return line


def confirmed(question: str, *, default: bool) -> bool:
    """Ask for yes or no; an empty line is the default. Raises Abort at the end of the input."""
    while True:
        answer = ask(f"{question} [{'Y/n' if default else 'y/N'}]").strip().lower()
        if not answer:
            return default
        if answer in ("y", "yes", "n", "no"):
            return answer.startswith("y")
        echo("Type y or n.")
