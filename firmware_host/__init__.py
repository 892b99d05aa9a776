"""Hubs: the firmware of the board, and the Pi's end of its USB cable."""
