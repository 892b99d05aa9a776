"""Options that several commands share, so that they are called and explained the same everywhere."""

from __future__ import annotations

from pathlib import Path

import click

settings_option = click.option(
    "--settings",
    "settings_file",
    type=click.Path(path_type=Path),
    default=Path("trapdial.toml"),
    show_default=True,
    help="The table's settings.",
)

squares_option = click.option(
    "--square", "labels", multiple=True, metavar="LABEL", help="Only this square; may be given again."
)
