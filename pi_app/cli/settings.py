"""`trapdial settings`: write a settings file, check it, print an example to start from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pi_app.cli.groups import CommandGroup
from pi_app.cli.options import json_line, old_settings_argument, problem_line, settings_option
from pi_app.cli.printing import echo, echo_text
from pi_app.text import exit_codes

if TYPE_CHECKING:
    from pi_app.settings.model import Settings
    from pi_app.text.user_file import Problem


class SettingsGroup(CommandGroup):
    """Imports the command that asks when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return ["new", *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name != "new":
            return super().get_command(ctx, cmd_name)
        from pi_app.cli.settings_new import new

        return new


@click.group(cls=SettingsGroup)
def settings() -> None:
    """Write a table's settings file, check it, or print an example."""


@settings.command()
@old_settings_argument
@settings_option
@click.option("--json", "as_json", is_flag=True, help="One JSON object per problem.")
@click.pass_context
def check(context: click.Context, settings_file: Path, as_json: bool) -> None:
    """List every problem of a settings file, and of the files that it names.

    Exit code 2 if it cannot be used, 0 if there are at most warnings. The wires are not used.
    """
    from pi_app.settings import load as reader
    from pi_app.settings import owner_files as owned
    from pi_app.settings.model import Settings
    from pi_app.text.user_file import errors_of

    read = reader.check(settings_file)
    good = isinstance(read, Settings)
    found = [*read.warnings, *_of_wiring(read)] if isinstance(read, Settings) else list(read)
    for problem in found:
        echo(json_line(str(settings_file), problem) if as_json else problem_line(problem))
    if isinstance(read, Settings):
        owned.read(read)
    if not as_json:
        size = _size(read) if isinstance(read, Settings) else f"{len(errors_of(read))} to put right"
        echo(f"{settings_file}: {'good' if good else 'cannot be used'}: {size}")
    context.exit(exit_codes.FINE if good else exit_codes.UNUSABLE)


def _of_wiring(read: Settings) -> list[Problem]:
    """Return what in the wiring is out of its limits, or why it cannot be computed."""
    from pi_app.plans.wiring.checks import noticed
    from pi_app.text.errors import UserFileError
    from pi_app.text.user_file import Problem, Severity

    try:
        return [Problem(Severity.WARNING, "", "", "", line) for line in noticed(read)]
    except UserFileError as unknown:
        return [Problem(Severity.INFORMATION, "", "", "", line) for line in unknown.problems]


def _size(read: Settings) -> str:
    counts = [
        (len(read.squares), "square", "squares"),
        (len(read.seats), "seat", "seats"),
        (len(read.buses), "bus", "buses"),
    ]
    if read.hubs:
        counts.append((len(read.hubs), "hub", "hubs"))
    return ", ".join(f"{number} {one if number == 1 else many}" for number, one, many in counts)


@settings.command()
@click.argument("size", metavar="starter|2x2|8x4|16x4|station")
def example(size: str) -> None:
    """Print a commented settings file to start from.

    `starter` is one square, one button and one lamp, built in an evening; `station` is a shop's table; the others have
    squares x seats and a mux. `2x2` has every setting, those that few tables need commented out. For example: trapdial
    settings example starter > trapdial.toml
    """
    from pi_app.settings.example_text import example_text

    echo_text(example_text(size))
