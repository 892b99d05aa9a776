"""Pages that are printed for the table: one side of A4 each. Needs Chromium (Debian: `chromium`)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pi_app.cli.docs_html import write_pages
from tests.browser import BROWSER, MISSING, browse

pytestmark = [pytest.mark.slow, pytest.mark.skipif(BROWSER is None, reason=MISSING)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every page as HTML."""
    folder = tmp_path_factory.mktemp("docs")
    write_pages(folder)
    return folder


def sides(folder: Path, page: str) -> int:
    """How many sides of A4 a page takes."""
    browse(folder, "--no-pdf-header-footer", "--print-to-pdf=page.pdf", f"{page}.html")
    pdf = (folder / "page.pdf").read_bytes()
    (box,) = set(re.findall(rb"/MediaBox \[([^]]*)\]", pdf))
    assert [round(float(each)) for each in box.split()] in ([0, 0, 595, 842], [0, 0, 596, 842])
    return len(re.findall(rb"/Type /Page\b(?!s)", pdf))


@pytest.mark.parametrize("page", ["card", "table_words"])
def test_the_players_card_and_the_tables_words_are_one_side_each(folder: Path, page: str) -> None:
    assert sides(folder, page) == 1


def test_a_longer_page_has_more_sides(folder: Path) -> None:
    assert sides(folder, "words_in_full") > 1
