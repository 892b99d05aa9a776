"""Closes each store in a file that a test has opened: Python from 3.13 on warns of a connection that was not closed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from pi_app.centre.store.sqlite import SqliteStore


@pytest.fixture(autouse=True)
def stores_are_closed() -> Iterator[None]:
    """Close them after the test; those of wider fixtures stay open."""
    opened: list[SqliteStore] = []
    began = SqliteStore.__init__

    def begin(store: SqliteStore, *arguments: Any, **named: Any) -> None:
        began(store, *arguments, **named)
        opened.append(store)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SqliteStore, "__init__", begin)
        yield
    for each in opened:
        each.close()
