"""`trapdial centre new`: makes a centre."""

from __future__ import annotations

import json
from pathlib import Path

import click

from pi_app.cli.centre_options import json_option
from pi_app.cli.printing import echo, echo_json, echo_lines


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--name", help="The name of its cosignatures, such as centre.example/c1; without it, the machine's.")
@click.option(
    "--listen", default="127.0.0.1:8460", show_default=True, help="Where tables reach it: an address and a port."
)
@click.option(
    "--store",
    default="centre.db",
    show_default=True,
    help="A file in FOLDER, or the address of a PostgreSQL database, such as postgresql:///trapdial.",
)
@json_option
def new(folder: Path, name: str | None, listen: str, store: str, as_json: bool) -> None:
    """Make a centre in FOLDER: its settings, centre.toml, and its key, which only you may read.

    Prints the public key and the lines that a table's settings need. The store is tried: where a PostgreSQL database
    lacks something, the message says what to create. A centre.key that is there already, such as one from a backup, is
    kept and used. Nothing is ever overwritten.
    """
    import socket

    from pi_app.centre.making import is_for_others, make_centre, section_for_tables

    settings, key = make_centre(folder, name or f"{socket.gethostname()}/centre", listen, store)
    lines = section_for_tables(settings, key)
    if as_json:
        facts = {
            "settings": str(settings.where),
            "name": key.name,
            "key": key.verifier.text(),
            "table": "\n".join(lines),
        }
        echo_json(json.dumps(facts))
        return
    echo(f"{settings.where}: the centre {key.name} is made.")
    echo(f"{settings.beside(settings.key)}: its key. Keep a copy in a safe place: every table trusts this key alone.")
    echo(f"Its public key: {key.verifier.text()}")
    echo("")
    echo("Each table needs these lines in its trapdial.toml:")
    echo("")
    echo_lines(lines)
    echo("")
    if not is_for_others(settings):
        echo(f"Only this machine reaches {settings.listen}. For others change `listen`, or put a proxy before it.")
    for problem in settings.warnings:
        echo(f"note: {problem}")
    echo(f"Start it: trapdial centre run -s {settings.where}")
    echo(f"Let a table in: trapdial centre enrol NAME -s {settings.where}")
