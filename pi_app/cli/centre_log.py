"""`trapdial centre log`: the log of all that a centre cosigned; its key, its state, and its check from outside."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pi_app.cli.centre_options import centre_settings_option, json_option, opened_store
from pi_app.cli.groups import CommandGroup
from pi_app.cli.printing import echo, echo_json
from pi_app.cli.progress import shown_progress
from pi_app.text import exit_codes
from pi_app.text.errors import UserFileError
from pi_app.text.language import count_of

if TYPE_CHECKING:
    from pi_app.centre.own_log.entries import OwnLogKey
    from pi_app.centre.own_log.monitor import SeenLog
    from pi_app.centre.settings import CentreSettings, OwnLogSettings
    from pi_app.journal.record.heads import Head
    from pi_app.journal.record.notes import VerifierKey
    from pi_app.sender.client import HttpClient

NO_LOG = "has no section [own_log]"
ADD_ONE = "Write one, with an origin such as 'centre.example/log'; `trapdial docs centre` explains it"
COPY_IT = "Copy it once more from where its owner publishes it"


@click.group(cls=CommandGroup)
def log() -> None:
    """The log of all checkpoints that a centre cosigned: its key, its state, and its check from outside.

    Every five minutes at most, the centre adds what changed. Other witnesses cosign the log, so not even the centre
    itself can replace what a table had handed over.
    """


@log.command()
@centre_settings_option
def key(settings_file: Path) -> None:
    """Print the log's key: witnesses and monitors pin it."""
    from pi_app.centre.settings import load

    echo(_key(load(settings_file))[1].verifier.text())


@log.command()
@centre_settings_option
@json_option
def status(settings_file: Path, as_json: bool) -> None:
    """Print how much is in the log, and what each witness has cosigned of it. The centre may run meanwhile."""
    from pi_app.centre.own_log.serving import published
    from pi_app.centre.store.own_log_rows import OwnLogWitnessed
    from pi_app.journal.record.checkpoints import cosigned_at, read_checkpoint
    from pi_app.journal.record.notes import read_note
    from pi_app.journal.record.words import when

    with opened_store(settings_file) as (settings, store):
        own, found = _key(settings)
        kept = store.own_log.state(own.origin)
    witnesses = [each.verifier for each in own.witnesses]
    shown = published(kept, witnesses)
    facts: dict[str, object] = {
        "origin": own.origin,
        "key": found.verifier.text(),
        "entries": kept.size,
        "published": 0 if shown is None else read_checkpoint(shown.text).size,
    }
    rows = []
    for each in witnesses:
        saw = kept.witnesses.get(each.text(), OwnLogWitnessed())
        time_s = cosigned_at(read_note(saw.note.encode()), each) if saw.note else None
        row = {"name": each.name, "entries": saw.size, "time": None if time_s is None else when(time_s)}
        rows.append(row | {"trouble": saw.trouble})
    if as_json:
        echo_json(json.dumps(facts | {"witnesses": rows}))
        return
    echo(f"{own.origin} has {_entries(kept.size)}. Its key: {found.verifier.text()}")
    for row in rows:
        seen = f"cosigned {_entries(row['entries'])} on {row['time']}" if row["time"] else "has cosigned nothing of it"
        echo(f"{row['name']} {seen}.")
    for row in rows:
        if row["trouble"]:
            echo(row["trouble"])
    if not rows:
        echo("No witness is named: add one as [[own_log.witness]], or the log proves little.")


