"""What a trouble says wherever a station says it: on the staff page, on the sheet, and in the doctor."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path

from pi_app.plans.pictures.marks import Text
from pi_app.settings.station_section import StationSettings
from pi_app.station.staff.desk import StaffDesk
from pi_app.station.staff.sheet import SheetFacts, sheets
from pi_app.station.troubles.ring import TroubleRing
from pi_app.station.troubles.troubles import TroubleFound
from pi_app.station.troubles.watch import TroubleWatch
from pi_app.text.language import words
from pi_app.text.languages import LANGUAGES
from pi_app.workshop.doctor.station import PLACE, examine_station
from tests.pi_app.hosts import host
from tests.pi_app.playing import settings
from tests.pi_app.station.staff.at_desk import Station

MARK = "___"
"""The sheet names no part: it has this in its place."""


def check(found: TroubleFound, sentence: str) -> None:
    """Raise AssertionError unless a trouble says `sentence` in English, and in each language the staff page, the sheet
    and the doctor say the same, with the same advice."""
    with tempfile.TemporaryDirectory() as folder:
        _check_page(Path(folder), found, sentence)
        _check_doctor(Path(folder), found, sentence)
    for language in LANGUAGES:
        speak = words(language)
        seen = found.seen(speak)
        place = found.place(speak)
        printed = seen.replace(place, MARK) if place else seen
        assert printed in _sheet(language), (language, printed)
        assert found.do(speak) in _sheet(language)


@cache
def _sheet(language: str) -> str:
    """All text of the sheet's second page."""
    _, back = sheets(language, SheetFacts(pages=None))
    return " ".join(mark.text for mark in back.marks if isinstance(mark, Text))


def _check_page(folder: Path, found: TroubleFound, sentence: str) -> None:
    station = Station(folder)
    station.found = (found,)
    for language in LANGUAGES:
        (now,) = json.loads(StaffDesk(station.sources)(json.dumps({"lang": language}).encode()))["now"]
        assert (now["seen"], now["do"]) == (found.seen(words(language)), found.do(words(language)))
        assert language != "en" or now["seen"] == sentence


def _check_doctor(folder: Path, found: TroubleFound, sentence: str) -> None:
    """The station writes what it finds to its ring; the doctor, another program, reads it there."""
    ring = TroubleRing(folder)
    for change in TroubleWatch().update([found], 0):
        assert ring.note(change.found, over=change.over)
    station = replace(settings(), station=StationSettings(), where=str(folder / "trapdial.toml"))
    checks = [check for check in examine_station(station, host(folder), ()) if check.place == PLACE]
    assert [(check.seen, check.advice) for check in checks] == [(sentence.removesuffix("."), found.do(str))]
