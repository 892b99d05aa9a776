"""A witness as C2SP has it, without a network, for tests."""

from __future__ import annotations

from dataclasses import dataclass, field

from pi_app.journal.record.checkpoints import Checkpoint, cosign, record_key
from pi_app.journal.record.keys import device_key
from pi_app.journal.record.notes import COSIGNS, VerifierKey
from pi_app.journal.record.witness_protocol import NotCosignedError, checked, read_request
from pi_app.sender.client import CentreReply, UnreachableError
from tests.pi_app.sender.shop import Shop

WITNESS_KEY = device_key(b"w" * 32)
WITNESS = VerifierKey("witness.example/w1", COSIGNS, WITNESS_KEY.public)


@dataclass
class Witness:
    """A witness as C2SP has it: it checks each proof."""

    shop: Shop
    latest: Checkpoint | None = None
    asked: int = 0
    answer: CentreReply | None = None
    lost: bool = False
    seen: list[int] = field(default_factory=list)

    def post(self, path: str, body: bytes) -> CentreReply:
        assert path == "add-checkpoint"
        self.asked += 1
        if self.answer is not None:
            return self.answer
        asked = read_request(body)
        try:
            self.latest = checked(asked, [record_key(self.shop.key.public)], self.latest)
        except NotCosignedError as error:
            return CentreReply(error.status, f"{error.size}\n".encode() if error.size is not None else b"no")
        self.seen.append(self.latest.size)
        if self.lost:
            raise UnreachableError("The answer was lost.")
        return CentreReply(200, cosign(WITNESS_KEY, WITNESS.name, asked.note.text, 1_000).line().encode())
