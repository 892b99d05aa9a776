"""Twins: one per chip, written from the datasheet, on a wire whose every bit takes time.

A twin simulates the pins. It sees START, bytes and STOP, so the real driver runs unchanged above it.
Nothing here imports `hardware.chips`: the two are independent readings of the same datasheets.
"""
