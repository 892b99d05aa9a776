"""`trapdial centre status`, `tables`, `games` and `findings`: what a centre knows, read from its store."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pi_app.cli.centre_options import centre_settings_option, json_option, opened_store
from pi_app.cli.printing import console, echo, echo_json
from pi_app.text import exit_codes
from pi_app.text.errors import UserFileError
from pi_app.text.language import count_entries

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pi_app.audit.values import FileAudit
    from pi_app.centre.store.store import CentreStore, KeptGame, KeptRecord

table_option = click.option("--table", metavar="NAME", help="Only the table that was enrolled under NAME.")


@click.command()
@centre_settings_option
@json_option
def status(settings_file: Path, as_json: bool) -> None:
    """Print one line: how many tables play, and how many need a look. The centre may run meanwhile.

    A second line says so if the centre does not cosign because its clock is in doubt.
    """
    from pi_app.centre.clock.machine import this_clock
    from pi_app.centre.clock.watch import doubt_words
    from pi_app.centre.findings.found import kept_findings
    from pi_app.centre.findings.summary import totals
    from pi_app.centre.findings.tables import table_rows

    with opened_store(settings_file) as (settings, store):
        clock = doubt_words(store, settings.name, settings.log_origins, this_clock())
        found = totals(table_rows(store, int(time.time())), kept_findings(store), clock)
    if as_json:
        _print_json([found])
    else:
        echo(found.sentence())
        if clock:
            echo(clock)


@click.command()
@centre_settings_option
@json_option
def tables(settings_file: Path, as_json: bool) -> None:
    """Print a line for each table, in words: what it does, and what needs a look."""
    from pi_app.centre.findings.tables import table_rows, when

    now_s = int(time.time())
    with opened_store(settings_file) as (_, store):
        rows = table_rows(store, now_s)
    if as_json:
        _print_json(rows)
        return
    for row in rows:
        seen = f", last seen {when(row.seen_s, now_s)}" if row.seen_s else ""
        echo(f"{_name(row.name, row.shop)}: {'; '.join(row.words)}. {count_entries(row.size)}{seen}.")
    if not rows:
        echo("No table is enrolled. Enrol one: trapdial centre enrol NAME")


@click.command()
@click.argument("game", required=False)
@table_option
@click.option(
    "--most", type=click.IntRange(1, 10_000), default=10, show_default=True, help="So many games of each table."
)
@centre_settings_option
@json_option
@click.pass_context
def games(
    context: click.Context, game: str | None, table: str | None, most: int, settings_file: Path, as_json: bool
) -> None:
    """List the newest games of each table, or print the audit of GAME as `trapdial audit` does it.

    Of a game that has not ended, only verdicts, rules and times are shown. The exit code with GAME is that of
    trapdial audit.
    """
    with opened_store(settings_file) as (_, store):
        _must_be_there(store, table)
        if game is None:
            _list(store, table, most, as_json)
            return
        audit = _audit(store, table, game)
    if as_json:
        from pi_app.audit.forms import to_json

        echo_json(to_json([audit]))
    else:
        from pi_app.cli.audit_output import print_audits

        print_audits(console(highlight=False), [audit], None)
    context.exit(audit.exit_code)


@click.command()
@centre_settings_option
@json_option
@click.pass_context
def findings(context: click.Context, settings_file: Path, as_json: bool) -> None:
    """Look for findings in all records now: forks, copied cards, changed games, silence, clocks, power, dials.

    All dials are tested together: of 400 fleets of fair dials, one ever gives a false alarm, however often you look.
    Exit code 1 if something was found.
    """
    from pi_app.centre.findings.fleet import fleet_findings

    with opened_store(settings_file) as (_, store):
        found = fleet_findings(store, int(time.time()))
    if as_json:
        _print_json(found)
    else:
        for each in found:
            echo(f"{each.level.upper()}  {each.words}")
        if not found:
            echo("Nothing was found.")
    context.exit(exit_codes.FOUND if found else exit_codes.FINE)


def _list(store: CentreStore, table: str | None, most: int, as_json: bool) -> None:
    from pi_app.audit.values import clock_text
    from pi_app.centre.findings.summary import game_rows

    rows = game_rows(store, table, most)
    if as_json:
        _print_json(rows)
        return
    some = False
    for row in rows:
        some = True
        began = "" if row.began is None else f", began {row.began[:16].replace('T', ' ')} UTC"
        lasted = "" if row.length_s is None else f", {clock_text(row.length_s)}"
        entries = f"entries {row.first} to {row.last}"
        echo(f"{_name(row.table, row.shop)}: {row.game}, {row.state}{began}{lasted}, {entries}.")
    if not some:
        echo("No game was handed over yet.")


def _audit(store: CentreStore, table: str | None, game: str) -> FileAudit:
    """Return the audit of a game. Raises UserFileError."""
    from pi_app.centre.findings.game_audit import NoAuditError, ended_audit, running_audit
    from pi_app.centre.store.store import GameState

    record, found = _one_game(store, table, game)
    if found.state is GameState.DELETED:
        raise UserFileError.at("GAME", game, "was deleted", "Its hashes are all that is left of it")
    rows = store.rows(record.number, found.first, found.last)
    audit_of = ended_audit if found.state is GameState.ENDED else running_audit
    try:
        return audit_of(rows, game, record.name)
    except NoAuditError as error:
        raise UserFileError([str(error)]) from error


def _one_game(store: CentreStore, table: str | None, game: str) -> tuple[KeptRecord, KeptGame]:
    from pi_app.centre.findings.summary import found_games

    found = found_games(store, table, game) if game.isprintable() else []
    if not found:
        raise UserFileError.at("GAME", game, "is no game that was handed over", "List them: trapdial centre games")
    if len(found) > 1:
        names = ", ".join(sorted({record.name for record, _ in found}))
        raise UserFileError.at("GAME", game, f"is a game of several tables: {names}", "Name one with --table")
    return found[0]


def _must_be_there(store: CentreStore, table: str | None) -> None:
    if table is not None and table not in {each.name for each in store.records()}:
        raise UserFileError.at("--table", table, "is no table here", "List them: trapdial centre tables")


def _name(table: str, shop: str) -> str:
    return f"{table} ({shop})" if shop else table


def _print_json(found: Iterable[object]) -> None:
    import msgspec

    for each in found:
        echo_json(msgspec.json.encode(each).decode())
