"""The page as a browser lays it out: on a phone of 320 pixels and on A4 paper. Needs Chromium (Debian: `chromium`)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pi_app.audit.page import page
from tests.browser import BROWSER, MISSING, browse, on_phone
from tests.docs.pictures import audit_sample

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(BROWSER is None, reason=MISSING),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample page in a folder of its own."""
    folder = tmp_path_factory.mktemp("browser")
    made = audit_sample.sample(folder / "sample.db")
    (folder / "page.html").write_text(page([made], None, audit_sample.MADE), encoding="utf-8")
    return folder


def test_a_phone_shows_all_of_it_without_scrolling_sideways(folder: Path) -> None:
    shown = on_phone(folder / "page.html")
    assert shown.width <= 320
    assert shown.too_wide == ""
    assert shown.smallest_letters >= 12


def test_a_short_game_is_two_pages_of_paper(folder: Path) -> None:
    browse(folder, "--no-pdf-header-footer", "--print-to-pdf=page.pdf", "page.html")
    pdf = (folder / "page.pdf").read_bytes()
    assert len(re.findall(rb"/Type /Page\b(?!s)", pdf)) == 2
    (box,) = set(re.findall(rb"/MediaBox \[([^]]*)\]", pdf))
    assert [round(float(each)) for each in box.split()] in ([0, 0, 595, 842], [0, 0, 596, 842])


def test_no_heading_ends_a_page(folder: Path) -> None:
    """Each heading is kept with what follows: as printed, no rule of the sheet takes that back."""
    script = (
        "<script>onload = () => { const of = (each) => getComputedStyle(each); const bad = "
        "[...document.querySelectorAll('h1, h2, h3')].filter((each) => of(each).breakAfter !== 'avoid'); "
        "document.title = `${document.querySelectorAll('h1, h2, h3').length} headings, ${bad.length} alone`; }"
        "</script>"
    )
    page = (folder / "page.html").read_text(encoding="utf-8")
    printed = page.replace("@media print", "@media all").replace("@media screen and", "@media print and")
    (folder / "printed.html").write_text(printed.replace("</body>", f"{script}</body>"), encoding="utf-8")
    assert re.search(r"<title>\d\d headings, 0 alone</title>", browse(folder, "--dump-dom", "printed.html"))
