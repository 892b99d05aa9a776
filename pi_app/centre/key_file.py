"""The file with a centre's private key: 64 hex digits, which only their owner may read."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

from pi_app.centre.taking.decision import CentreKey
from pi_app.journal.record.keys import KEY_BYTES, device_key
from pi_app.text.errors import UserFileError
from pi_app.text.plain_file import open_plain, refusal
from pi_app.text.user_file import write_new

LONGEST: Final = 200
PUT_BACK: Final = (
    "Put the centre's key back from a copy; without one, make another centre, whose key every table has to pin again"
)


def make_key(path: Path) -> None:
    """Write a new key, which is on disk when this returns. Raises UserFileError, also if there is such a file."""
    write_new(path, f"{os.urandom(KEY_BYTES).hex()}\n")


def read_key(path: Path, name: str) -> CentreKey:
    """Return the key in a file, as that of the centre with this name. Raises UserFileError."""
    try:
        with open_plain(path, LONGEST) as file:
            there = os.fstat(file.fileno())
            text = file.read(LONGEST)
    except FileNotFoundError:
        raise UserFileError.at(str(path), "", "there is no such file", PUT_BACK) from None
    except OSError as error:
        raise refusal(str(path), error, "Check its owner and mode with ls -l") from error
    if there.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        seen = f"other users of this machine may use it (mode {stat.S_IMODE(there.st_mode):o})"
        raise UserFileError.at(str(path), "", seen, f"Type: chmod 600 {path}")
    try:
        seed = bytes.fromhex(text.decode("ascii"))
    except ValueError:
        seed = b""
    if len(seed) != KEY_BYTES:
        seen = f"it is no key of a centre, which has {2 * KEY_BYTES} hex digits"
        raise UserFileError.at(str(path), "", seen, PUT_BACK)
    return CentreKey(name, device_key(seed))
