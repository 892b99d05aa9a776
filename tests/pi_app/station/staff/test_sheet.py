"""The sheet beside a station: it has every sentence of the staff page, and nothing lies beside the paper."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from pi_app.pages.address import page_url, wifi_text
from pi_app.pages.qr import modules
from pi_app.plans.pictures.marks import A4_MM, Areas, Picture, Polyline, Text
from pi_app.plans.pictures.qr_marks import qr_marks
from pi_app.plans.wiring.drawing.style import extent
from pi_app.settings.pages_section import PagesSettings
from pi_app.station.staff.sheet import CALL, NAME, NO_PAGE, NO_PIN, RECOVERY, TELEPHONE, SheetFacts, lit_spans, sheets
from pi_app.station.troubles.lamp_patterns import MEANINGS, LampPattern
from pi_app.station.troubles.troubles import StationTrouble, TroubleFound
from pi_app.text.language import words
from pi_app.text.languages import LANGUAGES

PAGES = PagesSettings(network="Toy shop", passphrase="seven brass cogs 12", address="192.168.1.20")
FACTS = SheetFacts(pages=PAGES, address="192.168.1.20", pin="")


def text(page: Picture) -> str:
    return " ".join(mark.text for mark in page.marks if isinstance(mark, Text))


def lowest(page: Picture) -> float:
    return max(mark.at[1] for mark in page.marks if isinstance(mark, Text))


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_has_every_trouble_in_the_words_of_the_staff_page(language: str) -> None:
    speak = words(language)
    _, back = sheets(language, FACTS)
    for trouble in StationTrouble:
        found = TroubleFound(trouble, ("___",))
        assert found.seen(speak) in text(back)
        assert found.do(speak) in text(back)


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_fits_its_paper(language: str) -> None:
    full = SheetFacts(pages=PAGES, address="192.168.100.200", pin="123456789012")
    for page in sheets(language, full):
        assert lowest(page) < A4_MM[1] - 10
        for mark in page.marks:
            if isinstance(mark, Text):
                assert mark.at[0] + 0.56 * mark.size * len(mark.text) < A4_MM[0] + 8, mark.text


def test_the_lines_of_its_parts_do_not_lie_on_each_other() -> None:
    for page in sheets("en", SheetFacts(pages=PAGES, address="192.168.100.200", pin="271828")):
        lines = sorted((mark.at[1], mark.at[0]) for mark in page.marks if isinstance(mark, Text))
        rows = sorted({at for at, _ in lines})
        close = [(one, two) for one, two in pairwise(rows) if two - one < 2.5]
        assert [pair for pair in close if abs(pair[0] - pair[1]) > 0.9] == []


def test_the_first_code_is_the_wifi_and_the_second_the_address() -> None:
    front, _ = sheets("en", FACTS)
    drawn = [mark for mark in front.marks if isinstance(mark, Areas)]
    wanted = [wifi_text("Toy shop", "seven brass cogs 12"), page_url("192.168.1.20", 80)]
    sizes = [len(next(iter(qr_marks((0, 0), modules(each), 42.0))).shapes) for each in wanted]  # type: ignore[union-attr]
    assert [len(mark.shapes) for mark in drawn] == sizes
    assert "192 dot 168 dot 1 dot 20" in text(front)
    assert "http://192.168.1.20/staff" in text(front)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_first_page_has_lines_for_whom_to_call_below_everything_else(language: str) -> None:
    speak = words(language)
    front, _ = sheets(language, SheetFacts(pages=PAGES, address="192.168.100.200", pin="123456789012"))
    texts = [mark for mark in front.marks if isinstance(mark, Text)]
    call = next(mark.at[1] for mark in texts if mark.text == speak(CALL))
    below = [mark.text for mark in texts if mark.at[1] > call]
    assert below == [f"{speak(NAME)}:", f"{speak(TELEPHONE)}:"]
    assert max(mark.at[1] for mark in texts if mark.at[1] < call) <= call - 5, "room above it"
    lines = [mark for mark in front.marks if isinstance(mark, Polyline) and mark.points[0][1] > call]
    assert len(lines) == 2
    for line in lines:
        assert line.points[1][0] - line.points[0][0] >= 40, "room to write"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("network", ["Toy shop", ""])
def test_headings_stay_in_their_column_in_the_widest_common_font(language: str, network: str) -> None:
    pages = PagesSettings(network=network, passphrase=PAGES.passphrase if network else "", address="192.168.100.200")
    front, _ = sheets(language, SheetFacts(pages=pages, address="192.168.100.200"))
    bold = [extent(mark) for mark in front.marks if isinstance(mark, Text) and mark.bold]
    assert bold
    for one in bold:
        beside = [other.x for other in bold if other.y < one.bottom and one.y < other.bottom and other.x > one.x]
        assert one.right <= min([*beside, A4_MM[0] - 8])


@pytest.mark.parametrize("language", LANGUAGES)
def test_without_a_pin_it_sends_nobody_to_a_staff_page(language: str) -> None:
    speak = words(language)
    front, _ = sheets(language, SheetFacts(pages=PAGES, address="192.168.1.20", has_staff_page=False))
    assert "/staff" not in text(front)
    assert speak(RECOVERY) not in text(front)
    assert speak(MEANINGS[LampPattern.STAFF]) not in text(front)
    assert speak(NO_PAGE) in text(front)
    assert speak(NO_PIN) in text(front)


def test_the_pin_is_printed_only_if_asked() -> None:
    assert "271828" not in text(sheets("en", FACTS)[0])
    secret = SheetFacts(pages=PAGES, address="192.168.1.20", pin="271828")
    assert "PIN of the staff page: 271828" in text(sheets("en", secret)[0])
    assert "keep it away from visitors" in text(sheets("en", secret)[0])


def test_a_station_without_pages_has_no_codes_and_no_staff_page() -> None:
    front, _ = sheets("en", SheetFacts(pages=None))
    assert not any(isinstance(mark, Areas) for mark in front.marks)
    assert "/staff" not in text(front)
    assert "This station has no pages for phones." in text(front)


def test_the_drawn_patterns_are_the_blinked_ones() -> None:
    for pattern in LampPattern:
        spans = [*lit_spans(pattern, 4_800)]
        drawn = [any(begin <= ms < end for begin, end in spans) for ms in range(0, 4_800, 10)]
        assert drawn == [pattern.lit(ms * 1_000_000) for ms in range(0, 4_800, 10)]


def test_the_sheet_is_the_same_every_time(tmp_path: Path) -> None:
    assert sheets("de", FACTS) == sheets("de", FACTS)


@pytest.mark.parametrize(
    ("language", "table", "plays"), [("de", "ein Fallentisch", "Er spielt "), ("it", "un tavolo", "Gioca da solo ")]
)
def test_the_table_has_the_same_gender_in_both_sentences(language: str, table: str, plays: str) -> None:
    own = words(language)
    assert table in own("Trapdial: a table of traps to try")
    told = own("It needs no staff: it plays with everyone who comes, and starts again when they leave.")
    assert told.startswith(plays)
