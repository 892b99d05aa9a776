"""Runs first at every start, also under mpremote: a timer feeds the watchdog."""

from hub import watchdog

watchdog.feed_by_timer()
