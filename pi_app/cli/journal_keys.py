"""`trapdial journal keys`: where the keys of a journal are, another place for them, and their passphrase."""

from __future__ import annotations

from pathlib import Path

import click

from pi_app.cli.printing import echo


@click.command()
@click.argument("file", type=click.Path(path_type=Path), default=Path("journal.db"))
@click.option(
    "--move-to", "place", type=click.Path(path_type=Path), metavar="FOLDER", help="Move the keys into FOLDER."
)
@click.option("--set-passphrase", is_flag=True, help="Encrypt the keys with a passphrase, or change it.")
@click.option("--remove-passphrase", is_flag=True, help="Keep the keys without a passphrase again.")
def keys(file: Path, place: Path | None, set_passphrase: bool, remove_passphrase: bool) -> None:
    """Show where the keys of FILE (journal.db if left out) are; move them, or encrypt them with a passphrase.

    The keys open a running game. In FOLDER, such as a USB stick's, they get a folder of their own; write the same
    FOLDER into the settings: [record] keys. FOLDER of the journal itself moves them back. No game may be running.

    The passphrase is asked for at the terminal, the old one first. Later commands ask for it once each.
    """
    import os

    from pi_app import journal as jn
    from pi_app.journal.key_place import move_keys
    from pi_app.journal.record import passphrase
    from pi_app.journal.record.keys import KeyFileError

    if set_passphrase and remove_passphrase:
        raise click.UsageError("--set-passphrase and --remove-passphrase exclude each other.")
    jn.logs(file)  # raises for a file that is no journal
    lock = jn.lock(file) if set_passphrase or remove_passphrase or place else None
    try:
        ring = jn.keys_of(file) if place is None else move_keys(file, place)
        if set_passphrase:
            ring.open_lock()
            ring.set_passphrase(passphrase.asked_new(ring.folder))
        elif remove_passphrase:
            ring.remove_passphrase()
        echo(_state(file, ring.folder, has_keys=ring.has_device, locked=ring.is_locked))
    except KeyFileError as error:
        raise jn.JournalFileError([str(error)]) from error
    finally:
        if lock is not None:
            os.close(lock)


def _state(file: Path, folder: Path, *, has_keys: bool, locked: bool) -> str:
    if not has_keys:
        return f"{file}: has no keys in {folder}."
    if locked:
        return f"{file}: keys in {folder}, encrypted with a passphrase."
    return f"{file}: keys in {folder}, not encrypted: a person who copies that folder can read a running game."
