"""A game with a claim taken back, a second look and a restart: up to there, and ended."""

from __future__ import annotations

from pi_app.game import events as ev
from pi_app.game.trap_table import Trap
from pi_app.play.first_event import version
from tests.pi_app.games import exposes, started, table_with

CAGE, CLEAR = table_with(Trap.CAGE), table_with(None)
PLAY = (
    started(CAGE, CLEAR),
    *exposes("T01", 3, "ANN"),
    ev.Claimed(seat="BEN", grade="button"),
    ev.ClaimDropped(seat="BEN", why="taken back"),
    ev.Looked(seat="ANN", square="T01"),
    ev.Resumed(version=version()),
)

WHOLE = (*PLAY, ev.Ended())
