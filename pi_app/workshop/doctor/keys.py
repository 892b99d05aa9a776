"""Checks that the journal's keys are where the settings name them, and that no other user can read or replace them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from pi_app.journal import keys_of
from pi_app.journal.record.key_folder import check_place_for_keys
from pi_app.journal.record.key_ring import AWAY, KeyRing
from pi_app.journal.record.keys import KeyFileError
from pi_app.plans.check import Check, Sign
from pi_app.settings.model import Settings

ANOTHER_DISK = "Name a folder on another disk in the settings, [record] keys."


def examine_keys(settings: Settings) -> Iterator[Check]:
    """Check the keys' folder, without its passphrase."""
    journal, place = settings.beside(settings.table.journal), settings.keys_place
    if not journal.parent.is_dir():
        return  # the row of the disk says so
    ring = keys_of(journal)
    if place is not None and not place.is_dir():
        yield Check(Sign.FAILS, "keys", str(place), "is not there", f"{AWAY}.")
        return
    try:
        if ring.beside is None:
            check_place_for_keys(ring.folder)
        locked, has_keys = ring.is_locked, ring.has_device
    except KeyFileError as error:
        yield Check(Sign.FAILS, "keys", str(error.place), error.seen, f"{error.advice}.")
        return
    except OSError as error:
        yield Check(Sign.FAILS, "keys", str(ring.folder), f"could not be opened ({error.strerror})", "Check its owner.")
        return
    if place is not None and _on_one_disk(place, journal):
        seen = "is on the same disk as the journal: a copy of that disk has both"
        yield Check(Sign.UNSURE, "keys", str(place), seen, ANOTHER_DISK)
    yield _good(ring, place, has_keys=has_keys, locked=locked)


def _good(ring: KeyRing, place: Path | None, *, has_keys: bool, locked: bool) -> Check:
    if not has_keys:
        where = place or ring.folder.parent
        return Check(Sign.GOOD, "keys", str(where), "no other user can replace the keys that the first game makes here")
    seen = "encrypted with a passphrase" if locked else "not encrypted"
    return Check(Sign.GOOD, "keys", str(ring.folder), f"no other user can read or replace them; {seen}")


def _on_one_disk(place: Path, journal: Path) -> bool:
    return os.stat(place).st_dev == os.stat(journal.parent).st_dev
