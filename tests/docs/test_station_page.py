"""The station's page has every trouble in the words of the program, and the status as it is."""

from __future__ import annotations

import msgspec

from pi_app.pages.station_status import StationStatus
from pi_app.station.troubles.lamp_patterns import MEANINGS, NAMES, LampPattern
from pi_app.station.troubles.troubles import StationTrouble, TroubleFound
from tests.docs.pages import tables, text

PAGE = "wiring_docs/station.md"


def test_every_trouble_is_there_in_the_programs_words() -> None:
    (found,) = tables(PAGE, "name", "what it says", "what to do", "what it means", "lamps")
    assert [(row["name"].strip("`"), row["what it says"], row["what to do"], row["lamps"]) for row in found] == [
        (each.code, TroubleFound(each, ("...",)).seen(str), each.value.do, NAMES[each.value.lamp].lower())
        for each in StationTrouble
    ]
    assert f"It knows {len(found)} troubles." in text(PAGE)
    means = {row["what it means"] for row in found}
    assert len(means) == len({each.value.weight for each in StationTrouble})


def test_the_lamps_are_as_they_blink() -> None:
    (found,) = tables(PAGE, "lamp", "lit and dark, in ms", "what it says")
    times = ["always lit" if len(each.value) == 1 else ", ".join(map(str, each.value)) for each in LampPattern]
    assert [row["lit and dark, in ms"] for row in found] == times
    assert [(row["lamp"], row["what it says"]) for row in found] == [(NAMES[e], MEANINGS[e]) for e in LampPattern]


def test_every_key_of_the_status_is_explained() -> None:
    (found,) = tables(PAGE, "key of `station`", "what it is")
    assert {row["key of `station`"].strip("`") for row in found} == set(msgspec.json.decode(_whole()))


def _whole() -> bytes:
    return msgspec.json.encode(StationStatus())
