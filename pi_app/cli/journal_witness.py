"""`trapdial journal witness`: pin the witnesses that vouch for a journal, list them with what they saw, forget one."""

from __future__ import annotations

import json
from pathlib import Path

import click

from pi_app.cli.groups import CommandGroup
from pi_app.cli.printing import echo, echo_json
from pi_app.text.errors import UserFileError
from pi_app.text.language import count_entries

file_option = click.option(
    "--journal", "file", type=click.Path(path_type=Path), default=Path("journal.db"), help="The journal (journal.db)."
)


@click.group(cls=CommandGroup)
def witness() -> None:
    """Pin witnesses by their keys: programs elsewhere that sign what they saw of a journal, and when.

    Any witness that speaks C2SP's tlog-witness will do, also a centre. Who pinned its key needs no trust in this
    machine: entries that were rewritten, even with the device's own key, do not match what a witness has cosigned.
    """


@witness.command()
@click.argument("key", metavar="KEY")
@click.argument("address", metavar="[ADDRESS]", default="")
@file_option
def add(key: str, address: str, file: Path) -> None:
    """Pin the witness with this KEY: name, id and key with + between them, as its owner publishes it.

    At ADDRESS, such as https://witness.example/, it is asked for cosignatures; without one, cosignatures that came in
    another way are checked. A KEY of a name that is pinned replaces it.
    """
    from pi_app.journal.cosigned import PinnedWitness, pin

    _must_exist(file)
    found = PinnedWitness(key=key, address=_address(address))
    try:
        name = found.verifier.name
        pin(file, found)
    except ValueError as error:
        raise UserFileError.at("KEY", "", str(error), "Copy it once more from where its owner publishes it") from error
    echo(f"{file}: {name} is pinned{f', and asked at {found.address}' if found.address else ''}.")
    if found.address:
        echo("Its owner has to know the key of this record: trapdial journal witness key")


@witness.command(name="key")
@file_option
def key_(file: Path) -> None:
    """Print the key of the record: the owner of a witness adds it there, and the witness cosigns the record then."""
    from pi_app.journal import head, logs
    from pi_app.journal.record.checkpoints import record_key

    for log in logs(file):
        echo(record_key(head(file, log).device).text())


@witness.command(name="list")
@file_option
@click.option("--json", "as_json", is_flag=True, help="One JSON object per witness.")
def list_(file: Path, as_json: bool) -> None:
    """List the pinned witnesses, each with the entries that it has cosigned last and when.

    While the table plays, a witness or a centre that does not answer stands there too, with the time since when.
    """
    from pi_app.journal.cosigned import cosigned, of_record, pinned, vouched_for
    from pi_app.journal.record.words import when
    from pi_app.journal.rows import device_in
    from pi_app.sender.orders import SenderSays, kept_said

    _must_exist(file)
    notes = of_record(cosigned(file), device_in(file))
    found, now = pinned(file), kept_said(file) or SenderSays()
    waits = {each.name: each.text(str) for each in now.troubles}
    for each in found:
        name = each.verifier.name
        saw = next(vouched_for(notes, [each.verifier]), None)
        if as_json:
            facts: dict[str, object] = {"name": name, "key": each.key, "address": each.address}
            facts |= {} if saw is None else {"entries": saw.head.size, "time": when(saw.time_s)}
            facts |= {"trouble": waits[name]} if name in waits else {}
            echo_json(json.dumps(facts))
            continue
        said = (
            "has cosigned nothing of it yet"
            if saw is None
            else f"saw {count_entries(saw.head.size)} on {when(saw.time_s)}"
        )
        echo(f"{name} {said}.{f' It is asked at {each.address}.' if each.address else ''}")
        if name in waits:
            echo(f"  {waits[name]}")
    if "" in waits and not as_json:
        echo(f"The hand-over to the centre: {waits['']}")
    if not found and not as_json:
        echo(f"{file}: no witness is pinned. Pin one: trapdial journal witness add KEY ADDRESS")


@witness.command()
@click.argument("name")
@file_option
def remove(name: str, file: Path) -> None:
    """Forget the witness with this NAME. What it has cosigned stays beside the journal."""
    from pi_app.journal.cosigned import pinned, unpin

    _must_exist(file)
    if not unpin(file, name):
        known = ", ".join(each.verifier.name for each in pinned(file)) or "none"
        raise UserFileError.at("NAME", "", f"no witness is called {name!a}", f"Pinned are: {known}")
    echo(f"{file}: {name} is no longer asked.")


@witness.command()
@click.argument("brought", metavar="FILE", type=click.Path(path_type=Path))
@file_option
def take(brought: Path, file: Path) -> None:
    """Keep the cosignatures in FILE, which `trapdial centre take` has written to a USB stick at the centre.

    Only those of pinned witnesses are kept, each beside the record that it is of.
    """
    from pi_app.journal.handing_on import read_notes, take_cosigned

    _must_exist(file)
    for name, record, head, newer in take_cosigned(file, read_notes(brought)):
        news = "kept" if newer else "older than what is here"
        echo(f"{record}: {name} saw {count_entries(head.size)}: {news}.")


def _must_exist(file: Path) -> None:
    from pi_app import journal as jn

    jn.logs(file)  # raises for a file that is no journal


def _address(text: str) -> str:
    """Check an address. Raises UserFileError."""
    from urllib.parse import urlsplit

    from pi_app.journal.cosigned import LONGEST_ADDRESS

    if not text:
        return ""
    try:
        parts = urlsplit(text)
        sound = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0 and not parts.query
    except ValueError:
        sound = False
    if not sound or len(text) > LONGEST_ADDRESS or not text.isprintable() or " " in text:
        seen = f"{text[:80]!a} is no address of a witness"
        raise UserFileError.at("ADDRESS", "", seen, "Write one such as https://witness.example/")
    return text if text.endswith("/") else f"{text}/"
