"""Runs behind boot.py at every start of its own: the hub, until it is told to stop."""

import board
from hub import run, watchdog

watchdog.feed_by_caller()
try:
    run.forever(board, watchdog.feed)
finally:
    watchdog.feed_by_timer()
