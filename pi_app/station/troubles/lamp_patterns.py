"""What a station's lamps say to its staff, by pattern, never by colour: ready, look at the staff page, unplug. Pure."""

from __future__ import annotations

import enum
from typing import Final

from pi_app.text.language import N_

_NS_PER_MS: Final = 1_000_000


class LampPattern(enum.Enum):
    """The value is the times in milliseconds of one round, lit and dark in turn; no dark time means steady light."""

    READY = (1000,)
    STAFF = (200, 250, 200, 1750)
    UNPLUG = (120, 120)

    @property
    def round_ms(self) -> int:
        """From the start of a round to the start of the next."""
        return sum(self.value)

    def lit(self, now_ns: int) -> bool:
        """Whether a lamp is lit at this time. All lamps of a station blink together."""
        into = now_ns // _NS_PER_MS % self.round_ms
        edges = (sum(self.value[: number + 1]) for number in range(len(self.value)))
        return bool(sum(edge <= into for edge in edges) % 2 == 0)


NAMES: Final = {
    LampPattern.READY: N_("Steady light"),
    LampPattern.STAFF: N_("Slow double blink"),
    LampPattern.UNPLUG: N_("Fast blinking"),
}
"""What people call each pattern."""

MEANINGS: Final = {
    LampPattern.READY: N_("Ready: everything works."),
    LampPattern.STAFF: N_("Look at the staff page: it says what to do."),
    LampPattern.UNPLUG: N_("Unplug the station, count to ten, plug it in."),
}
