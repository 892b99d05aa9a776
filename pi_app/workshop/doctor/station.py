"""Checks a station: the troubles that its staff page names, in the same words, and the newest ones of the past."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from hardware.host import Host
from pi_app.journal.stamps import machine_stamp
from pi_app.plans.check import Check, Sign, Symptom
from pi_app.settings.model import Settings
from pi_app.station.staff.opening_hours import OpeningHours
from pi_app.station.troubles.facts import HostSources, host_facts
from pi_app.station.troubles.ring import TroubleRing
from pi_app.station.troubles.troubles import Facts, StationTrouble, TroubleFound, Weight, find
from pi_app.text.language import SOURCE_LANGUAGE, words
from pi_app.workshop.doctor.bus import IN_USE

PLACE: Final = "as its staff page says"
_SIGNS: Final = {Weight.NOTE: Sign.UNSURE, Weight.LESS: Sign.UNSURE, Weight.STOPS: Sign.FAILS}
_MAGNETS: Final = frozenset({Symptom.TOO_WEAK, Symptom.TOO_STRONG, Symptom.NO_MAGNET})
_UNREAD: Final = frozenset({Symptom.SILENT, Symptom.HOLDS, Symptom.ELSEWHERE})
_ENCODER: Final = "encoder of "
_SCREEN: Final = "screen of seat "


def examine_station(settings: Settings, host: Host, checks: Iterable[Check]) -> Iterator[Check]:
    """Yield a line for each trouble. `checks`: what the doctor found of the other parts."""
    folder = settings.beside(settings.table.journal).parent
    hours = OpeningHours(folder, settings.station.hours if settings.station else {})
    sources = HostSources(host, folder, settings.pages, None, bool(hours.hours))
    ring = TroubleRing(folder)
    found = find(_with_parts(host_facts(sources), checks, _running(ring)))
    yield from map(_line, found)
    if not found:
        yield Check(Sign.GOOD, "station", PLACE, "no trouble now")
    yield from _past(ring)


def _running(ring: TroubleRing) -> list[TroubleFound]:
    """The troubles that a station which runs now has written down."""
    boot = machine_stamp().boot
    return [entry.found for entry in ring.lasting() if entry.boot == boot and entry.found is not None]


def _with_parts(facts: Facts, checks: Iterable[Check], running: Iterable[TroubleFound]) -> Facts:
    """The facts, with the parts that the doctor found failing, and the troubles of a station that runs."""
    unread: dict[str, str] = {}
    magnets: list[str] = []
    screens: list[str] = []
    lasting = [*running]
    for check in checks:
        name = check.part.removeprefix(_ENCODER)
        if check.part.startswith(_ENCODER) and check.found in _MAGNETS:
            magnets.append(name)
        elif check.part.startswith(_ENCODER) and check.found in _UNREAD:
            unread[name] = ""
        elif check.part.startswith(_SCREEN) and check.found in _UNREAD:
            screens.append(check.part.removeprefix(_SCREEN))
        elif check.sign is Sign.FAILS and check.part.startswith("mux "):
            lasting.append(TroubleFound(StationTrouble.MUX_MISSING, (check.part,)))
        elif check.sign is Sign.FAILS and check.part.startswith("bus ") and check.seen != IN_USE:
            lasting.append(TroubleFound(StationTrouble.BUS_STUCK, (check.part.removeprefix("bus "),)))
        elif check.sign is Sign.FAILS and check.part == "pins":
            lasting.append(TroubleFound(StationTrouble.PINS_OUT))
    return replace(facts, unread=unread, magnets=tuple(magnets), screens=tuple(screens), lasting=tuple(lasting))


def _line(found: TroubleFound) -> Check:
    english = words(SOURCE_LANGUAGE)
    seen = found.seen(english).removesuffix(".")
    return Check(_SIGNS[found.trouble.value.weight], "station", PLACE, seen, found.do(english))


def _past(ring: TroubleRing) -> Iterator[Check]:
    newest = next((entry for entry in ring.entries() if not entry.over and entry.found), None)
    if newest is not None and newest.found is not None:
        seen = newest.found.seen(words(SOURCE_LANGUAGE)).removesuffix(".")
        yield Check(Sign.GOOD, "station", f"its last trouble, {newest.wall[:16].replace('T', ' ')}", seen)
