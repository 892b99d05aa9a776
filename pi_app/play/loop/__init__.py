"""The table's loop: samples become turns, turns become events, and events are recorded and then reported.

`setup` holds the values that a loop is built from; `session` records events and reports them; `tiles` and `dials`
follow the dials, `turns` assigns turns to claims, `beginning` begins a game, `players` polls the buttons, `typed`
executes typed lines, and `round` is the loop. Each imports only those before it (`tests/test_layers.py`).
"""

from pi_app.play.loop.round import Loop

__all__ = ["Loop"]
