"""Makes a centre: a folder with its settings and its key."""

from __future__ import annotations

import getpass
import json
import re
import socket
from ipaddress import ip_address
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from pi_app.centre.key_file import make_key, read_key
from pi_app.centre.settings import FILE, CentreSettings, is_local, parse
from pi_app.centre.store.opening import open_store
from pi_app.centre.store.store import StoreAwayError, StoreError
from pi_app.centre.taking.decision import CentreKey
from pi_app.text.errors import UserFileError
from pi_app.text.private_files import make_folder
from pi_app.text.user_file import check_is_new, errors_of, write_new

TEXT: Final = """\
# A centre of Trapdial: `trapdial docs centre` explains each line.
name = {name}
listen = {listen}
store = {store}
key = "centre.key"
"""

CREATE: Final = (
    "If the role or the database is not there yet, the user postgres can create both: "
    "createuser {user} && createdb -O {user} {database}. Then type this command again"
)
"""What a database may lack. PostgreSQL lets a user of the machine in as the role of the same name."""


def make_centre(folder: Path, name: str, listen: str, store: str) -> tuple[CentreSettings, CentreKey]:
    """Make a centre in a folder, which may be there; also its store, so that a wrong address is found now. A key that
    is there already is used, such as one from a backup. Raises UserFileError."""
    path = folder / FILE
    text = TEXT.format(name=json.dumps(name), listen=json.dumps(listen), store=json.dumps(store))
    settings = parse(text, path)
    if not isinstance(settings, CentreSettings):
        raise UserFileError([str(problem) for problem in errors_of(settings)])
    try:
        make_folder(folder)
    except OSError as error:
        seen = f"it cannot be created ({error.strerror})"
        raise UserFileError.at(str(folder), "", seen, "Name another folder, or check who owns the one above") from error
    check_is_new(path)
    _try_store(settings)
    key = settings.beside(settings.key)
    if not key.exists():
        make_key(key)
    found = read_key(key, name)
    write_new(path, text)
    return settings, found


def _try_store(settings: CentreSettings) -> None:
    """Open the store once, which makes its tables. Raises UserFileError."""
    try:
        open_store(settings).close()
    except StoreAwayError as error:
        raise UserFileError([f"{error} {_to_create(settings.store)}".rstrip()]) from error
    except StoreError as error:
        raise UserFileError([str(error)]) from error


def _to_create(address: str) -> str:
    """Say what a PostgreSQL database may lack; nothing if its address cannot be read."""
    parts = urlsplit(address)
    user = parts.username or getpass.getuser()
    name = parts.path.strip("/") or user
    plain = re.fullmatch(r"[A-Za-z0-9_-]+", user) and re.fullmatch(r"[A-Za-z0-9_-]+", name)
    return f"{CREATE.format(user=user, database=name)}." if plain else ""


def section_for_tables(settings: CentreSettings, key: CentreKey) -> tuple[str, ...]:
    """Return the lines that a table's settings need to hand over to this centre."""
    return (
        "[centre]",
        f"address = {json.dumps(address_for_tables(settings))}",
        f"key = {json.dumps(key.verifier.text())}",
    )


def address_for_tables(settings: CentreSettings) -> str:
    """Return the address of a centre. One that listens on all addresses of its machine is named by the machine."""
    host, port = settings.address
    try:
        everywhere = ip_address(host).is_unspecified
    except ValueError:
        everywhere = False
    if not everywhere:
        return settings.url
    return f"{'http' if settings.tls is None else 'https'}://{socket.gethostname()}:{port}/"


def is_for_others(settings: CentreSettings) -> bool:
    """Return whether other machines reach the centre without a proxy."""
    return not is_local(settings.listen)
