"""`trapdial new-game`: `play --new` under a name of its own."""

from __future__ import annotations

from pathlib import Path

import click

from pi_app.cli.options import settings_option
from pi_app.cli.play import play


@click.command()
@settings_option
@click.option("--journal", type=click.Path(path_type=Path), help="Another journal than the settings name.")
@click.option("--unchecked", is_flag=True, help="Begin at once, without looking at the wires first.")
@click.option("--shuffle/--printed", default=None, help="Deal the trap tables anew for this game, or as printed.")
@click.pass_context
def new_game(
    context: click.Context, settings_file: Path, journal: Path | None, unchecked: bool, shuffle: bool | None
) -> None:
    """Begin a new game and play it. An unfinished one stays so.

    With --shuffle nobody who knows the printed dials knows more: each square gets another trap table, and the faces
    that a die reaches lie behind other clicks.
    """
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
