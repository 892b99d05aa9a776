"""Who feeds the watchdog. Once started it cannot be stopped, so somebody must feed it whenever the hub does not run.

`boot.py` calls `mind`: a timer feeds. `main.py` calls `take`, and from then on the hub's loop feeds; when it leaves,
for whatever reason, `mind` again. mpremote's soft reset stops timers and runs `boot.py` but not `main.py`, so a session
of maintenance outlives the limit, and a loop that hangs does not.
"""

import machine

LIMIT_MS = 8000
"""The RP2040 takes at most 8388."""
FEED_MS = 1000

_watchdog = machine.WDT(timeout=LIMIT_MS)
_timer = machine.Timer()


def feed(_timer: object = None) -> None:
    _watchdog.feed()


def mind() -> None:
    """A timer feeds from now on."""
    feed()
    _timer.init(period=FEED_MS, mode=machine.Timer.PERIODIC, callback=feed)


def take() -> None:
    """The caller feeds from now on, at least every eight seconds."""
    _timer.deinit()
    feed()
