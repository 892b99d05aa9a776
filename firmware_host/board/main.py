"""Runs after boot.py at every normal start: the hub, until the Pi asks for the REPL."""

import board
from hub import run, watchdog

watchdog.feed_by_caller()
try:
    run.forever(board, watchdog.feed)
finally:
    watchdog.feed_by_timer()
