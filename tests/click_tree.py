"""Every command that a list shows."""

from __future__ import annotations

from collections.abc import Iterator

import click

from pi_app.cli.main import main


def walked(command: click.Command, *path: str) -> Iterator[tuple[str, click.Command]]:
    """Yield a command and all commands in it, with their words."""
    yield " ".join(path), command
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command, help_option_names=["-h", "--help"])):
            found = command.get_command(click.Context(command, help_option_names=["-h", "--help"]), name)
            assert found is not None
            yield from walked(found, *path, name)


ALL = dict(walked(main))

LEAVES = frozenset(name for name, command in ALL.items() if not isinstance(command, click.Group) or name == "audit")
"""The commands that do something; `audit` does, and has a second one in it."""
