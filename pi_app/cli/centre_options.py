"""What the commands of a centre share: the option that names its settings, and its open store."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pi_app.cli.options import settings_named

if TYPE_CHECKING:
    from pi_app.centre.settings import CentreSettings
    from pi_app.centre.store.store import CentreStore

centre_settings_option = settings_named("The centre's settings.", Path("centre.toml"))

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, one object a line.")


@contextlib.contextmanager
def refusing_in_words() -> Iterator[None]:
    """Turn a StoreError into a UserFileError, which the command line prints."""
    from pi_app.centre.store.store import StoreError
    from pi_app.text.errors import UserFileError

    try:
        yield
    except StoreError as error:
        raise UserFileError([str(error)]) from error


@contextlib.contextmanager
def opened_store(settings_file: Path) -> Iterator[tuple[CentreSettings, CentreStore]]:
    """Open the store of a centre, also while the centre runs. Raises UserFileError."""
    from pi_app.centre.settings import load
    from pi_app.centre.store.opening import open_store

    settings = load(settings_file)
    with refusing_in_words(), contextlib.closing(open_store(settings)) as store:
        yield settings, store
