"""Arithmetic of hub time. MicroPython on a 32-bit board has fast integers up to 2^30 - 1 only; a larger value becomes a
slow one and stays slow, so nothing here exceeds that limit."""

from .wire import LAST_TICK


def after(at_us: int, passed_us: int) -> int:
    """Hub time `passed_us` later: 0 to 2^30 - 1."""
    left = LAST_TICK - at_us
    return passed_us - left - 1 if passed_us > left else at_us + passed_us
