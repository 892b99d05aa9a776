"""A witness that is not ours to run: it keeps to the protocol, forgets, is away, or rejects."""

from __future__ import annotations

from dataclasses import dataclass, field

from pi_app.journal.record.checkpoints import Checkpoint, cosign
from pi_app.journal.record.keys import DeviceKey, device_key
from pi_app.journal.record.notes import COSIGNS, VerifierKey
from pi_app.journal.record.witness_protocol import SIZE_TYPE, AddCheckpoint, NotCosignedError, checked, read_request
from pi_app.sender.client import CentreReply, UnreachableError


@dataclass
class PublicWitness:
    """`trusted`: keys of logs that it knows. `says`: its next answers, in place of what the protocol asks for; an
    exception is raised. `asked`: every request that reached it. `loses`: so many answers get lost."""

    name: str = "witness.example/w1"
    trusted: list[VerifierKey] = field(default_factory=list)
    latest: dict[str, Checkpoint] = field(default_factory=dict)
    says: list[CentreReply | UnreachableError] = field(default_factory=list)
    asked: list[AddCheckpoint] = field(default_factory=list)
    time_s: int = 2_000
    takes_empty: bool = True
    loses: int = 0

    @property
    def key(self) -> VerifierKey:
        return VerifierKey(self.name, COSIGNS, self._own.public)

    @property
    def _own(self) -> DeviceKey:
        return device_key(self.name.encode().ljust(32, b"w"))

    def post(self, path: str, body: bytes) -> CentreReply:
        assert path == "add-checkpoint"
        asked = read_request(body)
        self.asked.append(asked)
        if self.says:
            said = self.says.pop(0)
            if isinstance(said, UnreachableError):
                raise said
            return said
        keys = [key for key in self.trusted if asked.note.text.startswith(f"{key.name}\n")]
        try:
            new = checked(asked, keys, self.latest.get(keys[0].name) if keys else None)
        except NotCosignedError as refused:
            if refused.size is not None:
                return CentreReply(refused.status, f"{refused.size}\n".encode(), SIZE_TYPE)
            return CentreReply(refused.status, refused.why.encode())
        if not new.size and not self.takes_empty:
            return CentreReply(400, b"an empty log")
        self.latest[new.origin] = new
        if self.loses:
            self.loses -= 1
            raise UnreachableError("The answer was lost.")
        return CentreReply(200, cosign(self._own, self.name, asked.note.text, self.time_s).line().encode())
