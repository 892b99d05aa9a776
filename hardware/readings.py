"""The result of reading a dial: a Reading or a Trouble, never one disguised as the other.

These are the only terms about dials that `hardware`, `firmware_host` and `pi_app` share. Times are monotonic
nanoseconds of the clock that the whole table runs on.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import msgspec


class Magnet(enum.Enum):
    """The encoder's verdict on its magnetic field."""

    GOOD = "good"
    TOO_WEAK = "too weak"
    TOO_STRONG = "too strong"
    MISSING = "missing"
    UNKNOWN = "not checked in this read"


class Proof(msgspec.Struct, frozen=True, gc=False):
    """The evidence behind a full read: the pointer was set again, STATUS was good, CONF was as written, and gain and
    field strength were read (None for what the chip does not report)."""

    agc: int | None
    magnitude: int | None


class Reading(msgspec.Struct, frozen=True, gc=False):
    """One accepted angle: `raw` in the chip's own counts (AS5600: 0 to 4095 per turn).

    Thousands are made in a second, and a frozen dataclass takes ten times as long to make as this struct. It is
    immutable, and equals nothing but a Reading.

    `life` is 0 for a chip that knows its angle. One that counts steps starts anywhere, and reports with another life
    that it has forgotten its earlier count. `proof` comes with a full read.
    """

    raw: int
    at_ns: int
    magnet: Magnet = Magnet.UNKNOWN
    life: int = 0
    proof: Proof | None = None


class TroubleKind(enum.Enum):
    """Why there is no angle."""

    SILENT = "silent"  # no acknowledge: unplugged or unpowered
    STUCK = "stuck"  # the segment is held or timed out
    GLITCH = "glitch"  # one corrupted transfer
    NO_MAGNET = "no magnet"  # the chip answers and sees no field
    IMPLAUSIBLE = "implausible"  # bytes that the chip never sends (lost pointer or settings)
    OTHER_TILE = "another tile"  # its tile's memory names another square
    NOT_READ = "not read yet"


@dataclass(frozen=True, slots=True)
class Trouble:
    """No angle this time. `words` is the four-part message for the referee; it holds no angle.

    `notice` is what was just done for the whole bus, reported once, with the trouble of one of its dials.
    """

    kind: TroubleKind
    at_ns: int
    words: str
    notice: str = ""


Sample = Reading | Trouble


class DialSource(Protocol):
    """A group of dials that are read together: the dials of one bus, or of one hub."""

    @property
    def dials(self) -> Sequence[str]:
        """The dials' names, in the order in which `scan` reports them."""

    @property
    def calm(self) -> bool:
        """Whether the last scan had only quick reads, and each gave an angle at once: how long it took is what
        wire and machine need. A scan with retries, time-outs or full reads takes longer for other reasons."""

    def scan(self) -> Sequence[Sample]:
        """Read every dial once, in the cheapest legal order; return one sample per dial, in `dials` order.

        Never raises for a chip's failure: a silent dial is a Trouble.
        """

    def use_gap(self, until_ns: int) -> None:
        """Send waiting screen bytes, as long as they fit before `until_ns`."""