@log.command()
@click.argument("address")
@click.option(
    "--key", "vkey", required=True, metavar="KEY", help="The log's key, as `trapdial centre log key` prints it."
)
@click.option(
    "--witness-key",
    "vkeys",
    metavar="KEY",
    multiple=True,
    help="The key of a witness that has to vouch for the log; repeat for more.",
)
@click.option(
    "--journal",
    "journal",
    type=click.Path(path_type=Path),
    default=None,
    help="Only check that the newest checkpoint of this journal is in the log, and fits it.",
)
@click.option("--authority", type=click.Path(path_type=Path), help="The certificate that signs the centre's.")
@click.pass_context
def verify(
    context: click.Context,
    address: str,
    vkey: str,
    vkeys: tuple[str, ...],
    journal: Path | None,
    authority: Path | None,
) -> None:
    """Check the log at ADDRESS, such as https://centre.example/log/, from outside.

    Without --journal every entry is read: they are those that the log's key has signed, each is signed by its table,
    and no table goes back. With it, some tiles are read.

    Exit code 0 if all is well, 1 if the log is not what it claims to be or a witness does not vouch for it, 4 if the
    journal is damaged, 5 if it is not what the log has.
    """
    from pi_app.centre.own_log.monitor import WrongLogError, check_all, seen_log
    from pi_app.cli.main import stop
    from pi_app.journal.record.notes import SIGNS_NOTES
    from pi_app.journal.record.words import when
    from pi_app.sender.client import HttpClient, UnreachableError
    from pi_app.sender.web_address import web_address

    own = _read_key(vkey, "--key", SIGNS_NOTES)
    witnesses = [_read_key(each, "--witness-key") for each in vkeys]
    heads = [] if journal is None else _heads(journal)
    try:
        client = HttpClient(web_address(address), authority)
    except ValueError as error:
        mend = "Write one such as https://centre.example/log/"
        raise UserFileError.at("ADDRESS", "", str(error), mend) from error
    except OSError as error:
        read = f"is no certificate that can be read ({error.strerror or error})"
        raise UserFileError.at(str(authority), "", read, "Name the file that the centre's owner publishes") from error
    try:
        seen = seen_log(client, own, witnesses)
        echo(f"{own.name} has {_entries(seen.checkpoint.size)}, and its key has signed that.")
        for name, time_s in seen.cosigned:
            echo(f"{name} vouches for that: it saw them on {when(time_s)}.")
        missing = [each.name for each in witnesses if each.name not in dict(seen.cosigned)]
        if journal is None:
            with shown_progress() as progress:
                tables = check_all(client, seen, progress)
            echo(f"All of it was read: its entries are of {count_of(tables, 'table')}, and fit each other.")
        worst = exit_codes.FINE if journal is None else _check_journal(client, seen, journal, heads)
    except (WrongLogError, UnreachableError) as error:
        stop(str(error), code=exit_codes.FOUND)
    for name in missing:
        echo(f"{name} does not vouch for that.")
    context.exit(max(worst, exit_codes.FOUND) if missing else worst)


def _heads(journal: Path) -> list[Head]:
    """Return the heads of a journal and of the other logs of an archive. Raises JournalFileError."""
    from pi_app import journal as jn

    with shown_progress() as progress:
        return [jn.head(journal, number, progress) for number in jn.logs(journal)]


def _check_journal(client: HttpClient, seen: SeenLog, journal: Path, heads: Sequence[Head]) -> int:
    """Say whether the log's newest checkpoint of a journal fits it; return the exit code."""
    from pi_app import journal as jn
    from pi_app.centre.own_log.monitor import newest_of_table

    worst = exit_codes.FINE
    for number, head in enumerate(heads):
        there = newest_of_table(client, seen, head.device)
        if there is None:
            echo(f"{journal}: the log has no checkpoint of it up to now.")
            worst = max(worst, exit_codes.FOUND)
            continue
        with shown_progress() as progress:
            verdict = jn.verify(journal, [there], log=number, opens=False, progress=progress)
        if verdict.against:
            for sentence in verdict.against:
                echo(f"{journal}: {sentence}")
            worst = exit_codes.FORKED
        else:
            echo(f"{journal}: the log has its first {_entries(there.size)}, and they are the same.")
    return worst


def _key(settings: CentreSettings) -> tuple[OwnLogSettings, OwnLogKey]:
    """Return the section of the log and its key. Raises UserFileError."""
    from pi_app.centre.key_file import read_key
    from pi_app.centre.own_log.entries import OwnLogKey

    if settings.own_log is None:
        raise UserFileError.at(str(settings.where), "", NO_LOG, ADD_ONE)
    centre = read_key(settings.beside(settings.key), settings.name)
    return settings.own_log, OwnLogKey.of(settings.own_log.origin, centre)


def _read_key(text: str, option: str, kind: int | None = None) -> VerifierKey:
    """Read a log's key, or a witness's if `kind` is None. Raises UserFileError."""
    from pi_app.journal.cosigned import cosigner_key
    from pi_app.journal.record.notes import read_vkey

    try:
        found = cosigner_key(text) if kind is None else read_vkey(text)
        if kind is not None and found.kind != kind:
            raise ValueError("it is the key of a witness, and not that of a log: a log's key is of type 01")
    except ValueError as error:
        raise UserFileError.at(option, "", str(error), COPY_IT) from error
    return found


def _entries(count: object) -> str:
    return "1 entry" if count == 1 else f"{count} entries"
