"""Hub time, carried on. MicroPython on a 32-bit board has fast integers up to 2^30 - 1 only; one that went above stays
a slow one for ever, so nothing here goes there."""

from .wire import LAST_TICK


def after(at_us: int, passed_us: int) -> int:
    """Hub time so many microseconds later: 0 to 2^30 - 1."""
    left = LAST_TICK - at_us
    return passed_us - left - 1 if passed_us > left else at_us + passed_us
