"""Somebody with what everybody may have, or with a copy of a table's traffic, before a centre: no table looks alive
that is switched off, none looks behind that is not, and a revoked one is refused at once."""

from __future__ import annotations

import contextlib
import hashlib
import os
import random
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

import msgspec
import pytest

from pi_app.centre.enrolment import code_hash, make_challenge, time_of_challenge
from pi_app.centre.findings.tables import table_rows
from pi_app.centre.service.app import CentreApp
from pi_app.centre.service.centre import Centre
from pi_app.centre.store.sqlite import SqliteStore
from pi_app.centre.store.store import CentreStore, KeptRecord
from pi_app.journal.record.handover import HandOver, show_presence
from pi_app.journal.record.presence import CHALLENGE_HEADER, PRESENCE_S, Presence
from pi_app.journal.record.witness_protocol import AddCheckpoint
from tests.attack.enrolments import CENTRES, OTHER_CENTRE, brought, tables
from tests.pi_app.centre.records import CENTRE, STRANGER, Table
from tests.pi_app.centre.service.asking import Replied, ask, living
from tests.pi_app.centre.store.conftest import postgres
from tests.pi_app.cli.typed_centre import centre
from tests.pi_app.sender.shop import Shop

__all__ = ["postgres"]

R = TypeVar("R")

EVENINGS = int(os.environ.get("TRAPDIAL_HEARTBEATS", "6"))
NOW_S = 1_000_000


@dataclass
class Hall:
    """A centre with a clock, in which one table is enrolled."""

    store: CentreStore
    reading: CentreStore
    now_s: float = NOW_S
    said: list[str] = field(default_factory=list)
    table: Table = field(default_factory=lambda: tables()[0][0])

    def __post_init__(self) -> None:
        self.app = self.new_app()
        code = code_hash("CODE")
        self.store.add_code(code, "Table 7", "Cog", NOW_S + 60)
        assert self.store.enrol(code, self.table.origin, NOW_S) is not None

    def new_app(self) -> CentreApp:
        return CentreApp(Centre(CENTRE, self.store, self.reading, lambda: self.now_s, (), self.said.append))

    def restart(self) -> None:
        """Go on with a centre that remembers nothing, over the same store."""
        self.app = self.new_app()

    async def hands(self, handed: HandOver) -> Replied:
        return await ask(self.app, "POST", "/hand-over", [handed.written()])

    async def shows(self, handed: HandOver, challenge: str, more: int = 0) -> Replied:
        """Hand over as the table itself."""
        return await self.hands(shown(self.table, replace(handed, more=more), challenge))

    @property
    def record(self) -> KeptRecord:
        record = self.store.record(self.table.origin)
        assert record is not None
        return record

    @property
    def seen(self) -> tuple[int, int]:
        return self.record.seen_s, self.record.behind

    @property
    def words(self) -> tuple[str, ...]:
        return table_rows(self.store, int(self.now_s))[0].words

    def run(self, work: Callable[[], Awaitable[R]]) -> R:
        return living(self.app, work)


def shown(table: Table, handed: HandOver, challenge: str) -> HandOver:
    return show_presence(handed, table.key, CENTRE.verifier, challenge)


def given(replied: Replied) -> str:
    """The challenge in an answer."""
    return replied.headers[CHALLENGE_HEADER]


@pytest.fixture(params=["sqlite", "postgres"])
def hall(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Hall]:
    with contextlib.ExitStack() as stack:
        if request.param == "sqlite":
            stores: list[CentreStore] = [SqliteStore(tmp_path / "centre.db") for _ in range(2)]
        else:
            from pi_app.centre.store.postgres import PostgresStore

            place = PostgresStore(new_schema(request.getfixturevalue("postgres"), request.node.name))
            stores = [place, place]
        for each in stores:
            stack.callback(each.close)
        yield Hall(stores[0], stores[1])


def new_schema(conninfo: str, name: str) -> str:
    """The address of an empty place in a PostgreSQL database."""
    import psycopg

    schema = f"t{hashlib.sha256(name.encode()).hexdigest()[:20]}"
    with psycopg.connect(conninfo, autocommit=True) as db:
        db.execute(f"CREATE SCHEMA {schema}".encode())
    return f"{conninfo} options='-c search_path={schema}'"


