"""A table that has handed a whole record over: one game that has ended, and one that is on."""

from __future__ import annotations

from pathlib import Path

from pi_app import journal as jn
from pi_app.centre.store.sqlite import SqliteStore
from pi_app.journal import Journal
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.report.moment import NO_GAME
from tests.pi_app.centre.records import Desk, Table, a_game, entries_of
from tests.pi_app.games import started, turned


def table_of(path: Path) -> Table:
    """The record in a journal: the game g1, which has ended, and g2, which has not."""
    with Journal(path, MAGE_KNIGHT) as journal:
        a_game(journal, "g1", 4)
        moment = journal.append("g2", NO_GAME, started())
        journal.append("g2", moment, turned("T01", 2, "ANN"))
    key = jn.keys_of(path).known_device()
    assert key is not None
    return Table(key, entries_of(path))


def play_at(folder: Path, store: SqliteStore, name: str, shop: str) -> str:
    """Enrol such a table and hand its record over; return its origin."""
    table = table_of(folder / "journal.db")
    store.add_code(b"code", name, shop, 10_000)
    assert store.enrol(b"code", table.origin, 1) is not None
    assert Desk(store).takes(table.hands(1, len(table.entries))) is not None
    return table.origin
