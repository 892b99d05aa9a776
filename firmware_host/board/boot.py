"""Runs first at every start, also when mpremote is at work: a timer feeds the watchdog."""

from hub import watchdog

watchdog.feed_by_timer()
