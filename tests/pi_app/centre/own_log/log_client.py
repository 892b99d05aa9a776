"""Reads a log without a network, and may change what comes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from pi_app.centre.own_log.own_log import OwnLog
from pi_app.centre.own_log.serving import reply_to
from pi_app.sender.client import CentreReply, UnreachableError


@dataclass
class DirectClient:
    """`changes`: by path, what is done to the bytes. `asked`: every path."""

    log: OwnLog
    changes: dict[str, Callable[[bytes], bytes]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def get(self, path: str, most: int = 65_536) -> CentreReply:
        self.asked.append(path)
        found = reply_to(self.log, path)
        if found is None:
            return CentreReply(404, b"The centre's own log does not have this.\n")
        change = self.changes.get(path)
        body = found.body if change is None else change(found.body)
        if len(body) > most:
            raise UnreachableError("It is too long.")
        return CentreReply(200, body)
