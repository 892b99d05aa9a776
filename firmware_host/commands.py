"""What a session sends and counts: commands that need an answer, the answers to queries, and the traffic of a port."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from firmware_host.hub import wire
from firmware_host.link_events import HubReport, LinkNotice

ANSWERS: Final = {wire.DIAGNOSIS: wire.DIAG, wire.COUNTS: wire.STATS}
BODIES: Final = {wire.DIAGNOSIS: wire.DIAGNOSIS_BODY, wire.COUNTS: wire.COUNTS_BODY}
"""Of answers to queries."""


@dataclass(frozen=True, slots=True)
class HubReply:
    """The answer to a query of `ask`; `body` None: no answer after three tries."""

    kind: int
    body: bytes | None


@dataclass(slots=True)
class LinkCounters:
    """Traffic since the port was opened."""

    reports: int = 0
    messages: int = 0
    lost: int = 0
    """Missing messages, by their numbers."""
    strange: int = 0
    """Intact messages that are invalid in this state."""
    refused: int = 0
    """Lines that the key did not confirm."""


@dataclass(slots=True)
class Command:
    """A sent message that needs an answer."""

    kind: int
    body: bytes
    asked: bool = False
    """Sent by `ask`, not by the session itself."""
    tries: int = 0
    due_ns: int = 0
    sent_ns: int = 0
    seqs: set[int] = field(default_factory=set)


LinkEvent = HubReport | LinkNotice | HubReply | str
"""`str`: a line of console text."""
