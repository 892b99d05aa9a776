"""The page about printed parts matches the program."""

from __future__ import annotations

from dataclasses import fields

import pytest

from pi_app.dials.detents import SEATED_PITCH, DialShape
from pi_app.plans.printed.checks import MeshCheck, checks, clicks, failures, one_click
from pi_app.plans.printed.parts import PARTS, assembled
from pi_app.plans.printed.square import PrintedSquare
from pi_app.plans.printed.table import STEPS, bought
from tests.docs.pages import tables, text
from tests.pi_app.plans.printed.made import USUAL, found

PAGE = "wiring_docs/printed_parts.md"
ALONE = ("closed", "pieces", "volume", "longest side")
"""These are in a sentence of the page, not in the table."""


def test_every_part_is_listed() -> None:
    (rows,) = tables(PAGE, "file", "part", "material", "layer", "walls", "orientation")
    assert [tuple(row.values()) for row in rows] == [
        (f"`{name}.stl`", part.what, part.material, f"{part.layer_mm:g} mm", str(part.walls), part.orientation)
        for name, part in PARTS.items()
    ]


def test_what_to_buy_and_how_to_build() -> None:
    (rows,) = tables(PAGE, "how many", "item")
    assert [(int(row["how many"]), row["item"]) for row in rows] == [*bought(USUAL)]
    for number, step in enumerate(STEPS, 1):
        assert f"\n{number}. {step}\n" in text(PAGE)


def test_every_number_is_listed() -> None:
    (rows,) = tables(PAGE, "number", "usual", "meaning")
    told = {row["number"].strip("`"): float(row["usual"]) for row in rows}
    assert told == {field.name: getattr(USUAL, field.name) for field in fields(PrintedSquare)}


def figure(cell: str) -> float:
    return float(cell.split()[0].rstrip("°"))


def test_every_check_is_listed_with_its_result() -> None:
    (rows,) = tables(PAGE, "part", "check", "measured", "limit")
    wanted: list[MeshCheck] = [check for check in found() if check.what not in ALONE]
    assert [(row["part"], row["check"], row["limit"]) for row in rows] == [
        (check.part, check.what, check.limit or "for information") for check in wanted
    ]
    for row, check in zip(rows, wanted, strict=True):
        assert figure(row["measured"]) == pytest.approx(check.value, abs=0.02), check.what


def told_of_clicks() -> dict[int, dict[str, str]]:
    heads = ("clicks", "cam's radius", "lobe's height", "flexure bends by", "rests off the middle by",
             "may stick near a top")  # fmt: skip
    (rows,) = tables(PAGE, *heads)
    return {int(row["clicks"]): row for row in rows}


def told(square: PrintedSquare) -> dict[str, float]:
    """The measurements of one click."""
    parts, shape = assembled(square), DialShape(clicks=square.clicks)
    return {check.what: check.value for check in clicks(square, parts, shape, one_click(square, parts))}


def compare(number: int) -> None:
    square, row = PrintedSquare(clicks=number), told_of_clicks()[number]
    measured = told(square)
    assert figure(row["cam's radius"]) == pytest.approx(square.cam_radius, abs=0.06)
    assert figure(row["lobe's height"]) == pytest.approx(square.lobe, abs=0.06)
    assert figure(row["flexure bends by"]) == pytest.approx(measured["bent on a lobe, less its play"], abs=0.06)
    assert figure(row["rests off the middle by"]) == pytest.approx(
        measured["rest position off the click's middle"], abs=0.2
    )
    assert figure(row["may stick near a top"]) == pytest.approx(measured["held by friction near a lobe's top"], abs=1.5)


def test_the_usual_clicks_are_right() -> None:
    compare(12)


@pytest.mark.slow
@pytest.mark.parametrize("number", [6, 8, 10, 16, 20, 24])
def test_all_clicks_are_right(number: int) -> None:
    assert number in told_of_clicks()
    compare(number)


def test_the_figures_of_the_sentences() -> None:
    page, measured = " ".join(text(PAGE).split()), {check.what: check.value for check in found()}
    assert f"{USUAL.height:.1f} mm high" in page
    down, up = measured["magnet to chip, dial resting"], measured["magnet to chip, dial lifted"]
    assert f"{down:.1f} to {up:.1f} mm because the dial has play" in page
    assert f"The shaft can be {measured[BUSHING]:.2f} mm off-centre" in page
    assert measured["distance from screws to magnet"] > 15
    rings = " ".join(text("wiring_docs/dial_faces.md").split())
    assert f"{USUAL.face_diameter:g} mm and {USUAL.face_hole_diameter:g} mm" in rings


BUSHING = "magnet off the bushing's middle"


def test_it_says_that_none_was_printed_yet() -> None:
    assert "**Nobody has printed one yet.**" in text(PAGE)


@pytest.mark.slow
@pytest.mark.parametrize(("number", "seated"), [(12, True), (16, True), (17, False), (24, False)])
def test_up_to_16_clicks_a_dial_is_seated_after_turning_either_way(number: int, seated: bool) -> None:
    square = PrintedSquare(clicks=number)
    measured = told(square)
    apart = measured["rest positions apart, turned both ways"]
    assert (apart <= SEATED_PITCH * square.pitch_deg) is seated
    assert "Up to 16 clicks" in text(PAGE)


@pytest.mark.slow
@pytest.mark.parametrize("thick", [1.2, 1.6])
def test_the_thicknesses_that_the_page_proposes_pass(thick: float) -> None:
    square = PrintedSquare(spring=thick)
    assert failures(checks(square, assembled(square))) == ()
    assert f"{thick:g}" in text(PAGE)
