"""The public display of a game that is played twice: its feed, and its screen as text, at each public line."""

from __future__ import annotations

from collections.abc import Callable

from pi_app.game.state import Game
from pi_app.settings.model import Settings
from pi_app.station.display.boards import DisplayOptions, draw
from pi_app.station.display.plain import text_of
from pi_app.station.public.feed import line_of, scene_of
from pi_app.station.public.view import PublicView
from pi_app.station.visits.seat_pictures import VisitMoment
from pi_app.station.visits.visit import State, Visit

STATES = (State.GUIDED, State.THANKS, State.FREE)


class TwinDisplay:
    """Shows a game as a station would. `told` gets each thing that everybody gets."""

    def __init__(self, settings: Settings, told: Callable[[str, object], None]) -> None:
        self._told = told
        self._languages = (settings.table.language,)
        names = {key: f"P{number}" for number, key in enumerate(settings.seats, 1)}
        self._view = PublicView(self._languages, names, simulated=True, join="http://10.77.0.1/")

    def show(self, game: Game) -> None:
        """What a station would send of this game in each of its states, and what a terminal then draws."""
        for state in STATES:
            moment = VisitMoment(Visit(state=state, number=1), self._languages)
            line = line_of(self._view.state(moment, game, {}))
            scene = scene_of(line)
            self._told("feed", line)
            self._told("plain", text_of(scene))
            self._told("cells", draw(scene, 80, 25, 0, DisplayOptions()))
