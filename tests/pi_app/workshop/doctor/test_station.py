"""The doctor of a station says the sentences of its staff page."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hardware.readings import Magnet
from pi_app.journal.stamps import Stamp
from pi_app.plans.check import Check, Sign, Symptom, field, not_tried
from pi_app.play import power
from pi_app.settings.model import Settings
from pi_app.settings.station_section import StationSettings
from pi_app.simulated.build import simulated_table
from pi_app.station.troubles.ring import TroubleRing
from pi_app.station.troubles.troubles import StationTrouble, TroubleFound
from pi_app.text.language import words
from pi_app.workshop.doctor import examine
from pi_app.workshop.doctor.bus import IN_USE
from pi_app.workshop.doctor.station import examine_station
from tests.pi_app.hosts import host, put
from tests.pi_app.playing import settings

EN = words("en")


def station(folder: Path) -> Settings:
    return replace(settings(), station=StationSettings(), where=str(folder / "t.toml"))


def said(folder: Path, *checks: Check) -> list[str]:
    return [str(check) for check in examine_station(station(folder), host(folder), checks)]


def sentence(sign: str, found: TroubleFound) -> str:
    return f"{sign}  station (as its staff page says): {found.seen(EN)} {found.do(EN)}"


FINDINGS = [
    (not_tried("encoder of T01", "bus dials", "its mux fails"), None),
    (Check(Sign.FAILS, "encoder of T01", "x", "gave no answer", found=Symptom.SILENT), StationTrouble.DIAL_UNREAD),
    (field("encoder of T01", "x", Magnet.TOO_WEAK, "field: weak"), StationTrouble.MAGNET_WEAK),
    (Check(Sign.FAILS, "screen of seat ANN", "x", "gave no answer", found=Symptom.SILENT), StationTrouble.SCREEN_OUT),
    (Check(Sign.FAILS, "mux 0x70", "dials", "gave no answer"), StationTrouble.MUX_MISSING),
    (Check(Sign.FAILS, "bus dials", "x", IN_USE), None),
    (Check(Sign.FAILS, "bus dials", "x", "is missing"), StationTrouble.BUS_STUCK),
    (Check(Sign.FAILS, "pins", "GPIO", "are not there"), StationTrouble.PINS_OUT),
]
PLACES = {
    StationTrouble.DIAL_UNREAD: ("T01",),
    StationTrouble.MAGNET_WEAK: ("T01",),
    StationTrouble.SCREEN_OUT: ("ANN",),
    StationTrouble.MUX_MISSING: ("mux 0x70",),
    StationTrouble.BUS_STUCK: ("dials",),
}


@pytest.mark.parametrize(("check", "trouble"), FINDINGS)
def test_what_the_doctor_found_is_said_as_on_the_staff_page(
    tmp_path: Path, check: Check, trouble: StationTrouble | None
) -> None:
    if trouble is None:
        assert said(tmp_path, check) == ["ok  station (as its staff page says): no trouble now"]
        return
    sign = "!!" if trouble in (StationTrouble.BUS_STUCK, StationTrouble.PINS_OUT) else "??"
    assert said(tmp_path, check) == [sentence(sign, TroubleFound(trouble, PLACES.get(trouble, ())))]


def test_the_machine_and_the_last_trouble_are_said(tmp_path: Path) -> None:
    put(tmp_path, power.THROTTLED, "0x1")
    folder = station(tmp_path).beside(settings().table.journal).parent
    for over in (False, True):
        TroubleRing(folder).note(TroubleFound(StationTrouble.TOO_HOT), over=over)
    lines = said(tmp_path)
    assert lines[0] == sentence("??", TroubleFound(StationTrouble.UNDER_VOLTAGE))
    assert lines[1].startswith("ok  station (its last trouble, ")
    assert lines[1].endswith("): The station is too warm and runs slowly")


def test_what_a_running_station_finds_is_said_too_with_all_its_places(tmp_path: Path) -> None:
    ring, dials = TroubleRing(tmp_path), TroubleFound(StationTrouble.DIAL_UNREAD, ("T02", "T04"))
    ring.note(dials, over=False)
    silent = Check(Sign.FAILS, "encoder of T02", "x", "gave no answer", found=Symptom.SILENT)
    assert said(tmp_path, silent)[0] == sentence("??", dials)
    ring.end_lasting()
    assert said(tmp_path)[0] == "ok  station (as its staff page says): no trouble now"


def test_a_station_that_ran_before_the_last_start_of_the_machine_says_nothing_now(tmp_path: Path) -> None:
    TroubleRing(tmp_path, lambda: Stamp("another boot", 5, "2026-11-20T09:30:00+00:00", "ntp")).note(
        TroubleFound(StationTrouble.TOO_HOT), over=False
    )
    assert said(tmp_path)[0] == "ok  station (as its staff page says): no trouble now"


def test_a_table_that_is_no_station_has_no_such_lines(tmp_path: Path) -> None:
    table = simulated_table(settings())
    try:
        checks = [*examine(settings(), table, host(tmp_path), seconds=0.1)]
    finally:
        table.close()
    assert not [check for check in checks if check.part == "station"]
