"""PostgreSQL's side of an attack: a stranger's session holds a lock, somebody has set a time limit, a disk is full,
connections are cut. The centre answers in words, goes on by itself, and loses nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
import pytest

from pi_app import journal as jn
from pi_app.centre.enrolment import code_hash
from pi_app.centre.service.app import CentreApp
from pi_app.centre.service.centre import Centre
from pi_app.centre.service.process import LogLines
from pi_app.centre.store import postgres, postgres_limits
from pi_app.centre.store.cluster import MISSING, Cluster, cluster, programs
from pi_app.centre.store.postgres import PostgresStore
from pi_app.centre.store.postgres_limits import explain
from pi_app.centre.store.store import StoreAwayError
from pi_app.journal import Journal
from pi_app.play.mage_knight import MAGE_KNIGHT
from tests.pi_app.centre.records import CENTRE, Table, a_game, entries_of
from tests.pi_app.centre.service.asking import Replied, ask, living

pytestmark = pytest.mark.slow

PATIENCE_S = 60.0
"""Longer than any answer may take here; without the limits it would take for ever."""

AWAY = b"The centre's database does not answer.\n"
LOCK = "Another session holds a lock in the database"


@pytest.fixture(scope="module")
def here() -> Iterator[Cluster]:
    if programs() is None:
        pytest.skip(MISSING)
    with cluster({"fsync": "off"}) as made:
        yield made


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    path = tmp_path_factory.mktemp("record") / "journal.db"
    with Journal(path, MAGE_KNIGHT) as journal:
        a_game(journal, "g1", 3)
        a_game(journal, "g2", 3)
    key = jn.keys_of(path).known_device()
    assert key is not None
    return Table(key, entries_of(path))


@dataclass
class Attacked:
    """A centre over a database of its own, and the stranger's address of it."""

    conninfo: str
    table: Table
    stores: list[PostgresStore] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    now_s: float = 1_000.0

    def __post_init__(self) -> None:
        self.stores = [PostgresStore(self.conninfo) for _ in range(2)]
        self.stores[0].add_code(code_hash("code"), "Table 1", "", 10_000)
        assert self.stores[0].enrol(code_hash("code"), self.table.origin, 1) is not None
        centre = Centre(CENTRE, self.stores[0], self.stores[1], lambda: self.now_s, says=LogLines(self.said.append))
        self.app = CentreApp(centre)

    def under(self, attack: Callable[[], Awaitable[None]]) -> None:
        """Run the centre, let it take the first entries, attack it, and see that it goes on."""

        async def work() -> None:
            assert (await self.hands(1, 4)).status == 200
            await attack()
            await self.goes_on()

        living(self.app, work)

    async def hands(self, first: int, last: int) -> Replied:
        """Hand entries over, as a sender does. Fails where no answer comes."""
        body = self.table.hands(first, last).written()
        return await asyncio.wait_for(ask(self.app, "POST", "/hand-over", [body]), PATIENCE_S)

    async def is_refused(self, why: str) -> None:
        """Whether the centre says so in words, to the table without an address, and to whoever runs it with a cause."""
        replied = await self.hands(5, 8)
        assert (replied.status, replied.body, replied.headers["retry-after"]) == (503, AWAY, "5")
        assert why in self.said[-1]

    async def goes_on(self) -> None:
        """Whether everything that the table has is at the centre, once, as soon as the stranger is gone. Each of the
        centre's connections may have to be opened again."""
        for first, last in ((5, 8), (9, len(self.table.entries))):
            assert 200 in [(await self.hands(first, last)).status for _ in self.stores]
        record = self.stores[1].record(self.table.origin)
        assert record is not None
        assert record.known.size == len(self.table.entries)
        assert [row[3] for row in self.stores[1].rows(record.number)] == [leaf for *_, leaf in self.table.entries]
        assert {game.state.value for game in self.stores[1].games(record.number)} == {"ended"}

    @contextlib.contextmanager
    def stranger(self) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
        with psycopg.connect(self.conninfo, autocommit=True) as db:
            yield db


@pytest.fixture
def attacked(
    here: Cluster, table: Table, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Attacked]:
    monkeypatch.setattr(postgres_limits, "LOCK_MS", 200)
    monkeypatch.setattr(postgres_limits, "STATEMENT_MS", 2_000)
    name = f"attacked_{abs(hash(request.node.nodeid))}"
    with psycopg.connect(here.conninfo, autocommit=True) as db:
        db.execute(f"CREATE DATABASE {name}".encode())
    made = Attacked(here.conninfo.replace("dbname=postgres", f"dbname={name}"), table)
    yield made
    for store in made.stores:
        store.close()


LOCKS = {
    "all of the records": "LOCK TABLE records IN ACCESS EXCLUSIVE MODE",
    "the records' changes": "LOCK TABLE records IN EXCLUSIVE MODE",
    "one record": "SELECT 1 FROM records FOR UPDATE",
    "the entries": "LOCK TABLE entries IN ACCESS EXCLUSIVE MODE",
    "the games": "LOCK TABLE games IN ACCESS EXCLUSIVE MODE",
}


