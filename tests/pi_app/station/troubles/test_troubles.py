"""The troubles themselves: their sentences, their order, and the lamps."""

from __future__ import annotations

import ast
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_app.station.troubles.lamp_patterns import LampPattern
from pi_app.station.troubles.troubles import PLACE_LETTERS, Facts, StationTrouble, TroubleFound, Weight, find, lamp
from pi_app.text.language import words
from pi_app.text.languages import LANGUAGES

ALL = [*StationTrouble]
some = st.lists(st.sampled_from(ALL).map(TroubleFound), max_size=6)


def test_there_are_twenty_and_two() -> None:
    assert len(ALL) == 22
    assert len({each.code for each in ALL}) == 22


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_two_say_the_same_in_any_language(language: str) -> None:
    speak = words(language)
    sentences = {TroubleFound(each, ("T02",)).seen(speak) for each in ALL}
    assert len(sentences) == len(ALL)
    assert all(sentence.endswith(".") for sentence in sentences)
    assert all(TroubleFound(each).do(speak).endswith(".") for each in ALL)


def test_each_has_a_fault_of_its_own() -> None:
    """`test_faults` injects one for each, through the real path, and reads it wherever a station says it."""
    tree = ast.parse((Path(__file__).parents[1] / "test_faults.py").read_text(encoding="utf-8"))
    named = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "T"}
    assert named == {each.name for each in ALL}


@given(some)
def test_the_heaviest_comes_first_and_each_once(lasting: list[TroubleFound]) -> None:
    found = find(Facts(lasting=tuple(lasting)))
    weights = [each.trouble.value.weight for each in found]
    assert weights == sorted(weights, reverse=True)
    assert sorted(each.trouble.name for each in found) == sorted({each.trouble.name for each in lasting})


@given(some)
def test_the_lamps_ask_for_the_most(lasting: list[TroubleFound]) -> None:
    patterns = {each.trouble.value.lamp for each in lasting}
    wanted = LampPattern.UNPLUG if LampPattern.UNPLUG in patterns else LampPattern.STAFF
    assert lamp(lasting) is (wanted if patterns - {LampPattern.READY} else LampPattern.READY)


def test_nothing_is_wrong_with_a_sound_station() -> None:
    assert find(Facts()) == ()
    assert lamp(()) is LampPattern.READY


def test_what_stops_a_station_shows_on_its_lamps() -> None:
    assert all(each.value.lamp is not LampPattern.READY for each in ALL if each.value.weight is not Weight.NOTE)


def test_one_trouble_names_all_its_places() -> None:
    (found,) = find(Facts(unread={"T01": "", "T02": "", "T05": ""}))
    assert found.seen(words("en")) == "No answer from dial T01, T02 and T05."
    (many,) = find(Facts(unread={f"T{number:02d}": "" for number in range(64)}))
    assert len(many.place(words("en"))) <= PLACE_LETTERS


def test_a_bus_and_its_dials_are_one_trouble() -> None:
    assert find(Facts(unread={"T01": "bus dials", "T02": "bus dials"})) == (
        TroubleFound(StationTrouble.BUS_STUCK, ("dials",)),
    )


@pytest.mark.parametrize("pattern", LampPattern)
def test_a_pattern_repeats(pattern: LampPattern) -> None:
    lit = [pattern.lit(ms * 1_000_000) for ms in range(0, 2 * pattern.round_ms, 10)]
    half = len(lit) // 2
    assert lit[:half] == lit[half:]
    assert lit[0]


def test_the_patterns_differ_in_how_often_they_light() -> None:
    def begins(pattern: LampPattern) -> int:
        lit = [pattern.lit(ms * 1_000_000) for ms in range(0, 12_000, 10)]
        return sum(now and not before for before, now in pairwise(lit))

    assert [begins(each) for each in (LampPattern.READY, LampPattern.STAFF, LampPattern.UNPLUG)] == [0, 9, 49]
