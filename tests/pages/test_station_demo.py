"""`trapdial demo --station --pages` in Chromium: a newcomer wakes the station, is guided, and reads a trap."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_app.cli.demo_station import PLAY, PUBLIC
from tests.demo_terminal import DISPLAY, PHONES, DemoPage, RunningDemo, running_station
from tests.pages.axe import axe, findings

pytestmark = pytest.mark.slow


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[RunningDemo]:
    with running_station(tmp_path, "--seed", "3") as running:
        yield running


def test_a_newcomer_is_guided_from_the_first_look_at_the_page_to_a_trap(demo: RunningDemo, page: DemoPage) -> None:
    browser = page.browser
    name = page.read_a_trap_at_a_station(demo.url)
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


def test_the_steps_name_a_button_as_it_was_before_the_tap(tmp_path: Path, page: DemoPage) -> None:
    with running_station(tmp_path, "--seed", "3", "--language", "it") as demo:
        page.open(demo.url)
        assert page.browser.until("document.getElementById('visit-turn').textContent !== 'My turn'")
        before = [page.browser.text("#visit-turn")]
        assert before == page.texts("#tap")
        page.until_in_phone(0, f"document.getElementById('hint').textContent.includes('{before[0]}')")
        page.click_in_phone(0, "#tap")
        page.until_in_phone(0, "document.getElementById('tap').className === 'on'")
        page.browser.reload()
        assert page.browser.until("document.getElementById('visit-turn').textContent !== 'My turn'")
        assert page.texts("#tap") == ["Ritira"]
        assert [page.browser.text("#visit-turn")] == before


def test_axe_finds_nothing_on_the_page_of_a_station(demo: RunningDemo, page: DemoPage) -> None:
    script = axe()
    page.open(demo.url)
    assert findings(page.browser, script) == []
    for width in (390, 800, 1280):
        page.browser.cdp(
            "Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=False
        )
        assert page.browser.run("return document.documentElement.scrollWidth <= innerWidth"), width
