"""A centre with pages for tests: many tables in some shops, readers of every role, and a served one for browsers."""

from __future__ import annotations

import asyncio
import contextlib
import random
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import uvicorn

from pi_app.centre.findings.found import FleetFinding
from pi_app.centre.findings.tables import RowLevel, TableRow
from pi_app.centre.pages.kept_rows import FleetNow
from pi_app.centre.pages.site import CentrePages, PageSources
from pi_app.centre.roles import token_hash
from pi_app.centre.service.app import CentreApp
from pi_app.centre.service.centre import Centre
from pi_app.centre.settings import ReaderSettings
from pi_app.centre.store.sqlite import SqliteStore
from pi_app.journal.record.checkpoints import origin_of
from tests.pi_app.centre.records import CENTRE
from tests.pi_app.centre.service.asking import Replied, ask, living

NOW_S = 1_795_470_000
"""A minute of November 2026."""

AUDITOR, LYON, OSLO, GUEST = "AUDIT-AAAAA", "LYONS-BBBBB", "OSLOS-CCCCC", "GUEST-DDDDD"
READERS = (
    ReaderSettings(name="Ann", role="auditor", token_sha256=token_hash(AUDITOR)),
    ReaderSettings(name="Lyon's owner", role="shop", shop="Lyon", token_sha256=token_hash(LYON)),
    ReaderSettings(name="Oslo's owner", role="shop", shop="Oslo", token_sha256=token_hash(OSLO)),
    ReaderSettings(name="Guest", role="public", token_sha256=token_hash(GUEST)),
)


def a_row(
    name: str,
    words: tuple[str, ...] = ("idle",),
    level: RowLevel = "well",
    *,
    shop: str = "Lyon",
    origin: str = "trapdial.invalid/record/0",
    size: int = 100,
    seen_s: int = NOW_S - 20,
) -> TableRow:
    """A row that no store has made."""
    return TableRow(name=name, shop=shop, origin=origin, words=words, level=level, size=size, seen_s=seen_s)


SHOPS = (
    "Lyon", "Oslo", "Leipzig, Hall 1", "Leipzig, Hall 2", "Utrecht", "Essen", "Barcelona", "Milano", "Graz", "Basel",
    "Gent", "Aarhus",
)  # fmt: skip
TROUBLES: tuple[tuple[RowLevel, tuple[str, ...]], ...] = (
    ("stop", ("forked: its record has two histories, seen 19:02 UTC", "plays")),
    ("stop", ("cloned: another table continues the same older record", "silent since 18:40 UTC")),
    ("look", ("silent since 20:58 UTC", "behind by 312 entries")),
    ("look", ("power was low for 41 minutes today", "plays")),
    ("look", ("worn dial T03", "idle")),
    ("look", ("its clock is not set", "plays")),
    ("look", ("enrolled, and not seen yet",)),
)


def many_rows(count: int = 500) -> list[TableRow]:
    """So many tables in twelve shops: most play or are idle, some need a look, a few a person."""
    chance = random.Random(21)
    rows = []
    for number in range(count):
        level: RowLevel = "well"
        words: tuple[str, ...] = ("plays",) if chance.random() < 0.7 else ("idle",)
        seen_s = NOW_S - chance.randrange(2, 290)
        if number % 53 == 7:
            level, words = TROUBLES[number // 53 % len(TROUBLES)]
            seen_s = 0 if "not seen" in words[0] else NOW_S - 4_000 * (1 + number % 7)
        rows.append(
            a_row(
                f"Table {number + 1}",
                words,
                level,
                shop=SHOPS[number * len(SHOPS) // count],
                origin=origin_of(number.to_bytes(32, "big")),
                size=chance.randrange(90, 60_000),
                seen_s=seen_s,
            )
        )
    return rows


@dataclass
class PageHall:
    """A centre whose rows are given. `now_s`: its clock."""

    store: SqliteStore
    rows: list[TableRow]
    findings: list[FleetFinding] = field(default_factory=list)
    now_s: float = NOW_S
    readers: list[ReaderSettings] = field(default_factory=lambda: list(READERS))
    reads: int = 0
    log_troubles: list[str] = field(default_factory=list)
    clock_words: str = ""

    def __post_init__(self) -> None:
        self.centre = Centre(CENTRE, self.store, self.store, lambda: self.now_s)
        self.site = CentrePages(
            PageSources(
                key=CENTRE,
                store=self.store,
                fleet=self._read,
                readers=lambda: self.readers,
                counts=self.centre.counts,
                bundles=self.centre.bundles,
                clock=lambda: self.now_s,
                own_log=lambda: self.log_troubles,
                clock_words=lambda: self.clock_words,
            )
        )
        self.app = CentreApp(self.centre, self.site)

    def refuses(self) -> None:
        """Raise what a store raises that is away; a test puts that here."""

    def _read(self, now_s: float) -> FleetNow:
        self.refuses()
        self.reads += 1
        return FleetNow(list(self.rows), list(self.findings))

    def get(self, path: str, token: str = "", *, method: str = "GET", **headers: str) -> Replied:
        """Ask for an address, as a program with this token."""
        return self.all_of([(method, path, token, headers)])[0]

    def all_of(self, asked: Sequence[tuple[str, str, str, dict[str, str]]]) -> list[Replied]:
        """Ask one after the other: method, path with its query, token, headers."""

        async def work() -> list[Replied]:
            return [await self.one(*each) for each in asked]

        return living(self.app, work)

    async def one(
        self, method: str, path: str, token: str = "", headers: dict[str, str] | None = None, body: bytes = b""
    ) -> Replied:
        """Ask once, inside a running loop."""
        path, _, query = path.partition("?")
        sent = {name.replace("_", "-"): value for name, value in (headers or {}).items()}
        if token:
            sent["authorization"] = f"Bearer {token}"
        return await ask(self.app, method, path, [body], headers=sent, more={"query_string": query.encode()})


@contextlib.contextmanager
def page_hall(folder: Path, rows: Sequence[TableRow] = ()) -> Iterator[PageHall]:
    store = SqliteStore(folder / "centre.db")
    try:
        yield PageHall(store, list(rows))
    finally:
        store.close()


@contextlib.contextmanager
def served(hall: PageHall) -> Iterator[str]:
    """The address of a centre that runs in a thread."""
    config = uvicorn.Config(hall.app, host="127.0.0.1", port=0, log_level="error", lifespan="on", ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve()))
    thread.start()
    try:
        while not server.started:
            thread.join(0.01)
            assert thread.is_alive(), "the server has not started"
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(20)
