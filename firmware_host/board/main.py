"""Runs behind boot.py at every start of its own: the hub, until it is told to stop."""

import board
from hub import guard, run

guard.take()
try:
    run.forever(board, guard.feed)
finally:
    guard.mind()
