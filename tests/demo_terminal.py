"""`trapdial demo --pages` on a terminal of its own, and its page in a browser: a person who plays by clicking."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.pages.engines import Chromium, engine
from tests.terminal import Terminal

SCALE = 0.85
"""How large the demo's page draws its phones: `demo.css`."""

PHONES = "[...document.querySelectorAll('#phones iframe')].map((each) => each.contentDocument)"
"""The documents of all phones, in JavaScript."""

DISPLAY = "document.getElementById('display').contentDocument"
"""The document of a station's public display."""

_ALL_JOINED = (
    f"{PHONES}.length && {PHONES}.every((phone) => "
    "!phone.getElementById('public').hidden && !phone.getElementById('keys').hidden && "
    "!phone.getElementById('link').textContent)"
)

_MIDDLE_IN_PHONE = """
const phone = document.querySelectorAll("#phones iframe")[arguments[0]], outer = phone.getBoundingClientRect();
const inner = phone.contentDocument.querySelector(arguments[1]).getBoundingClientRect();
return [outer.x + (inner.x + inner.width / 2) * arguments[2], outer.y + (inner.y + inner.height / 2) * arguments[2]];
"""

_MIDDLE = """
const box = document.querySelectorAll(arguments[0])[arguments[1]].getBoundingClientRect();
return [box.x + box.width / 2, box.y + box.height / 2];
"""

_TEXTS = f"return {PHONES}.map((phone) => phone.querySelector(arguments[0]).textContent)"


@dataclass(frozen=True, slots=True)
class RunningDemo:
    """The terminal of a demo, and where its page is."""

    terminal: Terminal
    port: int
    key: str

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}/demo#{self.key}"

    @property
    def display(self) -> str:
        """The public display of a station."""
        return f"http://localhost:{self.port}/public"


@contextlib.contextmanager
def running_demo(folder: Path, *words: str) -> Iterator[RunningDemo]:
    """Start it and wait for its address; in the end it is killed, if it still runs."""
    command = [sys.executable, "-m", "pi_app", "demo", "--pages", *words]
    with Terminal(command, folder, os.environ) as terminal:
        terminal.wait_for("/demo#")
        terminal.wait_for("concealed")
        found = re.search(r"http://localhost:(\d+)/demo#([A-Z2-7]{26})", terminal.letters)
        assert found is not None, str(terminal)
        yield RunningDemo(terminal, int(found[1]), found[2])


@contextlib.contextmanager
def running_station(folder: Path, *words: str) -> Iterator[RunningDemo]:
    """The same for `trapdial demo --station --pages`."""
    command = [sys.executable, "-m", "pi_app", "demo", "--station", "--pages", *words]
    with Terminal(command, folder, os.environ) as terminal:
        terminal.wait_for("/public")
        found = re.search(r"http://localhost:(\d+)/demo#([A-Z2-7]{26})", terminal.letters)
        assert found is not None, str(terminal)
        yield RunningDemo(terminal, int(found[1]), found[2])


@dataclass(frozen=True, slots=True)
class DemoPage:
    """The demo's page in Chromium, whose mouse reaches into the phones."""

    browser: Chromium

    def open(self, url: str, width: int = 1280, height: int = 860, scheme: str = "dark") -> None:
        """Open it and wait until all phones have joined."""
        self.browser.cdp(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )
        self.browser.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.browser.go(url)
        assert self.all_joined()

    def all_joined(self) -> bool:
        """Whether every phone has a frame; wait for it, at a station until a visit has begun."""
        return bool(self.browser.until(_ALL_JOINED, 60_000))

    def texts(self, css: str) -> list[str]:
        """The text of an element on each phone."""
        return [str(text) for text in self.browser.run(_TEXTS, css)]

    def mouse(self, kind: str, point: list[float]) -> None:
        """`mousePressed` or `mouseReleased` at a point of the page."""
        self.browser.cdp("Input.dispatchMouseEvent", type=kind, x=point[0], y=point[1], button="left", clickCount=1)

    def in_phone(self, phone: int, css: str) -> list[float]:
        """The middle of an element of a phone, on the page."""
        return [float(value) for value in self.browser.run(_MIDDLE_IN_PHONE, phone, css, SCALE)]

    def click(self, css: str, number: int = 0) -> None:
        """Click on an element of the page itself."""
        self._click([float(value) for value in self.browser.run(_MIDDLE, css, number)])

    def click_in_phone(self, phone: int, css: str) -> None:
        """Click on an element of a phone."""
        self._click(self.in_phone(phone, css))

    def _click(self, point: list[float]) -> None:
        self.mouse("mousePressed", point)
        self.mouse("mouseReleased", point)

    def until_in_phone(self, phone: int, wanted: str) -> None:
        """Wait until this expression is true of a phone's `document`."""
        assert self.browser.until(f"((document) => {wanted})({PHONES}[{phone}])"), wanted

    def expose(self, phone: int, square: int) -> None:
        """My turn. Roll and turn. Wait until the dial rests."""
        self.click_in_phone(phone, "#tap")
        self.until_in_phone(phone, "document.getElementById('tap').classList.contains('on')")
        self.click(".square .roll", square)
        assert self.browser.until(f"/click.*rolled/.test(document.querySelectorAll('.square')[{square}].textContent)")

    def hold(self, phone: int) -> None:
        """Press the mouse on a phone's hold button, and wait for what it shows."""
        self.mouse("mousePressed", self.in_phone(phone, "#hold"))
        assert self.browser.until(f"{PHONES}[{phone}].querySelector('#glass .name') !== null")

    def let_go(self, phone: int) -> None:
        """Release the mouse there."""
        self.mouse("mouseReleased", self.in_phone(phone, "#hold"))

    def read_a_trap_at_a_station(self, url: str) -> str:
        """Open the page of a demo station, wake it, do what its guide says, and return the name of the trap."""
        self.open(url)
        assert self.texts("#you") == ["You are P4."]
        self.until_in_phone(0, "document.getElementById('hint').textContent === 'Tap “My turn” once.'")
        assert self.browser.until(f"{DISPLAY}.querySelector('h1').textContent === 'Tap your button once.'")
        assert self.browser.run("return document.querySelectorAll('.square').length") == 8

        self.click_in_phone(0, "#tap")
        self.until_in_phone(0, "document.getElementById('hint').textContent === 'Something for you. Hold to see it.'")
        self.mouse("mousePressed", self.in_phone(0, "#hold"))
        self.until_in_phone(0, "/[1-6] click/.test(document.getElementById('glass').textContent)")
        number = int(re.findall(r"[0-9]", self.texts("#glass")[0])[0])
        self.let_go(0)
        assert self.browser.until(f"{DISPLAY}.querySelector('h1').textContent === 'Turn one dial by that many clicks.'")
        self.click(f".square button[aria-label^='T03: {number} click']")
        assert self.browser.until("document.querySelectorAll('.square')[2].textContent.includes('click')")
        self.until_in_phone(0, "document.getElementById('hint').textContent === 'Something for you. Hold to see it.'")
        self.hold(0)
        assert self.texts("#glass")[0].startswith("T03")
        return str(self.browser.run(f"return {PHONES}[0].querySelector('#glass .name').textContent"))


@contextlib.contextmanager
def demo_page() -> Iterator[DemoPage]:
    """Start Chromium for the page of a demo; skip the test, by its name, where it is not installed."""
    with engine("chromium") as browser:
        assert isinstance(browser, Chromium)
        yield DemoPage(browser)
