"""`trapdial new-game`: the old spelling of `play --new`."""

from __future__ import annotations

from pathlib import Path

import click

from pi_app.cli.options import STILL_WORKS, notice, settings_option
from pi_app.cli.play import play


@click.command(hidden=True)
@settings_option
@click.option("--journal", type=click.Path(path_type=Path), help="Use this journal instead of the one in the settings.")
@click.option("--unchecked", is_flag=True, help="Begin without checking the wires first.")
@click.option(
    "--shuffle/--printed", default=None, help="Deal the trap tables again for this game, or use them as printed."
)
@click.pass_context
def new_game(
    context: click.Context, settings_file: Path, journal: Path | None, unchecked: bool, shuffle: bool | None
) -> None:
    """Begin a new game and play it, as `trapdial play --new` does."""
    notice(f"`trapdial new-game` is now `trapdial play --new`. {STILL_WORKS}")
    context.invoke(
        play,
        settings_file=settings_file,
        journal=journal,
        resume=False,
        fresh=True,
        unchecked=unchecked,
        shuffle=shuffle,
        lock_memory=False,
    )
