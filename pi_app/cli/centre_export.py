"""`trapdial centre export`: writes what a centre knows as Parquet files."""

from __future__ import annotations

import time
from pathlib import Path

import click

from pi_app.cli.centre_options import centre_settings_option, json_option, opened_store
from pi_app.cli.printing import echo, echo_json
from pi_app.text.errors import UserFileError


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--shop", help="Only the tables of this shop, for the shop itself.")
@click.option("--public", is_flag=True, help="Only sums that everybody may have: whole steps of five games of a table.")
@click.option(
    "--since",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="DATE",
    help="Only games that began on DATE or later; with --public, months that did.",
)
@centre_settings_option
@json_option
def export(folder: Path, shop: str | None, public: bool, since: object, settings_file: Path, as_json: bool) -> None:
    """Write tables, games, dials and turns into FOLDER as Parquet files, for DuckDB and other programs.

    Turns are those of games that have ended. No file has a player's name, a seat, or what a trap table says. The centre
    may run meanwhile.
    """
    if shop is not None and public:
        raise click.UsageError("--shop and --public cannot be combined; give one of them.")
    import json

    from pi_app.centre.exports import export as write
    from pi_app.centre.roles import ReaderRights

    rights = ReaderRights("public") if public else ReaderRights("auditor" if shop is None else "shop", shop or "")
    with opened_store(settings_file) as (_, store):
        if shop is not None and shop not in {each.shop for each in store.records()}:
            raise UserFileError.at("--shop", shop, "is the shop of no table here", "List them: trapdial centre tables")
        counts = write(store, folder, rights, int(time.time()), "" if since is None else f"{since:%Y-%m-%d}")
    if as_json:
        echo_json(json.dumps(counts))
        return
    for name, count in counts.items():
        echo(f"{folder / name}.parquet: {count:,} {name}")
