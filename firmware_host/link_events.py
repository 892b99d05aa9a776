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


class HubSample(msgspec.Struct, frozen=True, gc=False):
    """One sample of one dial. `value` is as it came: see `hub.wire` for what its bits say. `agc` and `magnitude` come
    with a full read; else they are -1."""

    dial: int
    at_ns: int
    value: int
    agc: int = -1
    magnitude: int = -1


class HubReport(msgspec.Struct, frozen=True, gc=False):
    """The samples of one report, each dial's later than those of the report before.

    What a hub merged is here as its first and its last sample, so `samples` are fewer than were taken: `reads` counts
    all good ones, by dial. `at_ns`: the end of the report. `wired`: bit n is set if the board has dial n. `gap_us`: the
    longest time between two samples that were merged. `unknown`: dials whose path to the first of these samples is
    unknown, since they leapt in samples that did not arrive.
    """

    at_ns: int
    samples: tuple[HubSample, ...]
    unknown: frozenset[int] = frozenset()
    wired: int = 0xFFFF
    reads: tuple[int, ...] = ()
    gap_us: int = 0


@dataclass(frozen=True, slots=True)
class LinkNotice:
    """How a link stands now. `words` is the four-part message for the referee, empty while it runs."""

    state: LinkState
    at_ns: int
    words: str = ""
    hub: Welcome | None = None
