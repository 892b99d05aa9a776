"""What a centre keeps of its machine's clock, the same in every store: when it was right, and who said so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Final

from pi_app.centre.store.own_log_rows import Sql

SCHEMA: Final = """
CREATE TABLE clocks (
    boot      text PRIMARY KEY,
    began_s   bigint NOT NULL,
    by_person integer NOT NULL
);
CREATE TABLE clock_doubts (
    boot  text PRIMARY KEY,
    at_s  bigint NOT NULL,
    doubt text NOT NULL
);
CREATE TABLE clock_acceptances (
    number  bigint PRIMARY KEY,
    at_s    bigint NOT NULL,
    until_s bigint NOT NULL,
    renewed bigint NOT NULL
);
"""
"""As PostgreSQL reads it."""

MOST_BOOTS: Final = 16
"""Starts of machines whose clocks are remembered: those of a few machines that share a database."""


@dataclass(frozen=True, slots=True)
class ClockAnchor:
    """The clock of a machine was right in this boot. `began_s`: when the boot began, by that clock, POSIX seconds;
    `by_person`: a person said so."""

    boot: str
    began_s: int
    by_person: bool = False


@dataclass(frozen=True, slots=True)
class ClockAcceptance:
    """A person accepted a clock at `at_s`, by that clock. `until_s`: the latest time that a cosignature named then;
    `renewed`: how many cosignatures named a time that had not come yet, and were made again."""

    at_s: int
    until_s: int
    renewed: int


@dataclass(frozen=True, slots=True)
class RenewedNote:
    """A cosigned note with another time. `origin`: of its log; `before`: the note that it replaces."""

    origin: str
    before: str
    note: str


class ClockRows:
    """Reads and writes what is known of clocks. Each call is a transaction, on disk when it returns. Raises
    StoreError."""

    def __init__(self, transaction: Callable[[], AbstractContextManager[Sql]]) -> None:
        self._transaction = transaction

    def anchor(self, boot: str) -> ClockAnchor | None:
        """Return when a machine's clock was right in this boot."""
        with self._transaction() as sql:
            rows = sql.ask("SELECT began_s, by_person FROM clocks WHERE boot = ?", (boot,))
        return ClockAnchor(boot, rows[0][0], bool(rows[0][1])) if rows else None

    def keep_anchor(self, anchor: ClockAnchor) -> None:
        """Keep that a clock is right."""
        with self._transaction() as sql:
            _keep_anchor(sql, anchor)

    def keep_doubt(self, boot: str, at_s: int, doubt: str) -> None:
        """Keep what a running centre doubts, as sentences; empty if nothing."""
        with self._transaction() as sql:
            sql.each("DELETE FROM clock_doubts WHERE boot = ?", [(boot,)])
            if doubt:
                sql.each("INSERT INTO clock_doubts VALUES (?, ?, ?)", [(boot, at_s, doubt)])

    def doubts(self) -> list[tuple[int, str]]:
        """Return what running centres doubted last, each with its time by the clock in doubt."""
        with self._transaction() as sql:
            return [(at_s, doubt) for at_s, doubt in sql.ask("SELECT at_s, doubt FROM clock_doubts ORDER BY at_s")]

    def accept(self, anchor: ClockAnchor, acceptance: ClockAcceptance, renewed: Sequence[RenewedNote]) -> None:
        """Keep that a person accepted a clock, and the cosignatures that were made again for that."""
        with self._transaction() as sql:
            _keep_anchor(sql, anchor)
            ((number,),) = sql.ask("SELECT count(*) FROM clock_acceptances")
            row = (number + 1, acceptance.at_s, acceptance.until_s, acceptance.renewed)
            sql.each("INSERT INTO clock_acceptances VALUES (?, ?, ?, ?)", [row])
            rows = [(each.note, each.origin, each.before) for each in renewed]
            sql.each("UPDATE records SET cosigned = ? WHERE origin = ? AND cosigned = ?", rows)
            sql.each("UPDATE witnessed SET note = ? WHERE origin = ? AND note = ?", rows)
            sql.each("DELETE FROM clock_doubts WHERE boot = ?", [(anchor.boot,)])

    def acceptances(self) -> list[ClockAcceptance]:
        """Return what persons accepted, the oldest first."""
        with self._transaction() as sql:
            rows = sql.ask("SELECT at_s, until_s, renewed FROM clock_acceptances ORDER BY number")
        return [ClockAcceptance(*row) for row in rows]


def _keep_anchor(sql: Sql, anchor: ClockAnchor) -> None:
    sql.each("DELETE FROM clocks WHERE boot = ?", [(anchor.boot,)])
    others = "SELECT boot FROM clocks ORDER BY began_s DESC"
    old = [(boot,) for (boot,) in sql.ask(others)[MOST_BOOTS - 1 :]]
    sql.each("DELETE FROM clocks WHERE boot = ?", old)
    sql.each("INSERT INTO clocks VALUES (?, ?, ?)", [(anchor.boot, anchor.began_s, int(anchor.by_person))])
