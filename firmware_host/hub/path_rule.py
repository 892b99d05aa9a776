"""The path rule: when the direction of a dial between two samples is unknown.

The Pi has its own implementation; a test compares the two.
"""

from .wire import COUNTS_PER_TURN

JUMP = 1593
"""Counts, the short way round: 140 degrees. Five of twelve detents are 150."""


def jumped(before: int, after: int, passed_us: int, gap_us: int) -> bool:
    """Whether the path from one good angle to the next is unknown. Angles are raw counts, 0 to 4095."""
    if passed_us > gap_us:
        return True
    apart = (after - before) % COUNTS_PER_TURN
    return JUMP <= apart <= COUNTS_PER_TURN - JUMP
