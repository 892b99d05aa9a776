"""Twins: one per chip, written from the datasheet, hanging on a wire whose every bit takes time.

A twin pretends at the pins. It sees START, bytes and STOP, so the real driver runs unchanged above it.
Nothing here imports `hardware.chips`: the two are separate readings of the same datasheets.
"""
