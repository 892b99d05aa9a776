"""What comes over a hub's wire, as values. Times are monotonic nanoseconds of the table's clock."""

from __future__ import annotations

import enum
from dataclasses import dataclass

import msgspec


class LinkState(enum.Enum):
    """How a hub's link stands; only RUNNING gives angles."""

    NO_PORT = "not plugged in"
    NO_PERMISSION = "may not be opened"
    BUSY = "in use by another program"
    GREETING = "greeting"
    NOT_A_HUB = "does not answer as a hub"
    WRONG_BOARD = "another board"
    INCOMPATIBLE = "firmware of another protocol"
    RUNNING = "running"
    STALE = "silent"


@dataclass(frozen=True, slots=True)
class Welcome:
    """What a hub says of itself. `uid`: the board's own number, 16 hex digits; `boot`: another one after each start."""

    uid: str
    protocol: int
    agreed: bool
    dials: int
    firmware: tuple[int, int, int]
    reset_cause: int
    boot: int


class Sweep(msgspec.Struct, frozen=True, gc=False):
    """One look at each dial of a hub. `looks` are as they came: see `hub.wire` for what their bits say."""

    at_ns: int
    took_ns: int
    looks: tuple[int, ...]


class HubReport(msgspec.Struct, frozen=True, gc=False):
    """The sweeps of one report, oldest first, each dial's later than those of the report before.

    `unknown`: dials whose path to the first of these looks nobody knows: they leapt in looks that did not arrive.
    """

    sweeps: tuple[Sweep, ...]
    unknown: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class LinkNews:
    """How a link stands now. `words` is the four-part message for the referee, empty while it runs."""

    state: LinkState
    at_ns: int
    words: str = ""
    hub: Welcome | None = None
