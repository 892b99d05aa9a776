"""How many entries one source may add to the record. Pure.

A source may add some at once, and after that one in each period: at most `at_once` and one for each `every_ns` of any
stretch of time. What is over it waits, or is counted; what that means is for its source to say.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Budget:
    """What one source has used. `_full_ns`: when it may add `at_once` entries again."""

    at_once: int
    every_ns: int
    _full_ns: int = 0

    def room(self, now_ns: int) -> int:
        """Return how many entries the source may add now; below 0 if it added too many."""
        return self.at_once - -(-max(0, self._full_ns - now_ns) // self.every_ns)

    def used(self, now_ns: int) -> Budget:
        """Return the budget after one more entry."""
        return replace(self, _full_ns=max(self._full_ns, now_ns) + self.every_ns)

    def most_in(self, span_ns: int) -> int:
        """Return the most entries in any stretch of this length."""
        return self.at_once + span_ns // self.every_ns
