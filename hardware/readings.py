"""What a look at a dial gives: a Reading or a Trouble, never one dressed as the other.

The only words that `hardware`, `firmware_host` and `pi_app` share about dials. Times are monotonic
nanoseconds of the clock that the whole table runs on.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import msgspec


class Magnet(enum.Enum):
    """What the encoder says of the field it sees."""

    GOOD = "good"
    TOO_WEAK = "too weak"
    TOO_STRONG = "too strong"
    MISSING = "missing"
    UNKNOWN = "not asked in this look"


class Proof(msgspec.Struct, frozen=True, gc=False):
    """What stands behind a reading that came from a full read: the pointer was set again, STATUS was good, CONF was as
    written, and gain and field strength were read (None for what the chip cannot say)."""

    agc: int | None
    magnitude: int | None


class Reading(msgspec.Struct, frozen=True, gc=False):
    """One trusted angle: `raw` counts as the chip gives them (AS5600: 0 to 4095 per turn).

    Thousands are made in a second, and a frozen dataclass takes ten times as long to make as this struct. It cannot be
    changed, and equals nothing but a Reading.

    `life` is 0 for a chip that knows its angle. One that counts steps counts from anywhere, and says with another life
    that it has forgotten what it counted before. `proof` comes with a full read.
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
    GLITCH = "glitch"  # one spoilt transfer
    NO_MAGNET = "no magnet"  # the chip answers and sees no field
    IMPLAUSIBLE = "implausible"  # bytes came that the chip cannot mean (forgotten pointer or settings)
    OTHER_TILE = "another tile"  # its tile's memory says that it belongs to another square
    NOT_READ = "not read yet"


@dataclass(frozen=True, slots=True)
class Trouble:
    """No angle this time. `words` is the four-part message for the referee; it holds no angle.

    `news` is what was just done for the whole bus, said once; it rides on the trouble of one of its dials.
    """

    kind: TroubleKind
    at_ns: int
    words: str
    news: str = ""


Sample = Reading | Trouble


class DialSource(Protocol):
    """A group of dials that are looked at together: the dials of one bus, or of one hub."""

    @property
    def dials(self) -> Sequence[str]:
        """The dials' names, in the order in which `scan` reports them."""

    @property
    def calm(self) -> bool:
        """Whether the last scan was quick samples alone, and each gave an angle at once: how long it took says what
        wire and machine need. A scan with retries, time-outs or full reads takes longer for reasons of its own."""

    def scan(self) -> Sequence[Sample]:
        """Look at every dial once, in the cheapest legal order; one sample per dial, in `dials` order.

        Never raises for a chip's failure: a silent dial is a Trouble.
        """

    def use_gap(self, until_ns: int) -> None:
        """Let waiting screen bytes out, as long as they fit before `until_ns`."""
