"""An attacker has every public export of a centre, of any time and for any date, and subtracts them from each other: no
two differ by fewer than five games.

Each game of a shop lasts for another power of two, so the sum of play times names every game that is in it.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import duckdb
import pytest

from pi_app.centre.exports import STEP, export
from pi_app.centre.roles import ReaderRights
from pi_app.centre.store.sqlite import SqliteStore
from pi_app.centre.store.store import Commit
from pi_app.centre.taking.known_record import taken
from pi_app.game import events as ev
from pi_app.journal import Journal, Stamp, archive
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.report.moment import NO_GAME
from tests.pi_app.centre.records import entries_of
from tests.pi_app.cli.typed_centre import ORIGINS
from tests.pi_app.games import started

HISTORIES = int(os.environ.get("TRAPDIAL_HISTORIES", "4"))
PUBLIC = ReaderRights("public")
UNIT_S = 0.125
SHOPS = {ORIGINS[0]: "Alpha", ORIGINS[1]: "Alpha", ORIGINS[2]: "Beta"}
GAMES = 11
"""Of each table."""

DAY_NS = 86_400_000_000_000


@dataclass
class Clock:
    """Stands still but for what a test adds."""

    ns: int = 0

    def __call__(self) -> Stamp:
        wall = datetime(2026, 3, 28, 18, 0, tzinfo=UTC) + timedelta(microseconds=self.ns // 1_000)
        return Stamp("boot 1", self.ns, wall.isoformat(), "ntp")


@dataclass
class Shops:
    """Tables that play, hand over and delete, and a centre."""

    folder: Path
    draw: random.Random
    store: SqliteStore = field(init=False)
    tables: list[str] = field(init=False)
    numbers: Iterator[int] = field(default_factory=count)

    def __post_init__(self) -> None:
        self.store = SqliteStore(self.folder / "centre.db")
        self.tables = list(SHOPS)
        for origin, shop in SHOPS.items():
            self.store.add_code(origin.encode(), f"Table {origin[-4:]}", shop, 10_000)
            self.store.enrol(origin.encode(), origin, 1)
        weights = {shop: self.draw.sample(range(2 * GAMES), 2 * GAMES) for shop in set(SHOPS.values())}
        for origin, shop in SHOPS.items():
            self.write(origin, [weights[shop].pop() for _ in range(GAMES)])

    def path(self, origin: str) -> Path:
        return self.folder / f"{self.tables.index(origin)}.db"

    def write(self, origin: str, weights: list[int]) -> None:
        """Play games that last for 2 to the power of these; every tenth is left without an end."""
        clock = Clock()
        with Journal(self.path(origin), MAGE_KNIGHT, clock) as journal:
            for weight in weights:
                clock.ns += self.draw.randrange(3) * DAY_NS
                moment = journal.append(f"{weight}", NO_GAME, started())
                clock.ns += int((1 << weight) * UNIT_S * 1e9)
                if self.draw.random() > 0.1:
                    journal.append(f"{weight}", moment, ev.Ended())

    def hand_over(self, origin: str, most: int) -> None:
        """Hand over some of what the centre does not have."""
        record = self.store.record(origin)
        assert record is not None
        size = record.known.size
        entries = entries_of(self.path(origin))[size : size + most]
        found = taken(record.known, entries)
        commit = Commit(number=record.number, before=size, entries=entries, taken=found, cosigned="", at_s=1)
        assert self.store.commit([commit]) == [True]

    def delete(self, origin: str) -> None:
        """Delete any game, handed over or not, at its table."""
        with_halves = {public for public, *_ in entries_of(self.path(origin)) if public is not None}
        weight = self.draw.randrange(2 * GAMES)
        if any(f'"game":"{weight}"'.encode() in public and b'"kind":"ended"' in public for public in with_halves):
            archive.delete(self.path(origin), f"{weight}")

    def step(self) -> None:
        origin = self.draw.choice(self.tables)
        if self.draw.random() < 0.85:
            self.hand_over(origin, self.draw.randint(1, 6))
        else:
            self.delete(origin)

    def exported(self, since: str = "") -> dict[tuple[str, str], frozenset[tuple[str, int]]]:
        """Return which games are in each line of a public export, by its sums alone."""
        folder = self.folder / f"public {next(self.numbers)}"
        export(self.store, folder, PUBLIC, 1, since)
        with duckdb.connect(":memory:") as db:
            rows = db.execute(f"SELECT shop, month, games, play_s FROM '{folder}/months.parquet'").fetchall()
        lines = {}
        for shop, month, games, play_s in rows:
            bits = round(play_s / UNIT_S)
            lines[shop, month] = frozenset((shop, bit) for bit in range(2 * GAMES) if bits >> bit & 1)
            assert len(lines[shop, month]) == games
        return lines


Export = Mapping[tuple[str, str], frozenset[tuple[str, int]]]


def smallest_difference(exports: Sequence[Export]) -> int:
    """Return how many games the smallest sum has that an attacker can get, however often lines of exports are added and
    subtracted: games that are in the same lines of the same exports stay together."""
    lines = [line for export in exports for line in export.values()]
    together: dict[tuple[bool, ...], int] = {}
    for game in frozenset().union(*lines):
        key = tuple(game in line for line in lines)
        together[key] = together.get(key, 0) + 1
    return min(together.values())


@pytest.mark.parametrize("seed", range(HISTORIES))
def test_no_two_public_exports_subtract_to_fewer_than_five_games(seed: int, tmp_path: Path) -> None:
    draw = random.Random(f"shops {seed}")
    shops = Shops(tmp_path, draw)
    exports: list[Export] = []
    for _ in range(24):
        for _ in range(draw.randint(1, 3)):
            shops.step()
        day = f"2026-{draw.randint(3, 6):02}-{draw.randint(1, 30):02}"
        exports.append(shops.exported(draw.choice(("", day))))
    shops.store.close()
    assert smallest_difference(exports) >= STEP
    assert len({str(sorted(map(sorted, each.values()))) for each in exports}) > 2, "nothing could be subtracted"


def test_the_attacker_finds_a_game_that_only_one_export_has() -> None:
    five = frozenset(("Alpha", bit) for bit in range(5))
    before: Export = {("Alpha", "2026-03"): five}
    assert smallest_difference([before]) == 5
    assert smallest_difference([before, {("Alpha", "2026-03"): five | {("Alpha", 7)}}]) == 1
    assert smallest_difference([before, {("Alpha", "2026-04"): five - {("Alpha", 0), ("Alpha", 1)}}]) == 2
