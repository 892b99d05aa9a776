"""The same visit twice, with other trap tables dealt: nobody but the seat that looks can tell them apart (S-6)."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import msgspec
import pytest

from pi_app.settings.station_section import StationSettings
from pi_app.station.public.state import PublicState
from pi_app.station.visits.visit import State
from tests.pi_app.games import EVERY_KIND
from tests.pi_app.station.at_station import AtStation, a_station
from tests.twin_games import Everything, differing, random_table


def visit(folder: Path, tables: int) -> tuple[Everything, list[PublicState]]:
    """A guided turn, a second look and the reset; with everything that each viewer was given until the game ends, and
    the public states."""
    used = a_station(station=StationSettings(idle_s=30, languages=("en",)))
    draw = random.Random(f"twin visits {tables}")
    squares = {
        label: msgspec.structs.replace(square, table=random_table(draw, EVERY_KIND.name))
        for label, square in used.squares.items()
    }
    heard = Everything()
    folder.mkdir()
    at = AtStation(
        folder / "journal.db", replace(used, squares=MappingProxyType(squares)), heard=heard, pick=lambda below: 0
    )
    at.run(1.5)
    at.tap("ANN")
    at.tap("ANN")
    at.run(0.5)
    at.rolls.append(3)
    at.tap("ANN")
    at.turn("T01", 3)
    at.press("ANN")
    at.let_go("ANN")
    at.until(State.FREE)
    at.press("ANN")
    at.let_go("ANN")
    at.run(3)
    at.until(State.THANKS)
    states = [msgspec.structs.replace(each, head="", results=()) for each in at.public]
    at.close()
    heard.notice_the_glow()
    return heard, states


@pytest.mark.slow
def test_nobody_can_tell_two_visits_apart(tmp_path: Path) -> None:
    this, that = visit(tmp_path / "this", 1), visit(tmp_path / "that", 2)
    assert this[0].secret != that[0].secret
    assert differing(this[0], that[0]) == []
    assert this[1] == that[1]
