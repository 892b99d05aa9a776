"""The page as a browser lays it out: its first screen on a desk and on a phone, a phone of 320 pixels, A4 paper. Needs
Chromium (Debian: `chromium`)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pi_app.audit.page import page
from tests.browser import BROWSER, MISSING, browse, on_phone
from tests.docs.pictures import audit_sample
from tests.pages.axe import axe, findings
from tests.pages.engines import engine

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


SCREENS = {"desk": (1280, 800), "phone": (390, 844)}

_PLACES = """
const seen = (css, words) => [...document.querySelectorAll(css)].find((each) => each.textContent.includes(words));
const bottom = (part) => part ? Math.ceil(part.getBoundingClientRect().bottom) : null;
return {
  verdict: bottom(seen("strong", "FAIL")), seal: bottom(seen("strong", "WHOLE")),
  device: bottom(seen(".letters", "4839 56B7")), qr: bottom(seen("svg", "QR code")),
  players: bottom(seen("dd", "Ann, Ben, Cal, Dee")), date: bottom(seen("dd", "2026-05-16")),
};
"""

_TURNS = """
const height = (cell) => cell.getBoundingClientRect().height, top = (cell) => cell.getBoundingClientRect().top;
return [...document.querySelectorAll(".turns tbody tr")].map((row) => [...row.children].every((cell) =>
  Math.abs(top(cell) - top(row.children[0])) < 3 && height(cell) < 30));
"""


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("screen", SCREENS)
def test_the_first_screen_has_verdict_seal_players_and_date(folder: Path, screen: str, theme: str) -> None:
    wide, high = SCREENS[screen]
    with engine("chromium") as browser:
        browser.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        browser.cdp("Emulation.setDeviceMetricsOverride", width=wide, height=high, deviceScaleFactor=1, mobile=False)
        browser.go((folder / "page.html").as_uri())
        places = browser.run(_PLACES)
        assert {name: 0 < (bottom or 0) <= high for name, bottom in places.items()} == dict.fromkeys(places, True), (
            places
        )
        assert browser.run("return document.documentElement.scrollWidth") <= wide
        assert findings(browser, axe()) == []
        if screen == "phone":
            assert browser.run(_TURNS) == [True] * 9, "a turn is one line"
