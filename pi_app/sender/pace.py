"""When a sender tries: soon after an entry, seldom when the centre is away, and never at the same moment as others."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Final

LEAST_PAUSE_S: Final = 0.8
"""Between two hand-overs of one table: entries that come meanwhile go together."""

FIRST_LONGEST_S: Final = 30.0
LONGEST_S: Final = 300.0
"""The pause after failures is random between nothing and a bound that doubles from the first to the second of these.
Five hundred tables that lost their centre in the same moment come back with some 20 connections a second, and not with
more than 50."""


@dataclass
class SendingPace:
    """How long to wait before the next try."""

    draw: random.Random = field(default_factory=random.Random)
    failures: int = 0

    def failed(self, at_least_s: float = 0.0) -> float:
        """A try failed. Return the pause before the next one, at least what the centre has asked for."""
        bound = min(LONGEST_S, FIRST_LONGEST_S * 2**self.failures)
        self.failures = min(self.failures + 1, 20)
        return at_least_s + self.draw.uniform(0.0, bound)

    def began(self) -> float:
        """Return the pause before the first try, also of a table that has just been switched on."""
        return self.draw.uniform(0.0, FIRST_LONGEST_S)

    def cosigned(self) -> float:
        """A cosignature came, and nothing else proves that all is well: return the pause before the next try."""
        self.failures = 0
        return LEAST_PAUSE_S
