"""A station's status for programs is made from troubles and counts alone."""

from __future__ import annotations

import inspect

from pi_app.pages.station_status import read_status, status_line
from pi_app.station.troubles.status import StationCounts, status_of
from pi_app.station.troubles.troubles import StationTrouble, TroubleFound

COUNTS = StationCounts(program="0.9.1", state="guided", uptime_s=61, visits=4, clock="ntp")


def test_it_names_the_troubles_in_words() -> None:
    found = [TroubleFound(StationTrouble.DIAL_UNREAD, ("T02",)), TroubleFound(StationTrouble.TOO_HOT)]
    status = status_of(COUNTS, found, lambda trouble: 5)
    assert (status.state, status.lamp, status.visits, status.clock) == ("guided", "staff", 4, "ntp")
    assert [(each.code, each.weight, each.since_s, each.seen) for each in status.troubles] == [
        ("dial_unread", 2, 5, "No answer from dial T02."),
        ("too_hot", 2, 5, "The station is too warm and runs slowly."),
    ]
    assert len(status.codes) == len(StationTrouble)


def test_every_trouble_at_once_fits_a_status() -> None:
    found = [TroubleFound(each, ("T" * 60,)) for each in StationTrouble]
    line = status_line(status_of(COUNTS, found, lambda trouble: 2**40))
    assert len(line) < 12_000
    assert read_status(line) is not None


def test_a_game_is_no_argument() -> None:
    named = str(inspect.signature(status_of))
    assert "Game" not in named
    assert "Session" not in named
    assert "Moment" not in named
