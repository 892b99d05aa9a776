"""A table with a real journal and the real sender, over a real connection."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path

from pi_app import journal as jn
from pi_app.journal import Journal
from pi_app.journal.cosigned import cosigned
from pi_app.journal.record.checkpoints import cosigned_at, origin_of, read_checkpoint
from pi_app.journal.record.keys import DeviceKey
from pi_app.journal.record.notes import SignedNote, VerifierKey
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.sender.client import CentreClient
from pi_app.sender.outbox import Outbox
from pi_app.sender.pace import SendingPace
from pi_app.sender.sender import IDLE_S, RecordSender, SenderStep
from pi_app.workshop.bench.centre.checker import TableTruth
from tests.pi_app.centre.records import a_game, entries_of


@dataclass
class RealTable:
    """A journal in a folder, which has one game when it is made."""

    folder: Path
    number: int = 1
    key: DeviceKey = field(init=False)
    games: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.play(1)
        key = jn.keys_of(self.path).known_device()
        assert key is not None
        self.key = key

    @property
    def path(self) -> Path:
        return self.folder / "journal.db"

    @property
    def origin(self) -> str:
        return origin_of(self.key.public)

    def play(self, games: int, turns: int = 6) -> None:
        """Play so many games to their end."""
        with Journal(self.path, MAGE_KNIGHT) as journal:
            for _ in range(games):
                self.games += 1
                a_game(journal, f"g{self.games}", turns)

    def sender(self, client: CentreClient, centre: VerifierKey) -> RecordSender:
        return RecordSender(Outbox(self.path, self.key), client, centre, SendingPace(random.Random(self.number)))

    def newest(self, centre: VerifierKey) -> SignedNote | None:
        """The newest note that the centre has cosigned, as it lies beside the journal."""
        found = [note for note in cosigned(self.path) if cosigned_at(note, centre) is not None]
        return max(found, key=lambda note: read_checkpoint(note.text).size, default=None)

    def truth(self, centre: VerifierKey) -> TableTruth:
        """What a checker compares with."""
        return TableTruth(b"".join(leaf for *_, leaf in entries_of(self.path)), self.newest(centre))


def hands_over(sender: RecordSender, most: int = 400) -> list[SenderStep]:
    """Take steps without their pauses until there is nothing more to hand over, or until something is refused."""
    steps: list[SenderStep] = []
    for _ in range(most):
        steps.append(sender.step())
        if steps[-1].pause_s == IDLE_S or steps[-1].trouble is not None:
            return steps
    raise AssertionError("a sender never has nothing to do")
