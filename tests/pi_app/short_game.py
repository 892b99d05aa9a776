"""A game of one clean expose: up to there, and ended."""

from __future__ import annotations

from pi_app.game import events as ev
from tests.pi_app.games import exposes, started

PLAY = (started(), ev.SetupChecked(stands={"T01": 0, "T02": 0}), *exposes("T01", 3, "ANN"))
WHOLE = (*PLAY, ev.Ended())
