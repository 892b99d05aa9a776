"""`trapdial settings`: check a settings file, print an example to start from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pi_app.cli.groups import CommandGroup

if TYPE_CHECKING:
    from pi_app.settings.model import Settings


@click.group(cls=CommandGroup)
def settings() -> None:
    """Check a table's settings file, or print an example."""


@settings.command()
@click.argument("file", type=click.Path(path_type=Path), default=Path("trapdial.toml"))
@click.pass_context
def check(context: click.Context, file: Path) -> None:
    """List every problem of FILE (trapdial.toml if left out), and of the files that it names.

    Exit code 2 if it cannot be used, 0 if there are at most warnings. The wires are not used.
    """
    from pi_app.settings import load as reader
    from pi_app.settings import owner_files as owned
    from pi_app.settings.model import Settings
    from pi_app.text.user_file import errors_of

    read = reader.check(file)
    problems = read.warnings if isinstance(read, Settings) else read
    for problem in problems:
        click.echo(f"{problem.severity.value}: {problem}")
    if isinstance(read, Settings):
        for line in _of_wiring(read):
            click.echo(line)
        owned.read(read)
        click.echo(f"{file}: good: {_size(read)}")
    else:
        click.echo(f"{file}: cannot be used: {len(errors_of(read))} to put right")
        context.exit(2)


def _of_wiring(read: Settings) -> list[str]:
    """Return what in the wiring is out of its limits, or why it cannot be computed."""
    from pi_app.plans.wiring.checks import noticed
    from pi_app.text.errors import UserFileError

    try:
        return [f"warning: {line}" for line in noticed(read)]
    except UserFileError as unknown:
        return [f"information: {problem}" for problem in unknown.problems]


def _size(read: Settings) -> str:
    hubs = ", 1 hub" if len(read.hubs) == 1 else f", {len(read.hubs)} hubs" if read.hubs else ""
    return f"{len(read.squares)} squares, {len(read.seats)} seats, {len(read.buses)} buses{hubs}"


@settings.command()
@click.argument("size", metavar="2x2|8x4")
def example(size: str) -> None:
    """Print a commented settings file to start from: 2 squares and 2 seats, or 8 and 4.

    For example: trapdial settings example 2x2 > trapdial.toml
    """
    from pi_app.settings.load import example_path
    from pi_app.text.user_file import read_text

    click.echo(read_text(example_path(size)), nl=False)
