"""`trapdial centre take`: takes a table's record from a USB stick."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pi_app.cli.centre_options import centre_settings_option, json_option, opened_store
from pi_app.cli.printing import echo, echo_json
from pi_app.text import exit_codes
from pi_app.text.language import count_entries

if TYPE_CHECKING:
    from pi_app.centre.stick import TakenRecord

BACK = ".cosigned"
"""The end of the name of the file that goes back to the table."""


@click.command()
@click.argument("exports", metavar="EXPORT...", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option("--enrol", "name", metavar="NAME", default="", help="Enrol a table that is not enrolled under this NAME.")
@click.option("--shop", default="", help="The shop of the table that --enrol enrols.")
@centre_settings_option
@json_option
@click.pass_context
def take(
    context: click.Context, exports: tuple[Path, ...], name: str, shop: str, settings_file: Path, as_json: bool
) -> None:
    """Take the records in EXPORT, which `trapdial journal export --for-centre` has written to a USB stick.

    The same checks as for a hand-over by network: every entry follows the one before, every hash and the device's own
    signature fit, and what contradicts entries that are here is kept as evidence. The cosignatures are written beside
    EXPORT, with .cosigned behind its name. At the table, type: trapdial journal witness take FILE. The centre may run
    meanwhile.

    Exit code 0 if everything was taken, 1 if a record was refused, 5 if one contradicts what is here.
    """
    from pi_app.centre.clock.machine import this_clock
    from pi_app.centre.clock.watch import doubt_words
    from pi_app.centre.enrolment import checked_name
    from pi_app.centre.key_file import read_key
    from pi_app.centre.stick import NewTable, take_export
    from pi_app.cli.whole_file import write_whole
    from pi_app.journal.handing_on import notes_text

    if shop and not name:
        raise click.UsageError("--shop needs --enrol: it is the shop of a table that is enrolled.")
    table = NewTable(checked_name("--enrol", name), checked_name("--shop", shop) if shop else "") if name else None
    worst = 0
    with opened_store(settings_file) as (settings, store):
        doubt = doubt_words(store, settings.name, settings.log_origins, this_clock())
        key = read_key(settings.beside(settings.key), settings.name)
        for export in exports:
            found = list(take_export(export, key, store, int(time.time()), table, cosigns=not doubt))
            back = export.with_name(export.name + BACK)
            if notes := [each.note for each in found if each.note]:
                write_whole(back, notes_text(notes))
            for each in found:
                worst = max(worst, _code_of(each))
                _say(export, back, each, as_json=as_json)
    if doubt:
        echo(doubt, err=True)
    context.exit(worst)


def _code_of(taken: TakenRecord) -> int:
    if taken.two_histories:
        return exit_codes.FORKED
    return exit_codes.FOUND if taken.refused else 0


def _say(export: Path, back: Path, taken: TakenRecord, *, as_json: bool) -> None:
    if as_json:
        facts = {
            "file": str(export),
            "origin": taken.origin,
            "name": taken.name,
            "entries": taken.size,
            "new": taken.new,
            "refused": taken.refused,
            "two_histories": taken.two_histories,
            "cosigned": str(back) if taken.note else "",
        }
        echo_json(json.dumps(facts))
    elif taken.refused:
        kept = " What was brought is kept as evidence." if taken.two_histories else ""
        echo(f"{export}: {taken.name or taken.origin}: not taken. {taken.refused}{kept}", err=True)
    else:
        news = f"{taken.new:,} of them are new" if taken.new else "it had them before"
        echo(f"{export}: {taken.name}: the centre has all {count_entries(taken.size)}; {news}.")
        if taken.note:
            echo(f"{back}: take this back to the table, and type there: trapdial journal witness take {back.name}")
