"""Buses, chips, lamps, buttons and screens, and the twins that simulate them.

A bus moves bytes and knows no chip; a chip knows registers and no game.
"""
