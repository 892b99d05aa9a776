"""Records of tables, and a centre that takes them without a network, for tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest

from pi_app import journal as jn
from pi_app.centre.store.sqlite import SqliteStore
from pi_app.centre.store.store import CentreStore, KeptRecord
from pi_app.centre.taking.decision import CentreKey, HandoverRefusedError, LookUps, ToCommit, decide
from pi_app.centre.taking.newcomer import follow
from pi_app.game import events as ev
from pi_app.journal import Journal
from pi_app.journal.record.checkpoints import cosigned_at, origin_of, signed_checkpoint
from pi_app.journal.record.handover import HandedEntry, HandOver, read_handover
from pi_app.journal.record.keys import DeviceKey, device_key
from pi_app.journal.record.merkle import root_of
from pi_app.journal.record.notes import SignedNote, read_signatures
from pi_app.journal.record.witness_protocol import SIZE_TYPE
from pi_app.report.moment import NO_GAME
from pi_app.sender.client import CentreReply
from tests.pi_app.games import started, turned

CENTRE = CentreKey("centre.example/c1", device_key(b"c" * 32))
STRANGER = device_key(b"s" * 32)


def a_game(journal: Journal[Any, Any], game: str, turns: int) -> None:
    moment = journal.append(game, NO_GAME, started())
    for clicks in range(turns):
        moment = journal.append(game, moment, turned("T01", 1 + clicks % 3, "ANN"))
    journal.append(game, moment, ev.Ended())


def entries_of(path: Path) -> list[HandedEntry]:
    with jn.raw(path) as rows:
        return [(public, sealed, leaf) for _, public, sealed, leaf, _ in rows.rows()]  # type: ignore[misc]


@dataclass(frozen=True)
class Table:
    """A table's record: its entries and its key."""

    key: DeviceKey
    entries: list[HandedEntry]

    @property
    def origin(self) -> str:
        return origin_of(self.key.public)

    def hands(self, first: int, last: int, since: str = "", entries: Sequence[HandedEntry] | None = None) -> HandOver:
        mine = list(self.entries if entries is None else entries)
        note = signed_checkpoint(self.key, last, root_of([leaf for *_, leaf in mine[:last]]))
        return HandOver(self.origin, first, tuple(mine[first - 1 : last]), note, since)


@dataclass
class Desk:
    """A centre over a store, one hand-over at a time."""

    store: CentreStore
    now_s: int = 1_000
    lines: list[SignedNote] = field(default_factory=list)

    def record(self, origin: str) -> KeptRecord:
        found = self.store.record(origin)
        assert found is not None
        return found

    def decides(self, handed: HandOver) -> ToCommit:
        """Decide about a record that is enrolled, or that continues one."""
        record = self.store.record(handed.origin) or follow(handed, self.store)
        assert record is not None
        return decide(handed, record, CENTRE, LookUps.of(self.store, record.number), self.now_s)

    def takes(self, handed: HandOver) -> SignedNote | None:
        """Take a hand-over; return the cosigned note."""
        found = self.decides(handed)
        if found.commit is not None:
            assert self.store.commit([found.commit]) == [True]
        if not found.cosignature:
            return None
        lines = read_signatures(found.cosignature)
        note = SignedNote(handed.checkpoint.text, (*handed.checkpoint.signatures, *lines))
        assert cosigned_at(note, CENTRE.verifier) is not None
        return note

    def refuses(self, handed: HandOver) -> HandoverRefusedError:
        before = [(each, list(self.store.rows(each.number))) for each in self.store.records()]
        with pytest.raises(HandoverRefusedError) as raised:
            self.decides(handed)
        assert [(each, list(self.store.rows(each.number))) for each in self.store.records()] == before
        return raised.value


@dataclass
class DeskClient:
    """A centre without HTTP. `spoils` may change or swallow each answer."""

    desk: Desk
    spoils: Callable[[CentreReply], CentreReply] = lambda reply: reply
    asked: int = 0

    def post(self, path: str, body: bytes) -> CentreReply:
        assert path == "hand-over"
        self.asked += 1
        return self.spoils(self._answer(body))

    def _answer(self, body: bytes) -> CentreReply:
        handed = read_handover(body)
        if self.desk.store.record(handed.origin) is None:
            return CentreReply(404, b"")
        try:
            note = self.desk.takes(handed)
        except HandoverRefusedError as refused:
            if refused.size is None:
                return CentreReply(refused.status, refused.why.encode(), retry_s=refused.retry_s)
            return CentreReply(refused.status, f"{refused.size}\n".encode(), SIZE_TYPE)
        if note is None:
            return CentreReply(HTTPStatus.ACCEPTED, f"{handed.last}\n".encode(), SIZE_TYPE)
        return CentreReply(200, note.signatures[-1].line().encode())


def new_store(path: Path, origin: str) -> SqliteStore:
    """A store in which the record with this origin is enrolled."""
    store = SqliteStore(path)
    store.add_code(b"code", "Table 1", "", 10_000)
    store.enrol(b"code", origin, 1)
    return store
