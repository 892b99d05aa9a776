"""Sheets: size, secrecy and formats."""

from __future__ import annotations

import re
import sys
from xml.etree import ElementTree

import msgspec
import pytest

from pi_app.game.trap_table import TrapTable
from pi_app.game.trap_table_file import load_sample
from pi_app.plans.pictures.marks import Area, Block, Disc, Mark, Point, Polyline, Text
from pi_app.plans.printed.faces.sheets import PAPERS, Paper, layout, pages, pdf, sheet, sheets
from pi_app.plans.printed.square import PrintedSquare
from pi_app.text.errors import UserFileError
from pi_app.text.languages import LANGUAGES
from tests.pi_app.plans.printed.faces.tables import with_clicks

A, B, LONG = load_sample("SAMPLE-A"), load_sample("SAMPLE-B"), load_sample("SAMPLE-12")
SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("paper", PAPERS)
def test_s_9_numbers_depend_on_nothing_but_the_clicks(paper: Paper) -> None:
    assert sheet([A], paper=paper) == sheet([B], paper=paper) == sheet([LONG], paper=paper)
    assert pdf([A, B], paper=paper) == pdf([LONG, LONG], paper=paper)


def test_s_9_the_order_of_tables_does_not_matter() -> None:
    one, other = with_clicks(8), with_clicks(16)
    assert sheet([one, LONG, other]) == sheet([other, one, A])


def test_s_9_a_language_or_a_name_changes_nothing_either() -> None:
    named = msgspec.structs.replace(A, name="Cellar of doom", provenance="house")
    assert sheet([named]) == sheet([A], language="fr")


def test_full_sheets_differ_and_say_that_they_are_secret() -> None:
    told = sheet([A], full=True)
    assert told != sheet([B], full=True)
    assert "SECRET: this sheet shows the traps of every dial." in told
    assert "SECRET" not in sheet([A])
    assert "SAMPLE-A" in told
    assert "SAMPLE" not in sheet([A])


def test_a_made_up_table_is_marked_as_a_sample() -> None:
    named = msgspec.structs.replace(A, name="Cellar")
    assert "Cellar (SAMPLE)" in sheet([named], full=True)


@pytest.mark.parametrize("paper", PAPERS)
def test_a_sheet_has_its_papers_size_in_mm(paper: Paper) -> None:
    root = ElementTree.fromstring(sheet([A], paper=paper))
    wide, high = PAPERS[paper]
    assert (root.get("width"), root.get("height")) == (f"{wide:g}mm", f"{high:g}mm")
    assert root.get("viewBox") == f"0 0 {wide} {high}"


def test_the_bar_is_fifty_millimetres() -> None:
    (page,) = layout([A])
    bars = [mark for mark in page.marks if isinstance(mark, Polyline) and mark.width == 0.3 and len(mark.points) == 2]
    longest = max(abs(mark.points[1][0] - mark.points[0][0]) for mark in bars)
    assert longest == 50
    assert "Measure the bar: it must be 50 mm long." in sheet([A])
    assert ">50 mm<" in sheet([A])


def test_a_ring_fits_the_printed_dial() -> None:
    (page,) = layout([A])
    sizes = sorted(2 * mark.radius for mark in page.marks if isinstance(mark, Disc))
    assert sizes == [16, 37]
    assert sizes[1] < PrintedSquare().dial_diameter
    assert sizes[0] < PrintedSquare().opening_diameter


def places(mark: Mark) -> tuple[Point, ...]:
    match mark:
        case Text(at):
            return (at,)
        case Disc((x, y), radius):
            return (x - radius, y - radius), (x + radius, y + radius)
        case Block(rect):
            return (rect.x, rect.y), (rect.right, rect.bottom)
        case Polyline(points) | Area(points):
            return points
    raise AssertionError(mark)


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("full", [False, True])
def test_everything_is_on_the_paper_and_dials_do_not_touch(paper: Paper, full: bool) -> None:
    tables = [A] * 23
    made = layout(tables, paper=paper, full=full)
    assert len(made) == pages(tables, paper=paper) == 2
    wide, high = PAPERS[paper]
    for page in made:
        paper_itself, *marks = page.marks
        assert places(paper_itself) == ((0, 0), (wide, high))
        points = [at for mark in marks for at in places(mark)]
        assert all(4 < x < wide - 4 and 4 < y < high - 4 for x, y in points)
    middles = [mark.at for mark in made[0].marks if isinstance(mark, Disc)][::2]
    assert len(middles) == {"A4": 20, "Letter": 16}[paper]
    apart = [(x - u) ** 2 + (y - v) ** 2 for n, (x, y) in enumerate(middles) for u, v in middles[n + 1 :]]
    assert min(apart) > 40**2


def test_a_missing_page() -> None:
    assert sheets([A] * 23) == (sheet([A] * 23), sheet([A] * 23, page=2))
    assert sheet([A] * 23, page=2) != sheet([A] * 23)
    with pytest.raises(IndexError, match=r"^no page 2: there are 1$"):
        sheet([A], page=2)


def clicks(number: int) -> TrapTable:
    return msgspec.structs.replace(A, clicks=number)


def test_a_dial_that_cannot_be_printed() -> None:
    with pytest.raises(UserFileError) as refused:
        sheet([A, clicks(30)])
    assert refused.value.problems == (
        "trap square (clicks): the lobes of 30 clicks are too low to feel, with too little room for a number. "
        "Print dials of 6 to 24 clicks.",
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_pdf_has_the_same_pages_in_every_language(language: str) -> None:
    data = pdf([A], full=True, language=language)
    assert data.startswith(b"%PDF-")
    sizes = re.findall(rb"/MediaBox \[0 0 ([0-9.]+) ([0-9.]+)\]", data)
    assert {(round(float(wide) * 25.4 / 72), round(float(high) * 25.4 / 72)) for wide, high in sizes} == {(210, 297)}


def test_the_pdf_has_as_many_pages_as_the_sheets_and_the_same_bytes_each_time() -> None:
    data = pdf([A] * 21)
    assert data.count(b"/Type /Page\n") == pages([A] * 21) == 2
    assert data == pdf([A] * 21)


def test_letters_missing_in_the_fonts_are_replaced() -> None:
    assert pdf([msgspec.structs.replace(A, name="Подвал")], full=True)


def test_a_full_sheet_shows_no_face_in_its_repr() -> None:
    assert "sealed" in repr(A)


def test_without_the_library_for_pdf(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fpdf", None)
    monkeypatch.delitem(sys.modules, "pi_app.plans.pictures.pdf", raising=False)
    with pytest.raises(UserFileError) as refused:
        pdf([A])
    assert refused.value.problems == (
        "dial faces (PDF): the library for PDF is not installed (fpdf2). Install it with "
        "`trapdial extras install parts`, or print the SVG.",
    )
    assert sheet([A])
