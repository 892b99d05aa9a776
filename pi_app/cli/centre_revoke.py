"""`trapdial centre revoke`: takes nothing more from a table."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pi_app.cli.centre_options import centre_settings_option, json_option, opened_store
from pi_app.cli.printing import echo, echo_json
from pi_app.text.errors import UserFileError
from pi_app.text.language import count_entries

if TYPE_CHECKING:
    from pi_app.centre.store.store import KeptRecord


@click.command()
@click.argument("table", metavar="NAME|ORIGIN")
@click.option("--shop", default=None, help="Only the table of this shop, where several have one with this NAME.")
@centre_settings_option
@json_option
def revoke(table: str, shop: str | None, settings_file: Path, as_json: bool) -> None:
    """Take nothing more from the table with this NAME, or from the record with this ORIGIN.

    What the table has handed over stays. Codes for this NAME that were not used yet enrol nothing more. The centre may
    run meanwhile. To take the table in again, enrol it with a new code.
    """
    with opened_store(settings_file) as (_, store):
        found = _chosen(store.records(), table, shop)
        is_name = table.isprintable() and all(each.origin != table for each in found)
        codes = store.forget_codes(table) if is_name else 0
        if not found and not codes:
            raise _unknown(store.records(), table, shop)
        for each in found:
            store.revoke(each.origin)
    if as_json:
        echo_json(json.dumps({"revoked": [each.origin for each in found], "codes": codes}))
        return
    for each in found:
        was = "was revoked before" if each.revoked else "is revoked: nothing more is taken from it"
        echo(f"{each.name}: its record {each.origin} of {count_entries(each.known.size)} {was}.")
    if codes:
        echo(f"{table}: {codes} unused {'code enrols' if codes == 1 else 'codes enrol'} nothing any more.")


def _chosen(records: Sequence[KeptRecord], table: str, shop: str | None) -> list[KeptRecord]:
    """Return the records of one table. Raises UserFileError if it could be one of several shops."""
    named = [each for each in records if each.name == table and shop in (None, each.shop)]
    found = [each for each in records if each.origin == table] or named
    shops = sorted({each.shop for each in found})
    if len(shops) > 1:
        seen = f"{len(shops)} shops have a table of this name: {', '.join(each or '(none)' for each in shops)}"
        raise UserFileError.at(table, "", seen, "Say which one with --shop, or name its origin")
    return found


def _unknown(records: Sequence[KeptRecord], table: str, shop: str | None) -> UserFileError:
    from pi_app.text.suggest import did_you_mean

    names = sorted({each.name for each in records if shop in (None, each.shop)})
    where = f" of the shop {shop!a}" if shop else ""
    return UserFileError([f"{table}: no table{where} has this name or origin here; {did_you_mean(table, names)}"])