def empty(table: Table, more: int = 0) -> HandOver:
    """A hand-over without entries: of a table that has handed over everything, or of anybody with its checkpoint."""
    whole = len(table.entries)
    return replace(table.hands(whole + 1, whole), more=more)


async def comes(hall: Hall, last: int | None = None, more: int = 0) -> str:
    """Let the table hand over up to an entry, and show that it is there; return the challenge for the next time."""
    last = len(hall.table.entries) if last is None else last
    challenge = given(await hall.hands(hall.table.hands(1, 1)))
    hall.now_s += 1
    replied = await hall.shows(hall.table.hands(2, last), challenge, more)
    assert (replied.status, hall.seen) == (200, (int(hall.now_s), more))
    return given(replied)


# --------------------------------------------------------------------------------------- what everybody may have


def test_a_public_checkpoint_keeps_no_switched_off_table_alive(hall: Hall) -> None:
    async def work() -> list[int]:
        await comes(hall)
        seen = hall.seen
        whole = empty(hall.table)
        bodies = [("/hand-over", empty(hall.table, more=9_999).written()), ("/hand-over", whole.written())]
        bodies.append(("/add-checkpoint", AddCheckpoint(len(hall.table.entries), (), whole.checkpoint).written()))
        statuses = []
        for path, body in bodies:
            hall.now_s += 3_600
            statuses.append((await ask(hall.app, "POST", path, [body])).status)
            assert hall.seen == seen, path
        return statuses

    assert hall.run(work) == [200, 200, 200]
    assert hall.words == ("silent since 13:46 UTC",)


def test_entries_that_somebody_else_brings_are_taken_and_show_no_table(hall: Hall) -> None:
    whole = len(hall.table.entries)

    async def work() -> list[int]:
        statuses = [(await hall.hands(replace(hall.table.hands(1, 2), more=9_999))).status]
        assert (hall.record.known.size, hall.seen) == (2, (0, 0))
        await hall.shows(empty_at(hall.table, 2), given(await hall.hands(hall.table.hands(1, 2))), whole - 2)
        seen_s, _ = hall.seen
        hall.now_s += 3_600
        statuses.append((await hall.hands(replace(hall.table.hands(3, whole - 1), more=9_999))).status)
        assert (hall.record.known.size, hall.seen) == (whole - 1, (seen_s, 1)), "one more is there, as it said itself"
        statuses.append((await hall.hands(hall.table.hands(whole, whole))).status)
        assert hall.seen == (seen_s, 0)
        return statuses

    assert hall.run(work) == [200, 200, 200]


def test_a_table_whose_entries_alone_are_here_was_not_seen(hall: Hall) -> None:
    assert hall.run(lambda: hall.hands(hall.table.hands(1, 3))).status == 200
    assert hall.words == ("enrolled, and not seen yet: its entries came on a stick, or from somebody else",)


def empty_at(table: Table, size: int) -> HandOver:
    return table.hands(size + 1, size)


def test_a_stick_shows_no_table(tmp_path: Path) -> None:
    assert centre("new", tmp_path / "centre", "--name", "centre.example/c1")[0] == 0
    settings = tmp_path / "centre" / "centre.toml"
    (tmp_path / "table").mkdir()
    shop = Shop(tmp_path / "table")
    shop.close()
    brought(shop.path, tmp_path / "stick")
    assert centre("take", tmp_path / "stick", "--enrol", "Table 4", "-s", settings)[0] == 0
    with contextlib.closing(SqliteStore(settings.with_name("centre.db"))) as store:
        assert [(each.known.size, each.seen_s) for each in store.records()] == [(8, 0)]


# -------------------------------------------------------------------------------------------- a copy of its traffic


def test_traffic_that_was_recorded_shows_no_table_again(hall: Hall) -> None:
    whole, sent = len(hall.table.entries), list[HandOver]()

    async def again() -> None:
        for each in sent:
            assert (await hall.hands(each)).status in (200, 409)

    async def work() -> None:
        challenge = await comes(hall, 3, more=whole - 3)
        for handed, more in ((hall.table.hands(4, whole), 4), (empty(hall.table), 0), (empty(hall.table), 0)):
            hall.now_s += 60
            sent.append(shown(hall.table, replace(handed, more=more), challenge))
            challenge = given(await hall.hands(sent[-1]))
            assert hall.seen == (int(hall.now_s), more)
        seen = hall.seen
        for later_s in (1, 59, 61, 240, PRESENCE_S, 86_400):
            hall.now_s += later_s
            await again()
            assert hall.seen == seen
        hall.now_s = seen[0] + 60

    hall.run(work)
    hall.restart()
    seen = hall.seen
    hall.run(again)
    assert hall.seen == seen, "also if the centre has forgotten everything"


