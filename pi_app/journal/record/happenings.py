"""The root class of all events, and the two events that every game has."""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

LATEST_WITNESSED_S: Final = 4_102_444_800
"""The year 2100, in POSIX seconds: a witness with a later date has no right one."""


class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", omit_defaults=False, gc=False):
    """Something that happened."""


class ClockCorrected(Event, frozen=True, kw_only=True, tag="clock corrected", omit_defaults=True):
    """The date was changed or has another source. Add `add_ms` milliseconds to the dates of the earlier entries of this
    game and this boot. `witnessed`: the time of a cosignature in POSIX seconds, if the date comes from that."""

    add_ms: int
    was: Literal["none", "rtc", "ntp"]
    now: Literal["none", "rtc", "ntp"]
    witnessed: Annotated[int, Meta(ge=1, le=LATEST_WITNESSED_S)] | None = None


class Ended(Event, frozen=True, kw_only=True, tag="ended"):
    """The game is over; everything may be shown (S-13)."""
