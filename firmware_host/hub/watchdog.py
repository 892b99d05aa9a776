"""Feeds the watchdog. A started watchdog cannot be stopped, so a timer feeds it whenever the hub does not run.

`boot.py` calls `feed_by_timer`. `main.py` calls `feed_by_caller`: from then on the hub's loop feeds. When the loop
ends, for any reason, `main.py` calls `feed_by_timer` again. The soft reset of mpremote stops timers and runs `boot.py`
but not `main.py`, so a maintenance session is never reset, and a loop that hangs is.
"""

import machine

LIMIT_MS = 8000
"""The RP2040 takes at most 8388."""
FEED_MS = 1000

_watchdog = machine.WDT(timeout=LIMIT_MS)
_timer = machine.Timer()


def feed(_timer: object = None) -> None:
    _watchdog.feed()


def feed_by_timer() -> None:
    """Let a timer feed from now on."""
    feed()
    _timer.init(period=FEED_MS, mode=machine.Timer.PERIODIC, callback=feed)


def feed_by_caller() -> None:
    """Stop the timer: the caller feeds from now on, at least every eight seconds."""
    _timer.deinit()
    feed()
