"""The plan as a picture: light and dark, for any dungeon, with nothing outside its edges."""

from __future__ import annotations

import io
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import cast
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from pi_app.plans.pictures.marks import CHART, Areas, Block, Disc, Picture, Polyline, Polylines, Rect, Text
from pi_app.plans.pictures.png import png
from pi_app.plans.pictures.svg import svg
from pi_app.plans.placement.dungeon import Dungeon, MapSymbol
from pi_app.plans.placement.files import load
from pi_app.plans.placement.picture import (
    DOTS,
    LARGEST_CELL,
    LEGEND_BOX,
    LEGEND_COLUMNS,
    MARGIN,
    TOP,
    picture,
)
from pi_app.plans.placement.shapes import artifact_shape
from pi_app.plans.placement.things import ARTIFACT_NAMES, ARTIFACTS, PAIRS, PONDS
from pi_app.plans.placement.verdict import verdict
from pi_app.text.language import words as translated
from pi_app.text.languages import LANGUAGES
from tests.pi_app.plans.mark_points import points
from tests.pi_app.plans.placement.maps import ARTIFACT_LETTERS, dungeon, dungeons, some

ROOT = Path(__file__).resolve().parents[4]
SAMPLE = "sample:SAMPLE-warren"
SHRINE = "sample:SAMPLE-shrine"


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


# ---------------------------------------------------------------------------------------------------- artifacts

ONE_OF_EACH = {
    kind: kind.value * 2 if kind in PAIRS else "LL\nLL" if kind.value == "L" else kind.value for kind in ARTIFACTS
}


def test_the_picture_of_the_shrine_in_the_docs_is_up_to_date() -> None:
    shown = load(SHRINE)
    assert (ROOT / "wiring_docs/placement_artifacts.svg").read_text(encoding="utf-8") == svg(
        picture(shown, verdict(shown), "SAMPLE-shrine")
    )


def test_every_artifact_has_a_shape_of_its_own_with_its_letter() -> None:
    box = Rect(0, 0, 30, 30)
    shapes = {kind: tuple(artifact_shape(kind, box)) for kind in ARTIFACTS}
    for kind, marks in shapes.items():
        (letter,) = [mark for mark in marks if isinstance(mark, Text)]
        assert letter.text == kind.value
        assert all(-1 <= x <= 31 and -1 <= y <= 31 for mark in marks for x, y in points(mark)), kind
    outlines = [tuple(mark for mark in marks if not isinstance(mark, Text)) for marks in shapes.values()]
    same = [pair for pair in combinations(outlines, 2) if pair[0] == pair[1]]
    assert len(same) == 1, "only the two ponds look alike, and one is four times as large"


def test_a_black_and_white_print_tells_them_apart() -> None:
    """No artifact relies on a colour: what is not ink on paper is the water, which has waves and a letter."""
    for kind in ARTIFACTS:
        for mark in artifact_shape(kind, Rect(0, 0, 30, 30)):
            inks = {getattr(mark, "ink", ""), getattr(mark, "rim", "")} - {""}
            assert inks <= ({"paper", "wave"} if kind in PONDS else {"paper", "ink"}), kind


@pytest.mark.parametrize("kind", ARTIFACTS)
def test_every_artifact_is_drawn_over_its_squares_and_named_below(kind: MapSymbol) -> None:
    rows = ONE_OF_EACH[kind].split("\n")
    shown = dungeon(".....", *(f".{row.ljust(4, '.')}" for row in rows), ".....")
    said = words(drawn(shown))
    assert ARTIFACT_NAMES[kind] in said
    assert said.count(kind.value) == 2


def test_findings_about_artifacts_and_entrances_have_a_ring_and_a_number() -> None:
    paper = drawn(load(SHRINE))
    rings = [mark for mark in paper.marks if isinstance(mark, Block) and mark.rim == "bad"]
    assert len(rings) == 4
    numbers = [mark.text for mark in paper.marks if isinstance(mark, Text) and mark.ink == "bad" and mark.size == 10]
    assert sorted(numbers) == ["1", "2", "3", "4", "5"]
    dots = [mark for mark in paper.marks if isinstance(mark, Polylines) and mark.ink == "soft" and mark.width == 1.6]
    assert [len(mark.ways) for mark in dots] == [DOTS * (3 + 3 + 5 + 3 + 3 + 5 + 5 + 1)]
    assert {"a", "b", "c", "d", "e", "f", "h", "k"} <= set(words(paper))


@some
@given(
    dungeons(letters=f"..##E+{ARTIFACT_LETTERS}"), st.lists(st.tuples(st.integers(0, 9), st.sampled_from(ARTIFACTS)))
)
def test_no_artifact_is_drawn_outside(shown: Dungeon, more: list[tuple[int, MapSymbol]]) -> None:
    kinds = dict(shown.kinds)
    for column, kind in more:
        kinds[kind] = kinds.get(kind, frozenset()) | {(0, column)}
    paper = drawn(replace(shown, kinds=kinds, sections=dict.fromkeys(sorted(shown.floor)[::2], "a")))
    for mark in paper.marks:
        for x, y in points(mark):
            assert -1 <= x <= paper.width + 1, mark
            assert -1 <= y <= paper.height + 1, mark


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_words_of_every_language_fit(language: str) -> None:
    shown, speak = load(SHRINE), translated(language)
    paper = picture(shown, verdict(shown, speak=speak), "SAMPLE-shrine", speak)
    for mark in paper.marks:
        assert all(x <= paper.width for x, _ in points(mark)), mark
    names = {speak(name) for name in ARTIFACT_NAMES.values()}
    wide = {mark.text: 6.6 * len(mark.text) for mark in paper.marks if isinstance(mark, Text) and mark.text in names}
    assert len(wide) == len(ARTIFACTS)
    assert max(wide.values()) < (paper.width - 2 * MARGIN) / LEGEND_COLUMNS - 1.6 * LEGEND_BOX - 10


def pixel(shown: Dungeon, right: float, down: float) -> str:
    """The colour in the PNG of a plan, so far from the corner of its second row and third column."""
    image = Image.open(io.BytesIO(png(drawn(shown)))).convert("RGB")
    at = MARGIN + 2 * LARGEST_CELL + right, TOP + LARGEST_CELL + down
    colour = cast("tuple[int, int, int]", image.getpixel((round(2 * at[0]), round(2 * at[1]))))
    return "#" + "".join(f"{part:02x}" for part in colour)


@pytest.mark.slow
def test_a_png_shows_filled_columns_and_rings_too() -> None:
    column, table = dungeon("E....", "..O..", "....."), dungeon("E..", "..=", "...")
    assert pixel(column, 4, 4) == CHART.light["ink"]
    assert pixel(column, 15, 6.5) == CHART.light["paper"]
    ring = pixel(table, 15, -1)
    assert "#c0" < ring[:3] < "#d0", ring
    assert ring[3] == ring[5] == "2", ring


def test_small_squares_show_columns_water_and_the_rest() -> None:
    blocks = [mark for mark in drawn(dungeon(*["." * 90] * 89, "OPH" + "." * 87)).marks if isinstance(mark, Block)]
    assert [mark.ink for mark in blocks[:2]] == ["ink", "wave"]


def test_findings_beyond_the_limit_are_counted() -> None:
    assert "And 440 more." in words(drawn(dungeon(*["T" * 30] * 30, head="agreed: 900\nplayers: 1")))
