"""`trapdial centre enrol`: prints a code that lets a table hand over."""

from __future__ import annotations

import json
import time
from pathlib import Path

import click

from pi_app.cli.centre_options import centre_settings_option, json_option, opened_store
from pi_app.cli.printing import echo, echo_json


@click.command()
@click.argument("name")
@click.option("--shop", default="", help="The shop that the table stands in.")
@centre_settings_option
@json_option
def enrol(name: str, shop: str, settings_file: Path, as_json: bool) -> None:
    """Print a code that enrols one table under NAME. It is printed once, works once, and for seven days.

    Type it at the table: trapdial journal enrol CODE. No code lets a table in again that was revoked, and none enrols
    a record under a second name. The centre may run meanwhile.
    """
    from pi_app.centre.enrolment import DAYS, VALID_S, checked_name, code_hash, new_code
    from pi_app.centre.key_file import read_key
    from pi_app.centre.making import section_for_tables
    from pi_app.journal.record.words import when

    name, shop = checked_name("NAME", name), checked_name("--shop", shop) if shop else ""
    code, until_s = new_code(), int(time.time()) + VALID_S
    with opened_store(settings_file) as (settings, store):
        key = read_key(settings.beside(settings.key), settings.name)
        store.add_code(code_hash(code), name, shop, until_s)
    if as_json:
        echo_json(json.dumps({"name": name, "shop": shop, "code": code, "until": when(until_s)}))
        return
    echo(code)
    echo(f"This code enrols {name}{f' of {shop}' if shop else ''}, once, within {DAYS} days. It is not shown again.")
    echo("At the table, with these lines in its trapdial.toml:")
    for line in section_for_tables(settings, key):
        echo(f"  {line}")
    echo(f"type: trapdial journal enrol {code}")
