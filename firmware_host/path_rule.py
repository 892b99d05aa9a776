"""The path rule of a hub, on the Pi: `wiring_docs/hub_wire.md#the-path-rule` defines it. Pure.

The hub has its own implementation (`hub/path_rule.py`); a test compares the two.
"""

from __future__ import annotations

from typing import Final

TURN: Final = 4096
LEAST_JUMP: Final = 1593
"""140 degrees of 4096 counts, rounded up."""


def jumped(before: int, after: int, passed_ns: int, gap_ns: int) -> bool:
    """Whether the path between two successive good samples of a dial is unknown.

    `before`, `after`: raw angles, 0 to 4095. The dial jumped if they lie 140 degrees apart or more, the short way
    round, or if more than `gap_ns` passed between them.
    """
    step = (after - before) % TURN
    return passed_ns > gap_ns or min(step, TURN - step) >= LEAST_JUMP
