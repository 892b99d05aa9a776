"""The plan as a picture: light and dark, for any dungeon, with nothing outside its edges."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given

from pi_app.plans.pictures.marks import CHART, Areas, Disc, Picture, Polyline, Polylines, Text
from pi_app.plans.pictures.png import png
from pi_app.plans.pictures.svg import svg
from pi_app.plans.placement.dungeon import Dungeon
from pi_app.plans.placement.files import load
from pi_app.plans.placement.picture import LARGEST_CELL, TOP, picture
from pi_app.plans.placement.verdict import verdict
from tests.pi_app.plans.mark_points import points
from tests.pi_app.plans.placement.maps import dungeon, dungeons, some

ROOT = Path(__file__).resolve().parents[4]
SAMPLE = "sample:SAMPLE-warren"


def drawn(shown: Dungeon) -> Picture:
    return picture(shown, verdict(shown), "Some place")


def words(shown: Picture) -> list[str]:
    return [mark.text for mark in shown.marks if isinstance(mark, Text)]


def test_the_picture_in_the_docs_is_up_to_date() -> None:
    shown = load(SAMPLE)
    assert (ROOT / "wiring_docs/placement.svg").read_text(encoding="utf-8") == svg(
        picture(shown, verdict(shown), "SAMPLE-warren")
    )


def test_it_lists_every_verdict_and_every_finding_with_its_place() -> None:
    shown = load(SAMPLE)
    found = verdict(shown)
    said = words(picture(shown, found, "Some place"))
    assert {rule.rule for rule in found.rules} <= set(said)
    assert {str(number) for number in range(1, len(found.findings) + 1)} <= set(said)
    assert "T06 (24:17): in a hallway that leads to a dead end. Move it out of that hallway." in said
    assert "6,7" in said
    assert {f"T0{number}" for number in range(1, 8)} <= set(said)


def test_it_loads_nothing_and_follows_the_readers_theme() -> None:
    text = svg(drawn(load(SAMPLE)))
    ElementTree.fromstring(text)
    assert text.count("http") == text.count("http://www.w3.org/")
    assert "prefers-color-scheme: dark" in text
    for colours in (CHART.light, CHART.dark or {}):
        assert colours["paper"] in text


@some
@given(dungeons())
def test_nothing_is_drawn_outside(shown: Dungeon) -> None:
    paper = drawn(shown)
    for mark in paper.marks:
        for x, y in points(mark):
            assert -1 <= x <= paper.width + 1, mark
            assert -1 <= y <= paper.height + 1, mark


def test_pairs_are_joined_and_dead_ends_hatched_with_a_bar_where_they_begin() -> None:
    marks = drawn(dungeon("....", "T..T.....", "....", "....", head="agreed: 1\nplayers: 2")).marks
    strokes = [mark for mark in marks if isinstance(mark, Polyline)]
    assert len([mark for mark in strokes if mark.dash and mark.ink == "bad"]) == 3
    assert len([mark for mark in strokes if mark.ink == "scant"]) == 1
    (hatching,) = [mark for mark in marks if isinstance(mark, Polylines) and mark.ink == "soft"]
    assert len(hatching.ways) == 5
    rings = [mark for mark in marks if isinstance(mark, Disc) and mark.rim == "bad"]
    assert len(rings) == 2


def test_walls_go_round_the_floor_and_between_squares() -> None:
    shown = dungeon("|. .|.", head="walls: lines")
    (walls,) = [mark for mark in drawn(shown).marks if isinstance(mark, Polylines) and mark.ink == "ink"]
    side, left = LARGEST_CELL, 44.0
    across = [((left, TOP + row * side), (left + 3 * side, TOP + row * side)) for row in (0, 1)]
    upright = [((left + column * side, TOP), (left + column * side, TOP + side)) for column in (0, 2, 3)]
    assert set(walls.ways) == {*across, *upright}


@pytest.mark.slow
def test_the_largest_map_can_be_drawn() -> None:
    shown = dungeon(*[". T.." * 100] * 500)
    text = svg(drawn(shown))
    ElementTree.fromstring(text)
    small = drawn(dungeon(*["." * 40] * 40))
    assert png(small).startswith(b"\x89PNG")
    assert any(isinstance(mark, Areas) for mark in small.marks)


def test_findings_beyond_the_limit_are_counted() -> None:
    assert "And 440 more." in words(drawn(dungeon(*["T" * 30] * 30, head="agreed: 900\nplayers: 1")))
