"""`trapdial station remove`: takes away what `trapdial station install` wrote."""

from __future__ import annotations

from pathlib import Path

import click

from pi_app.cli.printing import echo
from pi_app.cli.station_install import carry_out, root_option


@click.command()
@root_option
@click.option("--dry-run", is_flag=True, help="Print which files would be deleted, and do nothing.")
def remove(root: Path, dry_run: bool) -> None:
    """Take the station away from this machine, but not its data.

    Stops it and deletes every file that `trapdial station install` wrote. Records, keys and settings stay, and so do
    the users that own them.
    """
    from pi_app.station.service import install as installer
    from pi_app.station.service import units

    if dry_run:
        there = installer.installed(root)
        for path in there:
            echo(f"{path}: would be deleted.")
        if not there:
            echo(f"{root}: no station is installed there.")
        return
    here = root == Path("/")
    if here:
        carry_out(units.STOPPING[:1], here=here)
    steps = installer.remove(root)
    for step in steps:
        echo(str(step))
    if not steps:
        echo(f"{root}: no station is installed there.")
        return
    if here:
        carry_out(units.STOPPING[1:], here=here)
    echo(f"The data stays in {units.STATE}, the settings in {units.SETTINGS}/trapdial.toml.")
