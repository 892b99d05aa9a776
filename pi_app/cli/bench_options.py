"""What the commands of `trapdial bench` share: their options, and how a result is printed."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pi_app.cli.bench_output import show, write_json
from pi_app.cli.options import STILL_WORKS, notice, settings_named
from pi_app.cli.progress import shown_progress
from pi_app.text import exit_codes

if TYPE_CHECKING:
    from pi_app.settings.model import Settings
    from pi_app.workshop.bench import Bench


def common(command: Callable[..., Bench]) -> Callable[..., Any]:
    """Add the options that every bench has, and print its result."""

    def run(json_to: str | None, output: Path | None, strict: bool, **options: Any) -> None:
        if json_to is not None and json_to != "-":
            notice(f"--json {json_to} is now -o {json_to}. {STILL_WORKS}")
            output = output or Path(json_to)
            json_to = None
        with shown_progress() as progress:
            result = command(progress, **options)
        if output is not None:
            write_json(result, output)
        show(result, as_json=json_to is not None)
        if strict and not result.passed:
            click.get_current_context().exit(exit_codes.FOUND)

    wrapped = functools.update_wrapper(run, command)
    wrapped = click.option("--strict", is_flag=True, help="Exit code 1 if a target is missed.")(wrapped)
    wrapped = click.option(
        "-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Also write the figures, as JSON."
    )(wrapped)
    json_help = "Print the figures as JSON."  # a file behind it is the old spelling of -o
    return click.option("--json", "json_to", is_flag=False, flag_value="-", metavar="", help=json_help)(wrapped)


def table_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option that names a table to simulate."""
    return settings_named("Simulate this table instead of the example of 8 squares and 4 seats.")(command)


def folder_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option that names a folder for the journal."""
    return click.option(
        "--folder",
        type=click.Path(path_type=Path, exists=True, file_okay=False, writable=True),
        default=Path(),
        show_default="this one",
        help="A folder for the journal, on the disk that you want to measure.",
    )(command)


def example_or(file: Path | None) -> Settings:
    """Return the settings in a file, or those of the example of 8 squares and 4 seats. Raises UserFileError."""
    from pi_app.settings import load as settings

    return settings.load(settings.example_path("8x4") if file is None else file)
