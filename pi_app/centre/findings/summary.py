"""Totals over all tables in one line, and the games of a table as a list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import msgspec

from pi_app.audit.stamps import Times
from pi_app.centre.findings.chains import chains
from pi_app.centre.findings.found import FleetFinding
from pi_app.centre.findings.tables import TableRow
from pi_app.centre.store.store import CentreStore, GameState, KeptGame, KeptRecord
from pi_app.journal.record.entry import PublicPart
from pi_app.journal.record.row_checks import read_part
from pi_app.text.language import count_entries

_STATES = ("plays", "idle", "silent", "enrolled", "revoked")


class FleetTotals(msgspec.Struct, frozen=True, kw_only=True):
    """How many tables there are, and what they do. `unseen`: enrolled, and not seen yet; `look` and `stop`: tables
    whose row has that level; `findings`: of the whole fleet, when they were looked for last; `clock`: why the centre
    does not cosign, as sentences, empty if it does."""

    tables: int
    plays: int
    idle: int
    silent: int
    unseen: int
    revoked: int
    look: int
    stop: int
    entries: int
    findings: int
    clock: str = ""

    def sentence(self) -> str:
        """Write them in one line, without `clock`."""
        doing = [
            f"{count} {words}"
            for count, words in (
                (self.plays, "play" if self.plays != 1 else "plays"),
                (self.idle, "idle"),
                (self.silent, "silent"),
                (self.unseen, "not seen yet"),
                (self.revoked, "revoked"),
            )
            if count
        ]
        tables = f"{self.tables} table{'s' * (self.tables != 1)}"
        if not self.tables:
            return "No table is enrolled. Enrol one: trapdial centre enrol NAME"
        look = f"{self.look} need{'s' * (self.look == 1)} a look"
        well = "" if self.clock else " All is well."
        level = f" {look}, {self.stop} must stop." if self.look or self.stop else well
        found = f"{self.findings} finding{'s' * (self.findings != 1)}"
        return f"{tables}: {', '.join(doing)}.{level} {count_entries(self.entries)}, {found}."


def totals(rows: Sequence[TableRow], found: Sequence[FleetFinding], clock: str = "") -> FleetTotals:
    """Count what rows say. `clock`: as in `FleetTotals`."""
    doing = [next((state for state in _STATES for word in row.words if word.startswith(state)), "") for row in rows]
    return FleetTotals(
        tables=len(rows),
        plays=doing.count("plays"),
        idle=doing.count("idle"),
        silent=doing.count("silent"),
        unseen=doing.count("enrolled"),
        revoked=doing.count("revoked"),
        look=sum(row.level == "look" for row in rows),
        stop=sum(row.level == "stop" for row in rows),
        entries=sum(row.size for row in rows),
        findings=len(found),
        clock=clock,
    )


class GameRow(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A game of a table. `began`: the date of its first entry, as recorded; `length_s`: from there to its last entry
    here; both left out for a game that was deleted."""

    table: str
    shop: str
    game: str
    state: str
    first: int
    last: int
    began: str | None = None
    length_s: float | None = None


def game_rows(store: CentreStore, table: str | None, most: int) -> Iterator[GameRow]:
    """Yield the newest games of each table, or of the table with this name, so many of each. Raises StoreError."""
    for record in records_of(store, table):
        for game in store.games(record.number)[: -most - 1 : -1]:
            yield game_row(store, record, _until(record, game))


def all_games(store: CentreStore, record: KeptRecord) -> Iterator[GameRow]:
    """Yield all games of a record, the oldest first. Raises StoreError."""
    for game in store.games(record.number):
        yield game_row(store, record, _until(record, game))


def found_games(store: CentreStore, table: str | None, game: str) -> list[tuple[KeptRecord, KeptGame]]:
    """Return every game of this name, with its record. Raises StoreError."""
    return [
        (record, _until(record, each))
        for record in records_of(store, table)
        for each in store.games(record.number, [game])
    ]


def records_of(store: CentreStore, table: str | None) -> list[KeptRecord]:
    """Return all records, or those of the table with this name, the newest of each table first."""
    every = [record for chain in chains(store.records()) for record in chain]
    return [record for record in every if table is None or record.name == table]


def _until(record: KeptRecord, game: KeptGame) -> KeptGame:
    """Return a game with its newest entry, which the store knows only once it has ended."""
    so_far = record.known.games.get(game.game)
    return game if so_far is None else replace(game, last=so_far.last)


def game_row(store: CentreStore, record: KeptRecord, game: KeptGame) -> GameRow:
    """Return a game as a line, with the dates of its entries. Raises StoreError."""
    began = length_s = None
    first, last = (_part(store, record, seq) for seq in (game.first, game.last))
    if game.state is not GameState.DELETED and first is not None and last is not None:
        times = Times(first)
        began, length_s = first.wall, round(times.at(last), 3)
    return GameRow(
        table=record.name,
        shop=record.shop,
        game=game.game,
        state=game.state.value,
        first=game.first,
        last=game.last,
        began=began,
        length_s=length_s,
    )


def _part(store: CentreStore, record: KeptRecord, seq: int) -> PublicPart | None:
    _, public, *_ = next(iter(store.rows(record.number, seq, seq)), (seq, None))
    return read_part(public) if isinstance(public, bytes) else None
