"""`trapdial new-game`: `play --new` under a name of its own."""

from __future__ import annotations

from pathlib import Path

import click

from pi_app.cli.options import settings_option
from pi_app.cli.play import play


@click.command()
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
    """Begin a new game and play it. An unfinished game in the journal stays unfinished.

    With --shuffle each square gets another trap table, and the faces that a die can reach move to other clicks, so that
    knowing the printed dials is of no use.
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
