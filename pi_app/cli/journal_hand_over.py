"""`trapdial journal hand-over` and `trapdial journal enrol`: a table's own side of a centre, by hand."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pi_app.cli.options import Decorator, settings_named
from pi_app.cli.printing import echo
from pi_app.cli.progress import shown_progress
from pi_app.text import exit_codes
from pi_app.text.errors import UserFileError
from pi_app.text.language import count_entries

if TYPE_CHECKING:
    from pi_app.journal.record.keys import DeviceKey
    from pi_app.journal.record.notes import VerifierKey
    from pi_app.sender.client import HttpClient
    from pi_app.settings.model import Settings

SETTINGS = Path("trapdial.toml")


def centre_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that name a journal and a centre."""
    options: tuple[Decorator, ...] = (
        click.option("--authority", type=click.Path(path_type=Path), help="The certificate that signs the centre's."),
        click.option("--key", "vkey", metavar="KEY", default="", help="The centre's key, as its owner publishes it."),
        click.option("--to", "address", metavar="ADDRESS", default="", help="The centre's address."),
        click.option("--journal", type=click.Path(path_type=Path), help="The journal, if not that of the settings."),
        settings_named("The table's settings: ./trapdial.toml, if it is there."),
    )
    for option in options:
        command = option(command)
    return command


@click.command(name="hand-over")
@centre_options
@click.pass_context
def hand_over(
    context: click.Context,
    settings_file: Path | None,
    journal: Path | None,
    address: str,
    vkey: str,
    authority: Path | None,
) -> None:
    """Hand the record over to a centre now, with the past records before it, until the centre has all of it.

    A table with [centre] in its settings does that while it plays; this command is for the rest of a day, and for a
    table that was offline. The centre is that of the settings, or --to ADDRESS with --key KEY. Without any network,
    take `trapdial journal export --for-centre` on a stick: the centre reads it with `trapdial centre take`.

    Each request has a minute, however slowly the answer comes; after three that failed the command ends.

    Exit code 0 if the centre has everything, 1 if it does not answer or refuses it, 4 if the record is damaged, 5 if
    the centre has other entries of it.
    """
    from pi_app.play.open_sender import pin_centre, seed_of
    from pi_app.sender.by_hand import NotHandedOverError, hand_over_all

    path, key, client = _asked(settings_file, journal, address, vkey, authority)
    pin_centre(path, key.text())
    handed = False
    try:
        with shown_progress() as progress:
            for each in hand_over_all(path, client, key, seed_of, progress, partial(echo, err=True)):
                handed = True
                new = f"{each.new} of them are new" if each.new > 0 else "it had them before"
                echo(f"{each.path}: {key.name} has all {count_entries(each.entries)}; {new}.")
    except NotHandedOverError as error:
        echo(str(error), err=True)
        context.exit(exit_codes.FORKED if error.other_history else exit_codes.FOUND)
    if not handed:
        echo(f"{path} has no entry yet: there is nothing to hand over.")


@click.command()
@click.argument("code")
@centre_options
@click.pass_context
def enrol(
    context: click.Context,
    code: str,
    settings_file: Path | None,
    journal: Path | None,
    address: str,
    vkey: str,
    authority: Path | None,
) -> None:
    """Enrol this table at its centre with the CODE that `trapdial centre enrol` has printed there.

    A code works once. From then on the centre takes this table's record, and those that continue it. A table that has
    not played yet gets its key now.

    Exit code 0 if the table is enrolled, 1 if the centre refuses the code or does not answer.
    """
    from pi_app.play.open_sender import pin_centre
    from pi_app.sender.by_hand import NotEnrolledError
    from pi_app.sender.by_hand import enrol as enrolled
    from pi_app.sender.client import UnreachableError

    path, key, client = _asked(settings_file, journal, address, vkey, authority)
    device = _device_of(path, _settings(settings_file))
    try:
        name = enrolled(code, device, key, client)
    except (NotEnrolledError, UnreachableError) as error:
        echo(f"{key.name} does not enrol this table: {error}", err=True)
        context.exit(exit_codes.FOUND)
    pin_centre(path, key.text())
    echo(f"{key.name} knows this table as {name} from now on.")


def _asked(
    settings_file: Path | None, journal: Path | None, address: str, vkey: str, authority: Path | None
) -> tuple[Path, VerifierKey, HttpClient]:
    """Return the journal, the centre's key and its client. Raises UserFileError."""
    from pi_app.journal import machine_stamp
    from pi_app.journal.cosigned import cosigner_key
    from pi_app.sender.client import HttpClient
    from pi_app.sender.web_address import web_address
    from pi_app.settings.model import JOURNAL

    settings = _settings(settings_file)
    path = journal or (Path(JOURNAL) if settings is None else settings.beside(settings.table.journal))
    if bool(address) != bool(vkey):
        raise UserFileError.at("--to", "", "an address and a key go together", "Write --to ADDRESS --key KEY")
    if not address:
        if settings is None or settings.centre is None:
            seen = "no centre is named"
            raise UserFileError.at("--to", "", seen, "Write [centre] into the settings, or --to ADDRESS --key KEY")
        centre = settings.centre
        address, vkey = centre.address, centre.key
        authority = authority or (settings.beside(centre.authority) if centre.authority else None)
    try:
        address = web_address(address)
    except ValueError as error:
        raise UserFileError.at("--to", "", str(error), "Write one such as https://centre.example/") from error
    try:
        key = cosigner_key(vkey)
    except ValueError as error:
        raise UserFileError.at(
            "--key", "", str(error), "Copy it once more from where its owner publishes it"
        ) from error
    try:
        return path, key, HttpClient(address, authority, machine_stamp().clock != "none")
    except OSError as error:
        seen = f"is no certificate that can be read ({error.strerror or error})"
        raise UserFileError.at(str(authority), "", seen, "Name the file that the centre's owner publishes") from error


def _settings(settings_file: Path | None) -> Settings | None:
    from pi_app.settings import load as settings

    if settings_file is None and not SETTINGS.exists():
        return None
    return settings.load(settings_file or SETTINGS)


def _device_of(path: Path, settings: Settings | None) -> DeviceKey:
    """Return the key of the device that writes a journal; make it for one without an entry. Raises JournalFileError."""
    from pi_app import journal as jn
    from pi_app.journal.key_place import prepare_keys
    from pi_app.journal.record.keys import KeyFileError

    ring = prepare_keys(path, None if settings is None else settings.keys_place)
    try:
        if path.exists() and ring.known_device() is None:
            with jn.raw(path) as rows:
                if rows.last():
                    seen = f"was written with a key that is not in {ring.folder}"
                    raise jn.JournalFileError.of(path, "file", seen, "Put device.key back")
        return ring.device()
    except KeyFileError as error:
        raise jn.JournalFileError([str(error)]) from error
