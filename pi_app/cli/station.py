"""`trapdial station`: a demo table that runs in a shop without staff."""

from __future__ import annotations

import importlib
from typing import Final

import click

from pi_app.cli.groups import CommandGroup

COMMANDS: Final[dict[str, str]] = {
    "play": "pi_app.cli.station_play",
    "display": "pi_app.cli.station_display",
    "sheet": "pi_app.cli.station_sheet",
    "install": "pi_app.cli.station_install",
    "remove": "pi_app.cli.station_remove",
    "update": "pi_app.cli.station_update",
}
"""Each command's module, which is imported when it is called."""


class StationGroup(CommandGroup):
    """Imports a command when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(importlib.import_module(COMMANDS[cmd_name]), cmd_name)
        return command


@click.group(cls=StationGroup)
def station() -> None:
    """A demo station: it plays with every visitor, and starts over when they leave.

    [station] in the settings makes a table one: `trapdial docs station`.
    """