def test_a_hand_over_that_was_held_back_shows_no_table_when_it_is_old(hall: Hall) -> None:
    whole = len(hall.table.entries)

    async def work() -> None:
        challenge = await comes(hall, 3, more=whole - 3)
        seen_s = int(hall.now_s)
        held = shown(hall.table, hall.table.hands(4, whole), challenge)
        hall.now_s += PRESENCE_S + 1
        assert (await hall.hands(held)).status == 200
        assert (hall.record.known.size, hall.seen) == (whole, (seen_s, 0))

    hall.run(work)


@pytest.mark.parametrize("after_s", [0, 300, PRESENCE_S])
def test_a_table_shows_itself_with_the_challenge_of_the_last_answer(hall: Hall, after_s: int) -> None:
    async def work() -> None:
        challenges[:] = [challenges[0] if challenges else await comes(hall)]
        hall.now_s += max(60, after_s)
        replied = await hall.shows(empty(hall.table), challenges[0])
        assert (replied.status, hall.seen) == (200, (int(hall.now_s), 0))
        challenges[:] = [given(replied)]

    challenges: list[str] = []
    hall.run(work)
    hall.restart()
    hall.run(work)


def test_what_others_sign_or_change_shows_no_table(hall: Hall) -> None:
    table, whole = hall.table, empty(hall.table, more=3)

    async def work() -> None:
        challenge = await comes(hall)
        seen = hall.seen
        hall.now_s += 61
        right = shown(table, whole, challenge)
        assert right.present is not None
        others = make_challenge(OTHER_CENTRE, int(hall.now_s))
        wrong = [
            replace(right, more=4),
            replace(right, present=shown(table, replace(empty_at(table, 3), more=3), challenge).present),
            show_presence(whole, STRANGER, CENTRE.verifier, challenge),
            *(show_presence(whole, table.key, each, challenge) for each in CENTRES),
            shown(table, whole, others),
            shown(table, whole, make_challenge(CENTRE, int(hall.now_s) - PRESENCE_S - 1)),
            shown(table, whole, challenge[:-1] + ("0" if challenge[-1] != "0" else "1")),
            replace(right, present=replace_challenge(right, make_challenge(CENTRE, int(hall.now_s)))),
            replace(right, present=replace_signature(right, whole.checkpoint.signatures[0].data[-64:])),
        ]
        for each in wrong:
            assert (await hall.hands(each)).status == 200
            assert hall.seen == seen
        assert (await hall.hands(right)).status == 200
        assert hall.seen == (int(hall.now_s), 3)

    hall.run(work)


def replace_challenge(handed: HandOver, challenge: str) -> Presence:
    assert handed.present is not None
    return msgspec.structs.replace(handed.present, challenge=challenge)


def replace_signature(handed: HandOver, signature: bytes) -> Presence:
    assert handed.present is not None
    return msgspec.structs.replace(handed.present, signature=signature.hex())


def test_a_table_that_was_seen_in_a_wrong_future_is_seen_again(hall: Hall) -> None:
    hall.now_s += 10**9
    hall.run(lambda: comes(hall))
    hall.now_s = NOW_S + 10**9 - 10**8
    hall.restart()

    async def work() -> None:
        challenge = given(await hall.hands(empty(hall.table)))
        hall.now_s += 1
        challenge = given(await hall.shows(empty(hall.table), challenge))
        await hall.shows(empty(hall.table), challenge)
        assert hall.seen == (int(hall.now_s), 0)

    hall.run(work)


# ------------------------------------------------------------------------------------------------- a revoked table


def test_a_revoked_table_is_refused_at_once_by_a_centre_that_remembers_it(hall: Hall) -> None:
    table, whole = hall.table, len(hall.table.entries)
    repeated = [table.hands(1, 3), empty_at(table, 3), table.hands(4, whole)]

    async def work() -> list[list[int]]:
        challenge = await comes(hall, 3)
        statuses = []
        for handed in (*repeated, shown(table, empty_at(table, 3), challenge)):
            hall.store.revoke(table.origin)
            statuses.append([(await hall.hands(handed)).status for _ in range(2)])
            hall.store.readmit(table.origin)
            assert (await hall.hands(table.hands(1, 3))).status == 200
        return statuses

    assert hall.run(work) == [[410, 410]] * 4
    assert hall.record.known.size == 3


