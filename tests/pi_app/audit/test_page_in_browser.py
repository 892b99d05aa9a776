"""The page as a browser lays it out: on a phone of 320 pixels and on A4 paper. Needs Chromium (Debian: `chromium`)."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from pi_app.audit.page import page
from tests.docs.pictures import audit_sample

BROWSER: Final = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine; Debian's package is chromium"),
]

OPTIONS: Final = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--allow-file-access-from-files",
    "--no-first-run", "--disable-background-networking",
)  # fmt: skip

PHONE: Final = """<!DOCTYPE html>
<iframe id="phone" src="page.html" style="width:320px;height:640px;border:0"></iframe>
<p id="result">not measured</p>
<script>
onload = () => {
  const page = document.getElementById("phone").contentDocument, width = 320;
  const boxes = [...page.querySelectorAll("body *")].filter((each) => !each.closest("svg") && !each.closest("figure"));
  const wide = boxes.filter((each) => each.getBoundingClientRect().right > width + 0.5).map((each) => each.tagName);
  const size = Math.min(...boxes.filter((each) => each.textContent.trim() && each.getClientRects().length)
    .map((each) => parseFloat(getComputedStyle(each).fontSize)));
  document.getElementById("result").textContent =
    `scroll ${page.documentElement.scrollWidth} wide [${wide}] smallest ${size}`;
};
</script>
"""


def browse(folder: Path, *options: str) -> str:
    assert BROWSER is not None
    command = [BROWSER, *OPTIONS, f"--user-data-dir={folder / 'profile'}", *options]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True, timeout=120).stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample page, and a page that shows it as wide as a phone."""
    folder = tmp_path_factory.mktemp("browser")
    made = audit_sample.sample(folder / "sample.db")
    (folder / "page.html").write_text(page([made], None, audit_sample.MADE), encoding="utf-8")
    (folder / "phone.html").write_text(PHONE, encoding="utf-8")
    return folder


def test_a_phone_shows_all_of_it_without_scrolling_sideways(folder: Path) -> None:
    found = re.search(r"scroll (\d+) wide \[(.*?)\] smallest ([\d.]+)", browse(folder, "--dump-dom", "phone.html"))
    assert found is not None
    assert int(found[1]) <= 320
    assert found[2] == ""
    assert float(found[3]) >= 12


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