@pytest.mark.parametrize("locked", LOCKS)
def test_a_lock_of_a_strangers_session_is_said_and_costs_nothing_but_time(locked: str, attacked: Attacked) -> None:
    async def attack() -> None:
        with attacked.stranger() as stranger, stranger.transaction():
            stranger.execute(LOCKS[locked].encode())
            await attacked.is_refused(LOCK)

    attacked.under(attack)


def test_who_opens_the_store_under_such_a_lock_is_told_so_and_may_try_again(attacked: Attacked) -> None:
    with attacked.stranger() as stranger, stranger.transaction():
        stranger.execute("LOCK TABLE version IN ACCESS EXCLUSIVE MODE")
        with pytest.raises(StoreAwayError, match=LOCK):
            PostgresStore(attacked.conninfo)
    PostgresStore(attacked.conninfo).close()


def test_a_crowd_under_a_lock_waits_for_one_time_and_not_for_one_each(
    attacked: Attacked, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every request to the one connection waits its turn, so forty waits would be forty times as long."""
    waits: list[str | None] = []

    def explain_and_count(state: str | None, why: str) -> str:
        waits.append(state)
        return explain(state, why)

    monkeypatch.setattr(postgres, "explain", explain_and_count)

    async def attack() -> None:
        with attacked.stranger() as stranger, stranger.transaction():
            stranger.execute("LOCK TABLE records IN ACCESS EXCLUSIVE MODE")
            asks = (ask(attacked.app, "GET", f"/{n:064x}/checkpoint") for n in range(40))
            answers = await asyncio.wait_for(asyncio.gather(*asks), PATIENCE_S)
        assert {(each.status, each.body) for each in answers} == {(503, AWAY)}
        assert 1 <= len(waits) < 40
        assert len(attacked.said) <= 2, "one line for each request would fill the log"

    attacked.under(attack)


@pytest.mark.parametrize("whose", ["a stranger's", "its own"])
def test_a_statement_that_takes_too_long_is_given_up_and_said(whose: str, attacked: Attacked) -> None:
    """A time limit that somebody set for the user, and the centre's own, for a disk or a trigger that stands still."""
    if whose == "a stranger's":
        with attacked.stranger() as stranger:
            stranger.execute("ALTER ROLE postgres SET statement_timeout = '150ms'")
        for store in attacked.stores:
            store.close()

    async def attack() -> None:
        with attacked.stranger() as stranger:
            stranger.execute("SET statement_timeout = 0")
            stranger.execute(
                "CREATE FUNCTION stands() RETURNS trigger LANGUAGE plpgsql AS "
                "$$ BEGIN PERFORM pg_sleep(600); RETURN NEW; END $$"
            )
            stranger.execute("CREATE TRIGGER stands BEFORE INSERT ON entries FOR EACH ROW EXECUTE FUNCTION stands()")
            try:
                await attacked.is_refused("The database took too long for a statement")
            finally:
                stranger.execute("ALTER ROLE postgres RESET statement_timeout")
                stranger.execute("DROP TRIGGER stands ON entries")

    attacked.under(attack)


def test_connections_that_a_stranger_cuts_are_opened_again(attacked: Attacked) -> None:
    async def attack() -> None:
        with attacked.stranger() as stranger:
            cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = "
            stranger.execute(f"{cut} current_database()".encode())
        await attacked.is_refused("The database cannot be used")

    attacked.under(attack)


@contextlib.contextmanager
def small_disk(folder: Path, owner: Path) -> Iterator[Path]:
    """A disk of eight megabytes for PostgreSQL's user; skips where none can be mounted."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=8m,mode=0700", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("Only root can mount a small disk.")
    try:
        about = owner.stat()
        os.chown(folder, about.st_uid, about.st_gid)
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_tablespace_that_is_full_is_said_and_nothing_is_lost(attacked: Attacked, here: Cluster) -> None:
    async def attack() -> None:
        fill(stranger)
        await attacked.is_refused("The disk of the database is full")
        stranger.execute("DROP TABLE filler")

    with small_disk(here.folder / "small", here.folder) as disk, attacked.stranger() as stranger:
        stranger.execute(f"CREATE TABLESPACE small LOCATION '{disk}'".encode())
        stranger.execute("ALTER TABLE entries SET TABLESPACE small")
        attacked.under(attack)
        for words in ("ALTER TABLE entries SET TABLESPACE pg_default", "DROP TABLESPACE small"):
            stranger.execute(words.encode())


def fill(stranger: psycopg.Connection[tuple[object, ...]]) -> None:
    """Use up the disk, and then the room that the pages of the centre's table still have."""
    stranger.execute("CREATE TABLE filler (what text) TABLESPACE small")
    stranger.execute("ALTER TABLE filler ALTER COLUMN what SET STORAGE EXTERNAL")
    for size in (1_000_000, 8_000, 1_000, 10):
        with contextlib.suppress(psycopg.errors.DiskFull):
            while True:
                stranger.execute("INSERT INTO filler SELECT repeat('x', %s)", (size,))
    with contextlib.suppress(psycopg.errors.DiskFull):
        for seq in range(10_000):
            stranger.execute("INSERT INTO entries VALUES (999999, %s, %s, NULL, '')", (seq, os.urandom(700)))
