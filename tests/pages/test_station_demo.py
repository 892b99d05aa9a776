"""`trapdial demo --station --pages` in Chromium: a newcomer wakes the station, is guided, and reads a trap."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_app.cli.demo_station import PLAY, PUBLIC
from tests.demo_terminal import PHONES, DemoPage, RunningDemo, running_station
from tests.pages.axe import axe, findings
from tests.pages.engines import Chromium, engine

pytestmark = pytest.mark.slow

DISPLAY = "document.getElementById('display').contentDocument"


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[RunningDemo]:
    with running_station(tmp_path, "--seed", "3") as running:
        yield running


@pytest.fixture
def page() -> Iterator[DemoPage]:
    with engine("chromium") as browser:
        assert isinstance(browser, Chromium)
        yield DemoPage(browser)


def test_a_newcomer_is_guided_from_the_first_look_at_the_page_to_a_trap(demo: RunningDemo, page: DemoPage) -> None:
    browser = page.browser
    page.open(demo.url)
    assert page.texts("#you") == ["You are P4."]
    page.until_in_phone(0, "document.getElementById('hint').textContent === 'Tap “My turn” once.'")
    assert browser.until(f"{DISPLAY}.querySelector('h1').textContent === 'Tap your button once.'")
    assert browser.run("return document.querySelectorAll('.square').length") == 8

    page.click_in_phone(0, "#tap")
    page.until_in_phone(0, "document.getElementById('hint').textContent === 'Something for you. Hold to see it.'")
    page.mouse("mousePressed", page.in_phone(0, "#hold"))
    page.until_in_phone(0, "/[1-6] click/.test(document.getElementById('glass').textContent)")
    number = int(re.findall(r"[0-9]", page.texts("#glass")[0])[0])
    page.let_go(0)
    assert browser.until(f"{DISPLAY}.querySelector('h1').textContent === 'Turn one dial by that many clicks.'")
    page.click(f".square button[aria-label^='T03: {number} click']")
    assert browser.until("document.querySelectorAll('.square')[2].textContent.includes('click')")
    page.until_in_phone(0, "document.getElementById('hint').textContent === 'Something for you. Hold to see it.'")
    page.hold(0)
    assert page.texts("#glass")[0].startswith("T03")
    name = str(browser.run(f"return {PHONES}[0].querySelector('#glass .name').textContent"))
    assert name not in str(browser.run(f"return {DISPLAY}.body.textContent + document.body.textContent"))
    page.let_go(0)
    assert page.texts("#glass") == [""]

    shown = browser.run(f"return [...{PHONES}[0].querySelectorAll('#news li')].map((each) => each.textContent)")
    assert shown, "news"
    state = page.texts("#state")[0]
    assert [line for line in shown if line in state] == [], "no sentence stands there twice"

    demo.terminal.settle()
    assert demo.url in demo.terminal.letters
    assert " ".join((PLAY, demo.url)).replace(" ", "") in demo.terminal.letters
    assert demo.terminal.text.endswith(f"{PUBLIC} {demo.display}"), "nothing covers the addresses"


def test_axe_finds_nothing_on_the_page_of_a_station(demo: RunningDemo, page: DemoPage) -> None:
    script = axe()
    page.open(demo.url)
    assert findings(page.browser, script) == []
    for width in (390, 800, 1280):
        page.browser.cdp(
            "Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=False
        )
        assert page.browser.run("return document.documentElement.scrollWidth <= innerWidth"), width
