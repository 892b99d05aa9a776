"""`trapdial centre`: the program that keeps the records of many tables."""

from __future__ import annotations

import importlib
from typing import Final

import click

from pi_app.cli.groups import CommandGroup

COMMANDS: Final[dict[str, str]] = {
    "new": "pi_app.cli.centre_new",
    "run": "pi_app.cli.centre_run",
    "enrol": "pi_app.cli.centre_enrol",
    "revoke": "pi_app.cli.centre_revoke",
    "reader": "pi_app.cli.centre_reader",
    "take": "pi_app.cli.centre_take",
    "status": "pi_app.cli.centre_findings",
    "tables": "pi_app.cli.centre_findings",
    "games": "pi_app.cli.centre_findings",
    "findings": "pi_app.cli.centre_findings",
    "export": "pi_app.cli.centre_export",
    "demo": "pi_app.cli.centre_demo",
    "log": "pi_app.cli.centre_log",
    "clock": "pi_app.cli.centre_clock",
}
"""Each command's module, which is imported when it is called. Its function has the command's name."""


class CentreGroup(CommandGroup):
    """Imports a command when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(importlib.import_module(COMMANDS[cmd_name]), cmd_name)
        return command


@click.group(cls=CentreGroup)
def centre() -> None:
    """A centre: it keeps the records of many tables, cosigns them, and shows an auditor what to look at.

    `trapdial docs centre` has a start of two minutes.
    """
