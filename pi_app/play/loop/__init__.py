"""The table's loop: looks become turns, turns become events, events are written down and then told.

`sitting` holds the game and tells of it; `dials` follows the dials, `turns` knows whose turns they are, `beginning`
begins a game, `players` listens to the seats, `typed` obeys what is typed, and `round` is the loop itself. Each may
know those before it in this sentence, and none after (`tests/test_layers.py`).
"""

from pi_app.play.loop.round import Loop

__all__ = ["Loop"]
