"""Events and values that a hub's link delivers. Times are monotonic nanoseconds of the table's clock."""

from __future__ import annotations

import enum
from dataclasses import dataclass

import msgspec


class LinkState(enum.Enum):
    """State of a hub's link; only RUNNING has angles."""

    NO_PORT = "not plugged in"
    NO_PERMISSION = "permission denied"
    BUSY = "in use by another program"
    GREETING = "greeting"
    NOT_A_HUB = "does not answer as a hub"
    WRONG_BOARD = "wrong board"
    INCOMPATIBLE = "incompatible firmware"
    UNTRUSTED = "not trusted"
    RUNNING = "running"
    STALE = "silent"


@dataclass(frozen=True, slots=True)
class Welcome:
    """The hub's WELCOME. `uid`: the board id, 16 hex digits; `boot`: a number that differs after each start.
    `keyed`: whether it says that it has a key."""

    uid: str
    protocol: int
    agreed: bool
    dials: int
    firmware: tuple[int, int, int]
    reset_cause: int
    boot: int
    keyed: bool = False


class HubSample(msgspec.Struct, frozen=True, gc=False):
    """One sample of one dial. `value` is as received: see `hub.wire` for its bits. `agc` and `magnitude` come with a
    full read; otherwise they are -1."""

    dial: int
    at_ns: int
    value: int
    agc: int = -1
    magnitude: int = -1


class HubReport(msgspec.Struct, frozen=True, gc=False):
    """The samples of one report, each dial's later than those of the report before.

    A run that the hub merged appears as its first and its last sample, so there are fewer `samples` than reads: `reads`
    counts all good reads, by dial. `at_ns`: the end of the report. `wired`: bit n is set if the board has dial n.
    `gap_us`: the longest time between two merged samples. `unknown`: dials whose path to the first of these samples is
    unknown, because they jumped in lost samples.
    """

    at_ns: int
    samples: tuple[HubSample, ...]
    unknown: frozenset[int] = frozenset()
    wired: int = 0xFFFF
    reads: tuple[int, ...] = ()
    gap_us: int = 0


@dataclass(frozen=True, slots=True)
class LinkNotice:
    """A change of the link's state. `words` is the four-part message for the referee, empty while the link runs."""

    state: LinkState
    at_ns: int
    words: str = ""
    hub: Welcome | None = None
