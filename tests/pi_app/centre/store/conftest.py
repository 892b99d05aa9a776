"""Every store in turn: SQLite, and a PostgreSQL of the tests' own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_app.centre.store.cluster import MISSING, cluster, programs
from pi_app.centre.store.sqlite import SqliteStore
from pi_app.centre.store.store import CentreStore
from tests.pi_app.centre.opened_stores import Opens


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    if programs() is None:
        pytest.skip(MISSING)
    with cluster({"fsync": "off"}) as here:
        yield here.conninfo


@pytest.fixture(params=["sqlite", "postgres"])
def opens(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opens]:
    """Open the same store, as often as wanted."""
    opened: list[CentreStore] = []

    def open_one() -> CentreStore:
        opened.append(make())
        return opened[-1]

    def make() -> CentreStore:
        if request.param == "sqlite":
            return SqliteStore(tmp_path / "centre.db")
        from pi_app.centre.store.postgres import PostgresStore

        return PostgresStore(f"{request.getfixturevalue('postgres')} options='-c search_path={schema}'")

    schema = "public"
    if request.param == "postgres":
        import psycopg

        conninfo = request.getfixturevalue("postgres")
        schema = f"t{abs(hash(request.node.nodeid))}"
        with psycopg.connect(conninfo, autocommit=True) as db:
            db.execute(f"CREATE SCHEMA {schema}".encode())
    yield open_one
    for each in opened:
        each.close()


@pytest.fixture
def store(opens: Opens) -> CentreStore:
    return opens()
