"""`trapdial wiring`: everything for building a table, drawn from the settings that run it."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("settings_file", metavar="SETTINGS", type=click.Path(path_type=Path), default="trapdial.toml")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), metavar="DIR", help="Write everything into this folder."
)
def wiring(settings_file: Path, output: Path | None) -> None:
    """Draw and list how the table of SETTINGS is wired: drawing, pins, buses, parts, cables, labels, cards, guide.

    DIR is made, or replaced if this command made it before and nobody changed a file in it. Exit code 2 if the table
    cannot be wired as the settings say; then nothing is written.
    """
    from pi_app import settings as reader
    from pi_app.wiring.folder import files, write

    if output is None:
        raise click.UsageError("say where to write it, with -o DIR.")
    made = files(reader.load(settings_file), settings_file.name)
    write(output, made)
    click.echo(f"{len(made)} files in {output}. Start with {output / 'guide.md'}.")
