"""What the record itself has to say of any game: the root of all events, and two that every game has."""

from __future__ import annotations

from typing import Literal

import msgspec


class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", omit_defaults=False, gc=False):
    """Something that happened."""


class ClockCorrected(Event, frozen=True, kw_only=True, tag="clock corrected"):
    """The date was changed, or comes from elsewhere now. `add_ms` milliseconds are to be added to the dates of the
    entries of this game and this boot that come before this one."""

    add_ms: int
    was: Literal["none", "rtc", "ntp"]
    now: Literal["none", "rtc", "ntp"]


class Ended(Event, frozen=True, kw_only=True, tag="ended"):
    """The game is over; from here on everything may be shown (S-13)."""
