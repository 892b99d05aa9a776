"""The path rule of a hub, as the Pi reads it: `wiring_docs/hub_wire.md#the-path-rule` has the words. Pure.

The hub has its own reading of the same words (`hub/path_rule.py`); a test holds one against the other.
"""

from __future__ import annotations

from typing import Final

TURN: Final = 4096
LEAST_JUMP: Final = 1593
"""140 degrees of 4096 counts, rounded up."""


def jumped(before: int, after: int, passed_ns: int, gap_ns: int) -> bool:
    """Whether nobody knows the path between two successive good looks at a dial.

    `before`, `after`: raw angles, 0 to 4095. It leapt if they lie 140 degrees apart or more, the short way round, or if
    more than `gap_ns` passed between them.
    """
    step = (after - before) % TURN
    return passed_ns > gap_ns or min(step, TURN - step) >= LEAST_JUMP
