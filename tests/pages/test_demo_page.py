"""The demo's page in Chromium: a newcomer claims, turns and looks by clicking, reloads, and plays another game."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.demo_terminal import PHONES, DemoPage, RunningDemo, running_demo
from tests.pages.axe import axe, findings
from tests.terminal import Terminal

pytestmark = pytest.mark.slow


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[RunningDemo]:
    with running_demo(tmp_path, "--seed", "7") as running:
        yield running


def test_a_newcomer_plays_by_clicking(demo: RunningDemo, page: DemoPage) -> None:
    page.open(demo.url)
    assert page.texts("#you") == ["You are Ann.", "You are Ben.", "You are Cal.", "You are Dee."]
    assert page.browser.text("#my-turn") == page.texts("#tap")[0]
    page.expose(0, 2)
    page.hold(0)
    glasses = page.texts("#glass")
    assert glasses[0].startswith("T03")
    assert glasses[1:] == ["", "", ""]
    page.let_go(0)
    assert page.texts("#glass") == ["", "", "", ""]

    page.browser.reload()
    assert page.all_joined()
    assert page.texts("#you") == ["You are Ann.", "You are Ben.", "You are Cal.", "You are Dee."]
    assert "moved" not in demo.terminal.text, "after a reload the phones come back without a scan"
    page.hold(0)
    assert page.texts("#glass")[0].startswith("T03")
    page.let_go(0)

    demo.terminal.type("end\n")
    assert page.browser.until(
        f"{PHONES}.every((phone) => !phone.getElementById('end').hidden && phone.querySelector('#qr svg'))"
    )
    demo.terminal.type("new\n")
    assert page.all_joined()
    assert (
        page.browser.run(f"return {PHONES}.map((phone) => phone.querySelectorAll('#seats button').length)") == [0] * 4
    )


def test_scanning_again_moves_a_seat_to_another_phone(demo: RunningDemo, page: DemoPage) -> None:
    page.open(demo.url)
    page.click(".phone h2 button", 1)
    assert page.all_joined()
    page.until_in_phone(0, "document.getElementById('news').textContent.includes('Ben')")
    assert page.texts("#you")[1] == "You are Ben."


def test_the_address_without_its_key_says_which_one_to_open(demo: RunningDemo, page: DemoPage) -> None:
    page.browser.go(f"http://localhost:{demo.port}/demo")
    assert page.browser.until("document.querySelectorAll('.square').length === 8")
    assert page.browser.text("#word") == "Open the address that the terminal has printed: it ends in # and 26 letters."
    assert page.browser.run("return document.querySelectorAll('iframe').length") == 0


def test_a_demo_that_has_ended_is_said(demo: RunningDemo, page: DemoPage) -> None:
    page.open(demo.url)
    demo.terminal.type("quit\n")
    assert page.browser.until("document.getElementById('word').textContent.startsWith('The demo has ended.')")


def test_a_visitor_watches_robots_and_takes_nothing_from_them(tmp_path: Path, page: DemoPage) -> None:
    """Neither their seats nor their dials, also with an older demo's address and with posts of a script."""
    command = [sys.executable, "-m", "pi_app", "demo", "--pages", "--auto", "--exposes", "150", "--size", "16x4"]
    with Terminal([*command, "--language", "en"], tmp_path, os.environ, (80, 60)) as terminal:
        terminal.wait_for("concealed")
        found = re.search(r"http://localhost:(\d+)/demo", terminal.letters)
        assert found is not None, str(terminal)
        page.browser.go(f"{found[0]}#T7T4PNWZBJVW6EPEHKZTRKU5KM")
        assert page.browser.until("document.querySelectorAll('.square').length === 16")
        said = "Robots play, each with a simulated phone of its own. You can watch the dials."
        assert page.browser.until(f"document.getElementById('watch').textContent === '{said}'")
        assert page.browser.run(
            "const count = (css) => document.querySelectorAll(css).length;"
            "const seen = [...document.querySelectorAll('.square button')].filter((each) => each.checkVisibility());"
            "return [count('iframe'), seen.length, document.getElementById('word').textContent,"
            "  document.getElementById('steps').hidden]"
        ) == [0, 0, "", True]
        page.browser.run("for (let n = 1; n < 17; n++) turn('T' + String(n).padStart(2, '0'), 5)")
        terminal.wait_for("Frames that did not open: 0.", at_most_s=300)  # the game is over
        assert "moved" not in terminal.text
        assert "Turned without a claim" not in terminal.text


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_axe_finds_nothing_on_the_page_of_all_seats(demo: RunningDemo, page: DemoPage, theme: str) -> None:
    page.open(demo.url, scheme=theme)
    script = axe()
    assert findings(page.browser, script) == []
    page.expose(0, 2)
    page.hold(0)
    assert findings(page.browser, script) == [], "while a phone shows its trap"
    page.let_go(0)
    page.browser.go(f"http://localhost:{demo.port}/demo")
    assert page.browser.until("document.getElementById('word').textContent")
    assert findings(page.browser, script) == []


def test_the_page_asks_nobody_else_and_names_every_button(demo: RunningDemo, page: DemoPage) -> None:
    page.open(demo.url)
    asked = page.browser.run("return performance.getEntriesByType('resource').map((each) => each.name)")
    assert {name.split("/")[2] for name in asked} == {f"localhost:{demo.port}"}
    names = page.browser.run(
        "return [...document.querySelectorAll('.square button')].map((each) => each.getAttribute('aria-label'))"
    )
    assert names[:3] == ["T01: Roll and turn", "T01: 1 click", "T01: Back"]
    assert len(set(names)) == 24
    # The list names a frame with the part behind the #, which no request carries.
    assert demo.key[1:] not in json.dumps([name.partition("#")[0] for name in asked])
