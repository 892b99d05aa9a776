"""Chromium without a window: pages as a phone of 320 pixels, paper and a person's eyes get them."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Final, NamedTuple

BROWSER: Final = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
MISSING: Final = "no Chromium on this machine; Debian's package is chromium"

_OPTIONS: Final = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--allow-file-access-from-files",
    "--no-first-run", "--disable-background-networking", "--hide-scrollbars",
)  # fmt: skip

_PHONE: Final = """<!DOCTYPE html>
<style>body {{ margin: 0 }}</style>
<iframe id="phone" src="{page}" style="width:320px;height:{height}px;border:0"></iframe>
<p id="result">not measured</p>
<script>
onload = () => {{
  const page = document.getElementById("phone").contentDocument, width = 320;
  const boxes = [...page.querySelectorAll("body *")].filter((each) => !each.closest("svg") && !each.closest("figure"));
  const wide = boxes.filter((each) => each.getBoundingClientRect().right > width + 0.5).map((each) => each.tagName);
  const size = Math.min(...boxes.filter((each) => each.textContent.trim() && each.getClientRects().length)
    .map((each) => parseFloat(getComputedStyle(each).fontSize)));
  const root = page.documentElement;
  document.getElementById("result").textContent =
    `scroll ${{root.scrollWidth}} high ${{root.scrollHeight}} wide [${{wide}}] smallest ${{size}}`;
}};
</script>
"""


class OnPhone(NamedTuple):
    """A page as a phone of 320 pixels lays it out."""

    width: int
    height: int
    too_wide: str
    """The elements that are cut off at the right."""
    smallest_letters: float


def browse(folder: Path, *options: str) -> str:
    """Run Chromium in a folder; return what it prints."""
    assert BROWSER is not None, MISSING
    command = [BROWSER, *_OPTIONS, f"--user-data-dir={folder / 'profile'}", *options]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True, timeout=120).stdout


def on_phone(page: Path) -> OnPhone:
    found = re.search(
        r"scroll (\d+) high (\d+) wide \[(.*?)\] smallest ([\d.]+)",
        browse(page.parent, "--dump-dom", _phone(page, 640).name),
    )
    assert found is not None
    return OnPhone(int(found[1]), int(found[2]), found[3], float(found[4]))


def photograph(page: Path, picture: Path, height: int) -> None:
    """Write a PNG of the page on a phone, so many pixels of it."""
    size = f"--window-size=320,{height}"
    browse(page.parent, size, f"--screenshot={picture}", _phone(page, height).name)


def _phone(page: Path, height: int) -> Path:
    """A page that shows this page as wide as a phone: Chromium's own window is wider."""
    phone = page.with_name("phone.html")
    phone.write_text(_PHONE.format(page=page.name, height=height), encoding="utf-8")
    return phone