# ------------------------------------------------------------------------------------------- at random, many times


@dataclass
class Evening:
    """A table that comes and goes, and somebody who reads along, holds back, repeats, mixes and changes what it sends.
    `said`: what the table signed, as the time of the challenge and what waits."""

    hall: Hall
    draw: random.Random
    size: int = 0
    challenge: str = ""
    read: list[HandOver] = field(default_factory=list)
    said: list[tuple[int, int]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def made(self) -> HandOver:
        """What the table sends next."""
        last = min(len(self.hall.table.entries), self.size + self.draw.randint(0, 1))
        handed = replace(self.hall.table.hands(self.size + 1, last), more=self.draw.choice([0, 5, 700]))
        made_s = time_of_challenge(CENTRE, self.challenge)
        if made_s is None:
            return handed
        self.said.append((made_s, handed.more))
        return shown(self.hall.table, handed, self.challenge)

    def stolen(self) -> HandOver:
        """What somebody makes of what was read."""
        one, two = self.draw.choice(self.read), self.draw.choice(self.read)
        other = self.draw.choice([self.challenge, make_challenge(CENTRE, int(self.hall.now_s))])
        return self.draw.choice(
            [
                one,
                one,
                replace(one, present=two.present),
                replace(one, more=two.more),
                replace(one, more=9_999),
                replace(one, present=None),
                replace(one, present=None if one.present is None else replace_challenge(one, other)),
                replace(empty_at(self.hall.table, self.size), present=two.present, more=two.more),
            ]
        )

    async def go(self, steps: int) -> None:
        for step in range(steps):
            self.hall.now_s += self.draw.choice([0, 1, 60, 300, PRESENCE_S + 1])
            before, is_table = self.hall.seen, self.draw.random() < 0.4 or not self.read
            handed = self.made() if is_table else self.stolen()
            if is_table:
                self.read.append(handed)
            if is_table and self.draw.random() < 0.3:
                continue  # it was held back
            replied = await self.hall.hands(handed)
            if replied.status in (200, 202, 409) and is_table:
                self.challenge = given(replied)
            self.size = self.hall.record.known.size
            self.judge(step, before, is_fresh=is_table and handed.present is not None)

    def judge(self, step: int, before: tuple[int, int], *, is_fresh: bool) -> None:
        (seen_s, behind), now_s = self.hall.seen, int(self.hall.now_s)
        if seen_s == before[0] and behind <= before[1]:
            return
        newest_s = max((made_s for made_s, _ in self.said), default=-PRESENCE_S)
        if not seen_s == now_s <= newest_s + PRESENCE_S or behind not in {more for _, more in self.said}:
            self.wrong.append(f"step {step}: seen {seen_s}, behind {behind}, at {now_s}, not {before}")
        if not is_fresh and before[0] > newest_s:
            self.wrong.append(f"step {step}: what the table had shown before was seen again")


def evening(folder: Path, number: int) -> Evening:
    """An evening before a centre with a store of its own."""
    with contextlib.closing(SqliteStore(folder / f"{number}.db")) as store:
        found = Evening(Hall(store, store), random.Random(f"heartbeats {number}"))
        found.hall.run(lambda: found.go(60))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, EVENINGS, 100))
def test_whatever_somebody_makes_of_a_tables_traffic_shows_no_table(tmp_path: Path, first: int) -> None:
    for number in range(first, min(EVENINGS, first + 100)):
        assert evening(tmp_path, number).wrong == [], number


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "broken"),
    [
        ("pi_app.centre.service.centre.is_present", lambda *_: True),
        ("pi_app.centre.service.centre.is_present", lambda handed, *_: handed.present is not None),
        ("pi_app.centre.taking.presence.PRESENCE_S", 10**7),
        ("pi_app.journal.record.presence.signed_by", lambda *_: True),
    ],
)
def test_a_broken_centre_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, broken: object) -> None:
    monkeypatch.setattr(name, broken)
    assert any(evening(tmp_path, number).wrong for number in range(6))
