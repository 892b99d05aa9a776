"""`trapdial centre reader`: who may open a centre's page."""

from __future__ import annotations

import json
from pathlib import Path

import click

from pi_app.cli.centre_options import centre_settings_option, json_option
from pi_app.cli.groups import CommandGroup
from pi_app.cli.printing import echo, echo_json
from pi_app.text.errors import UserFileError


@click.group(cls=CommandGroup)
def reader() -> None:
    """Add or list who may open the centre's page: auditors, and shops with their own tables.

    To remove a reader, delete its [[reader]] lines in the settings. A centre that runs sees each change by itself.
    """


@reader.command()
@click.argument("name")
@click.option(
    "--role",
    type=click.Choice(("auditor", "shop")),
    required=True,
    help="An auditor reads every table, a shop those of --shop.",
)
@click.option("--shop", default="", help="The shop whose tables a reader of the role shop sees.")
@centre_settings_option
@json_option
def add(name: str, role: str, shop: str, settings_file: Path, as_json: bool) -> None:
    """Add the reader NAME and print its token, once.

    The settings keep only a hash of the token. Type the token at /enter, or open the address that is printed; a program
    sends it with each request: Authorization: Bearer TOKEN.
    """
    from pi_app.centre.making import address_for_tables
    from pi_app.centre.readers_file import add_reader
    from pi_app.centre.roles import new_token, token_hash
    from pi_app.centre.settings import ReaderSettings, load

    settings = load(settings_file)
    if (role == "shop") != bool(shop):
        seen = "a shop's reader needs the name of its shop" if role == "shop" else "an auditor sees every shop"
        advice = "Give --shop NAME" if role == "shop" else "Leave --shop out"
        raise UserFileError.at("--shop", "", seen, advice)
    token = new_token()
    made = ReaderSettings(name=name, role="shop" if shop else "auditor", shop=shop, token_sha256=token_hash(token))
    add_reader(settings_file, made)
    address = f"{address_for_tables(settings)}enter#{token}"
    if as_json:
        echo_json(json.dumps({"name": name, "role": role, "shop": shop, "token": token, "address": address}))
        return
    echo(token)
    echo(f"This token lets {name} read {f'the tables of {shop}' if shop else 'every table'}. It is not shown again.")
    echo(f"Open {address}")
    known = _shops(settings_file) if shop else set()
    if shop and shop not in known:
        echo(f"No table of {shop} is enrolled yet. The name must be the same, to the letter.")


@reader.command(name="list")
@centre_settings_option
@json_option
def list_(settings_file: Path, as_json: bool) -> None:
    """List who may open the centre's page."""
    from pi_app.centre.settings import load

    readers = load(settings_file).readers
    for each in readers:
        if as_json:
            echo_json(json.dumps({"name": each.name, "role": each.role, "shop": each.shop}))
        else:
            echo(f"{each.name} reads {f'the tables of {each.shop}' if each.role == 'shop' else _OF_ROLE[each.role]}.")
    if not readers and not as_json:
        echo(f"{settings_file}: there are no readers. Add one: trapdial centre reader add NAME --role auditor")


_OF_ROLE = {"auditor": "every table", "public": "what everybody may read"}


def _shops(settings_file: Path) -> set[str]:
    """Return the shops of enrolled tables."""
    from pi_app.cli.centre_options import opened_store

    with opened_store(settings_file) as (_, store):
        return {each.shop for each in store.records()}
