"""The root class of all events, and the two events that every game has."""

from __future__ import annotations

from typing import Literal

import msgspec


class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", omit_defaults=False, gc=False):
    """Something that happened."""


class ClockCorrected(Event, frozen=True, kw_only=True, tag="clock corrected"):
    """The date was changed or has another source. Add `add_ms` milliseconds to the dates of the earlier entries of this
    game and this boot."""

    add_ms: int
    was: Literal["none", "rtc", "ntp"]
    now: Literal["none", "rtc", "ntp"]


class Ended(Event, frozen=True, kw_only=True, tag="ended"):
    """The game is over; everything may be shown (S-13)."""
