"""The staff page in a real browser, through a real page process, to a door and a desk of the table's own."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_app.pages.link import ProcessLink
from pi_app.pages.listening import listen, port_of
from pi_app.pages.messages import Setup, StaffAnswer, StaffAsk
from pi_app.pages.staff_words import DOOR_WORDS
from pi_app.station.staff.desk import StaffDesk
from pi_app.station.staff.door import StaffDoor, Tries
from pi_app.station.staff.stick import NO_STICK
from pi_app.text.language import words
from pi_app.text.languages import LANGUAGES
from tests.pages.axe import axe, findings
from tests.pages.engines import Engine, engine
from tests.pi_app.station.staff.at_desk import DIAL, SECOND, Station

PIN = "271828"
SAID = "document.getElementById('said').textContent"


@contextlib.contextmanager
def served(folder: Path) -> Iterator[tuple[str, StaffDoor]]:
    """The address of a staff page whose table runs in a thread, and its door."""
    station = Station(folder)
    station.ring.note(DIAL, over=False)
    station.now_ns = 700 * SECOND
    listeners = listen("127.0.0.1", 0)
    host = f"127.0.0.1:{port_of(listeners)}"
    link = ProcessLink(Setup((host,), host), listeners)
    door = StaffDoor(PIN, lambda: (host,), Tries(folder, time.monotonic_ns()), StaffDesk(station.sources))
    stop = threading.Event()

    def run() -> None:
        while not stop.wait(0.005):
            for message in link.take():
                if isinstance(message, StaffAsk):
                    link.send(StaffAnswer(message.conn, door.answer(message.body, time.monotonic_ns())))

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield f"http://{host}/staff", door
    finally:
        stop.set()
        thread.join()
        link.close()


def enter(page: Engine, pin: str) -> None:
    page.until("!document.getElementById('enter').disabled")
    page.run(f"document.getElementById('pin').value='{pin}'; document.getElementById('enter').click();")


def save(page: Engine, script: str) -> None:
    """Run a script once the page is no longer busy: a tap meanwhile has no effect."""
    assert page.until("!document.getElementById('save').disabled && 'free'") == "free"
    page.run(script)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["chromium", "firefox", "webkit"])
def test_the_staff_get_in_with_the_pin_alone(tmp_path: Path, name: str) -> None:
    with served(tmp_path) as (address, _), engine(name) as page:
        page.size(320, 640)
        page.go(address)
        assert page.until("document.getElementById('enter').textContent") == "Open"
        enter(page, "111111")
        assert (
            page.until(f"document.getElementById('said').className==='bad' && {SAID}", 30_000) == "This PIN is wrong."
        )
        enter(page, PIN)
        assert page.until("!document.getElementById('desk').hidden && 'in'", 30_000) == "in"
        assert page.text("#now b") == "The station is too warm and runs slowly."
        assert page.text("#last b") == "No answer from dial T02."
        save(page, "document.querySelector('#days input').value='10-12'; document.getElementById('save').click();")
        wrong = "These are not opening hours. Write them as 10:00-19:00, the earlier time first."
        assert page.until(f"{SAID}.startsWith('These') && {SAID}", 30_000) == wrong
        save(page, "document.getElementById('report').click();")
        assert page.until(f"{SAID}.startsWith('There is no') && {SAID}", 30_000) == NO_STICK
        for language in LANGUAGES:
            save(page, f"const lang = document.getElementById('lang'); lang.value='{language}'; lang.onchange();")
            title = words(language)(DOOR_WORDS["title"])
            assert page.until(f"document.getElementById('title').textContent === {title!r} && 'there'") == "there"
            assert page.run("return document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.slow
def test_a_door_that_strangers_shut_asks_for_the_number_on_the_screens(tmp_path: Path) -> None:
    (tmp_path / "staff.tries").write_text('{"wrong": 9}')
    with served(tmp_path) as (address, door), engine("chromium") as page:
        page.size(320, 640)
        page.go(address)
        assert page.run("return document.getElementById('attable').hidden")
        enter(page, PIN)
        assert page.until(f"{SAID}.startsWith('Too many') && {SAID}", 30_000).endswith("Or try again in 16 min.")
        assert page.text("#numbername") == "Number on the station's screens"
        page.run("document.getElementById('number').value='000000';")
        enter(page, PIN)
        assert page.until(f"{SAID}.startsWith('This number') && {SAID}", 30_000).startswith(
            "This number is wrong or old."
        )
        number = door.invite(time.monotonic_ns())
        page.run(f"document.getElementById('number').value='{number}';")
        enter(page, PIN)
        assert page.until("!document.getElementById('desk').hidden && 'in'", 30_000) == "in"
        assert page.run("return document.getElementById('attable').hidden")


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["dark", "light"])
def test_axe_finds_nothing_at_the_door_and_at_the_desk(tmp_path: Path, theme: str) -> None:
    script = axe()
    with served(tmp_path) as (address, _), engine("chromium") as page:
        page.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        page.size(390, 844)
        page.go(address)
        page.until("!document.getElementById('enter').disabled")
        page.run("document.getElementById('attable').hidden = false")
        assert findings(page, script) == []
        enter(page, PIN)
        assert page.until("!document.getElementById('desk').hidden && 'in'", 30_000) == "in"
        for language in LANGUAGES:
            save(page, f"const lang = document.getElementById('lang'); lang.value='{language}'; lang.onchange();")
            title = words(language)(DOOR_WORDS["title"])
            assert page.until(f"document.getElementById('title').textContent === {title!r} && 'there'") == "there"
            assert page.until("!document.getElementById('save').disabled && 'free'") == "free"
            assert findings(page, script) == [], (language, theme)
            assert page.run("return document.documentElement.scrollWidth <= innerWidth")
