"""`trapdial rules`: apply a ruling."""

from __future__ import annotations

from pathlib import Path

import click

from pi_app.cli.groups import CommandGroup
from pi_app.cli.printing import echo


@click.group(cls=CommandGroup)
def rules() -> None:
    """Apply a ruling."""


@rules.command()
@click.argument("figures", type=click.IntRange(1, 12))
@click.argument("figures_word", metavar="figures", type=click.Choice(["figures", "figure"]))
@click.argument("points", type=click.IntRange(1, 9999))
@click.argument("points_word", metavar="points", type=click.Choice(["points", "point"]))
@click.option("--pool", "file", type=click.Path(path_type=Path), required=True, help="Your Mage Spawn, in TOML.")
def convert(figures: int, figures_word: str, points: int, points_word: str, file: Path) -> None:
    """Print which Mage Spawn replaces a token or a chest (R-WMT-4).

    For example: trapdial rules convert 3 figures 120 points --pool spawn.toml
    """
    from pi_app.game import conversion
    from pi_app.play.commands.experience import choices
    from pi_app.text.language import words

    pool = conversion.load(file)
    for line in choices(conversion.convert(pool, figures, points), pool, words("en"), conversion.MOST_CHOICES):
        echo(line)
