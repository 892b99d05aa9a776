"""Makes a journal's keys ready for play: beside it, or in the place that the settings name, and unlocked."""

from __future__ import annotations

import shlex
from pathlib import Path

from pi_app.journal.files import JournalFileError, keys_of
from pi_app.journal.record.key_folder import check_place_for_keys
from pi_app.journal.record.key_ring import AWAY, KeyRing, ring_at
from pi_app.journal.record.keys import KeyFileError
from pi_app.journal.record.last_head import read_kept


def prepare_keys(journal: Path, place: Path | None, *, unlock: bool = True) -> KeyRing:
    """Check the keys' folder, and ask for its passphrase if it has one and `unlock` is set. `place`: the folder that
    the settings name for the keys; the first game creates its own folder in it.

    Raises JournalFileError if the place is not there, or another user could read or replace the keys.
    """
    try:
        ring = keys_of(journal) if place is None else _ring_in(place.absolute(), journal)
        if ring.beside is None:
            check_place_for_keys(ring.folder)
        if unlock:
            ring.open_lock()
    except KeyFileError as error:
        raise JournalFileError([str(error)]) from error
    except FileNotFoundError as error:
        raise JournalFileError([str(_gone(journal.absolute().parent))]) from error
    except OSError as error:
        seen = f"could not be opened ({error.strerror})"
        raise JournalFileError.of(keys_of(journal).folder, "folder", seen, "Check who owns it, and the disk") from error
    return ring


def move_keys(journal: Path, place: Path) -> KeyRing:
    """Move a journal's keys into its own folder in `place`. Raises KeyFileError."""
    ring = keys_of(journal)
    wanted = _folder_in(place.absolute(), journal)
    if not place.is_dir():
        raise _gone(place)
    if ring.folder.absolute() == wanted:
        return ring
    if read_kept(ring).why_not:
        ring.set_aside_remembered()  # what cannot be read cannot be moved, and is only a hint
    return ring.move_to(wanted)


def _ring_in(place: Path, journal: Path) -> KeyRing:
    ring, wanted = keys_of(journal), _folder_in(place, journal)
    if ring.folder.absolute() == wanted:
        return ring
    if ring.beside is not None or ring.has_device:
        seen = f"has the keys of {journal}, and the settings name another place, {place}"
        move = f"trapdial journal keys {shlex.quote(str(journal))} --move-to {shlex.quote(str(place))}"
        raise KeyFileError(ring.folder, seen, f"Type: {move}")
    if not place.is_dir():
        raise _away(place)
    made = ring_at(wanted, beside=ring.folder)
    made.create()
    if made.beside is not None:
        ring.point_to(wanted)
    return made


def _folder_in(place: Path, journal: Path) -> Path:
    return place / f"{journal.name}.keys"


def _away(folder: Path) -> KeyFileError:
    return KeyFileError(folder, "is not there, and the settings name it for the keys", AWAY)


def _gone(folder: Path) -> KeyFileError:
    return KeyFileError(folder, "is not there", "Create the folder, or name another one")
