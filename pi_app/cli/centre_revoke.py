"""`trapdial centre revoke`: takes nothing more from a table, until `--lift`."""

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
    from pi_app.centre.store.store import CentreStore, KeptRecord


@click.command()
@click.argument("table", metavar="NAME|ORIGIN")
@click.option("--shop", default=None, help="Only the table of this shop, where several have one with this NAME.")
@click.option("--lift", is_flag=True, help="Lift the revocation: take entries from this table again.")
@centre_settings_option
@json_option
def revoke(table: str, shop: str | None, lift: bool, settings_file: Path, as_json: bool) -> None:
    """Take nothing more from the table with this NAME, or from the record with this ORIGIN.

    What the table has handed over stays. Codes for this NAME that were not used yet enrol nothing more, and no new code
    lets a revoked record in again. Only --lift does, typed here. The centre may run meanwhile.
    """
    with opened_store(settings_file) as (_, store):
        if lift:
            records, codes = _lift(store, table, shop), 0
        else:
            records, codes = _revoke(store, table, shop)
    if as_json:
        origins = [record.origin for record in records]
        echo_json(json.dumps({"lifted": origins} if lift else {"revoked": origins, "codes": codes}))
        return
    for record in records:
        kept = f"{record.name}: its record {record.origin} of {count_entries(record.known.size)}"
        echo(f"{kept} {_outcome(record, lift=lift)}.")
    if codes:
        echo(f"{table}: {codes} unused {'code enrols' if codes == 1 else 'codes enrol'} nothing any more.")


def _outcome(record: KeptRecord, *, lift: bool) -> str:
    """Say what became of a record. `record`: as it was before."""
    if lift:
        return "is taken again" if record.revoked else "was not revoked"
    return "was revoked before" if record.revoked else "is revoked: nothing more is taken from it"


def _lift(store: CentreStore, table: str, shop: str | None) -> list[KeptRecord]:
    """Take entries of a table again; return its records as they were before. Raises UserFileError."""
    records = _chosen(store.records(), table, shop)
    if not records:
        raise _unknown(store.records(), table, shop)
    for record in records:
        store.readmit(record.origin)
    return records


def _revoke(store: CentreStore, table: str, shop: str | None) -> tuple[list[KeptRecord], int]:
    """Revoke a table; return its records as they were before, and how many codes enrol nothing any more. Raises
    UserFileError."""
    records = _chosen(store.records(), table, shop)
    is_name = table.isprintable() and all(record.origin != table for record in records)
    codes = store.forget_codes(table, shop) if is_name else 0
    if not records and not codes:
        raise _unknown(store.records(), table, shop)
    before = {record.origin: record for record in records}
    while waiting := [record for record in _chosen(store.records(), table, shop) if not record.revoked]:
        for record in waiting:  # a record that continues one of them may have been enrolled meanwhile
            before.setdefault(record.origin, record)
            store.revoke(record.origin)
    return list(before.values()), codes


def _chosen(records: Sequence[KeptRecord], table: str, shop: str | None) -> list[KeptRecord]:
    """Return the records of one table. Raises UserFileError if it could be one of several shops."""
    named = [record for record in records if record.name == table and shop in (None, record.shop)]
    chosen = [record for record in records if record.origin == table] or named
    shops = sorted({record.shop for record in chosen})
    if len(shops) > 1:
        seen = f"{len(shops)} shops have a table of this name: {', '.join(name or '(none)' for name in shops)}"
        raise UserFileError.at(table, "", seen, "Say which one with --shop, or name its origin")
    return chosen


def _unknown(records: Sequence[KeptRecord], table: str, shop: str | None) -> UserFileError:
    from pi_app.text.suggest import did_you_mean

    names = sorted({record.name for record in records if shop in (None, record.shop)})
    where = f" of the shop {shop!a}" if shop else ""
    return UserFileError([f"{table}: no table{where} has this name or origin here; {did_you_mean(table, names)}"])
