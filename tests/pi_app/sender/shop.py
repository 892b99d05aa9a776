"""A table with its journal, and a centre that it hands over to, for tests."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path

from pi_app import journal as jn
from pi_app.centre.store.sqlite import SqliteStore
from pi_app.journal import Journal
from pi_app.journal.record.checkpoints import origin_of
from pi_app.journal.record.keys import DeviceKey
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.sender.outbox import Outbox
from pi_app.sender.pace import SendingPace
from pi_app.sender.sender import IDLE_S, RecordSender
from tests.pi_app.centre.records import CENTRE, Desk, DeskClient, a_game, new_store


@dataclass
class Shop:
    """A table with its journal, and a centre."""

    folder: Path
    path: Path = field(init=False)
    key: DeviceKey = field(init=False)
    client: DeskClient = field(init=False)

    def __post_init__(self) -> None:
        self.path = self.folder / "journal.db"
        self.play("g1")
        key = jn.keys_of(self.path).known_device()
        assert key is not None
        self.key = key
        self.client = DeskClient(Desk(self.new_store("centre.db")))

    def new_store(self, name: str) -> SqliteStore:
        return new_store(self.folder / name, origin_of(self.key.public))

    def play(self, *games: str) -> None:
        with Journal(self.path, MAGE_KNIGHT) as journal:
            for game in games:
                a_game(journal, game, 6)

    def sender(self, seed: int = 1) -> RecordSender:
        return RecordSender(Outbox(self.path, self.key), self.client, CENTRE.verifier, SendingPace(random.Random(seed)))

    @property
    def here(self) -> int:
        """How many entries the centre has."""
        return self.client.desk.record(origin_of(self.key.public)).known.size

    def close(self) -> None:
        self.client.desk.store.close()


def until_idle(sender: RecordSender, most: int = 200) -> int:
    for _ in range(most):
        step = sender.step()
        assert step.trouble is None
        if step.pause_s == IDLE_S:
            return step.size
    raise AssertionError("it never has nothing to do")
