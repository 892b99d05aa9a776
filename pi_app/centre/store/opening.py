"""Opens the store that a centre's settings name."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from pi_app.centre.settings import CentreSettings
from pi_app.centre.store.store import CentreStore, StoreError

NO_PSYCOPG = (
    "The store is a PostgreSQL database, and psycopg, which reaches one, is not installed. Type: trapdial extras "
    "install centre."
)


def open_store(settings: CentreSettings) -> CentreStore:
    """Open the store. Raises StoreError."""
    if not settings.is_postgres:
        from pi_app.centre.store.sqlite import SqliteStore

        return SqliteStore(settings.beside(settings.store))
    try:
        from pi_app.centre.store.postgres import PostgresStore
    except ImportError as error:
        raise StoreError(NO_PSYCOPG) from error
    return PostgresStore(settings.store)


@contextlib.contextmanager
def held_alone(settings: CentreSettings) -> Iterator[None]:
    """Keep other centres from a store in a file, for one centre serves from it. Raises StoreError if another does.

    Any number of centres may use one PostgreSQL database.
    """
    if settings.is_postgres:
        yield
        return
    handle = _locked(settings.beside(settings.store))
    try:
        yield
    finally:
        os.close(handle)


def _locked(store: Path) -> int:
    lock = store.with_name(f"{store.name}.lock")
    try:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StoreError(f"{lock}: it cannot be opened ({error.strerror}). Check its folder and its owner.") from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(handle)
        seen = f"{store}: another centre serves from this file"
        raise StoreError(f"{seen}. End that one, or name another file as `store`; PostgreSQL takes several.") from error
    return handle
