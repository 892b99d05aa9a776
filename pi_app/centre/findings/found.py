"""A finding about a table, as a store keeps it and as pages and commands show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal

import msgspec

from pi_app.centre.facts import ended_game as of
from pi_app.centre.findings import dials
from pi_app.centre.store.store import CentreStore

FORK: Final = "fork"
CLONE: Final = "clone"
CHANGED: Final = "changed"
SILENT: Final = "silent"
CLOCK: Final = "clock"
POWER: Final = "power"

FindingLevel = Literal["look", "stop"]


class FleetFinding(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What an auditor should look at. `kind`: one of this module, or a test of `pi_app.centre.findings.dials`; `words`:
    whole sentences; `square`: of a dial; `p`: probability that a fair fleet gives this or any other finding about its
    dials, at most; `at_s`: when it was seen, POSIX seconds."""

    kind: str
    table: str
    shop: str
    origin: str
    level: FindingLevel
    words: str
    square: str = ""
    p: float | None = None
    at_s: int | None = None


def kept_findings(store: CentreStore) -> list[FleetFinding]:
    """Return what was found last, without looking again. Raises StoreError."""
    return read_findings(store.findings())


def written_findings(found: Sequence[FleetFinding]) -> bytes:
    """Write findings as a store keeps them."""
    return _encoder.encode(found)


def read_findings(data: bytes) -> list[FleetFinding]:
    """Read them again; none if another version of the program wrote them."""
    try:
        return _decoder.decode(data) if data else []
    except (msgspec.MsgspecError, RecursionError):
        return []


SHORT: Final[Mapping[str, str]] = {
    dials.STOPS: "stops unevenly",
    of.BETWEEN: "worn",
    of.DIRECTION: "turned clockwise",
    of.DIE_COUNT: "not turned by the die",
    of.START: "not at the start mark",
    of.DRIFT_LEFT: "slipped",
    of.DRIFT_RIGHT: "slipped",
    of.MAGNET: "bad magnet",
    of.UNREAD: "hard to read",
}
"""What a table's row says, before the names of its dials."""

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(list[FleetFinding])
