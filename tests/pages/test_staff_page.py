"""The staff page in a real browser, through a real page process, to a door and a desk of the table's own."""

from __future__ import annotations

import contextlib
import http.client
import json
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pi_app.pages import staff_sealing
from pi_app.pages.link import ProcessLink
from pi_app.pages.listening import listen, port_of
from pi_app.pages.messages import Setup, StaffAnswer, StaffAsk
from pi_app.pages.staff_words import DOOR_WORDS
from pi_app.station.package.signing import sign
from pi_app.station.staff.desk import StaffDesk
from pi_app.station.staff.door import StaffDoor, Tries
from pi_app.station.staff.stick import NO_STICK
from pi_app.station.staff.stick_update import UPDATE_BEGINS, StickUpdate
from pi_app.station.updates.refusals import Refusal, note_refusal
from pi_app.text.language import words
from pi_app.text.languages import LANGUAGES
from tests.pages.axe import axe, findings
from tests.pages.engines import Engine, engine
from tests.pi_app.hosts import put
from tests.pi_app.station.staff.at_desk import DIAL, SECOND, Station
from tests.station.tiny import BUILDER, trust

PIN = "271828"
DAYS = "[...document.querySelectorAll('#days fieldset')]"
TIMES = "document.querySelectorAll('#days fieldset input[type=time]')"
SAID = "document.getElementById('said').textContent"


def updates(station: Station) -> StickUpdate:
    """The updates of a station that runs version 1.0, by the builder B."""
    folder = station.folder
    return StickUpdate(
        host=station.sources.host,
        request=folder / "update",
        home=folder,
        builder=lambda: trust().builder,
        program="1.0",
    )


@contextlib.contextmanager
def served(folder: Path) -> Iterator[tuple[str, StaffDoor]]:
    """The address of a staff page whose table runs in a thread, and its door."""
    station = Station(folder)
    station.ring.note(DIAL, over=False)
    station.now_ns = 700 * SECOND
    station.sources = replace(station.sources, update=updates(station))
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
        save(page, f"{TIMES}[1].value = '09:00'; document.getElementById('save').click();")
        wrong = "Monday: it would close before it opens. Only a closing time until 06:00 is on the next day."
        assert page.until(f"{SAID}.startsWith('Monday') && {SAID}", 30_000) == wrong
        assert page.text("#days fieldset.wrong p") == wrong
        save(page, "document.getElementById('report').click();")
        assert page.until(f"{SAID}.startsWith('There is no') && {SAID}", 30_000) == NO_STICK
        for language in LANGUAGES:
            save(page, f"const lang = document.getElementById('lang'); lang.value='{language}'; lang.onchange();")
            title = words(language)(DOOR_WORDS["title"])
            assert page.until(f"document.getElementById('title').textContent === {title!r} && 'there'") == "there"
            assert page.run("return document.documentElement.scrollWidth <= innerWidth")


@contextlib.contextmanager
def at_the_desk(folder: Path, hours: str, name: str = "chromium") -> Iterator[Engine]:
    """The staff page behind its door, at a station that has kept these hours."""
    (folder / "hours.json").write_text(hours, encoding="utf-8")
    with served(folder) as (address, _), engine(name) as page:
        page.go(address)
        enter(page, PIN)
        assert page.until("!document.getElementById('desk').hidden && 'in'", 30_000) == "in"
        yield page


@pytest.mark.slow
@pytest.mark.parametrize("name", ["chromium", "firefox"])
def test_an_update_shows_its_version_and_signer_and_is_confirmed_with_a_button_of_its_own(
    tmp_path: Path, name: str
) -> None:
    put(tmp_path, "proc/mounts", "/dev/sda1 /media/trapdial vfat rw,nosuid 0 0\n")
    stick = tmp_path / "media/trapdial"
    stick.mkdir(parents=True)
    package = stick / "trapdial_2.0_arm64.deb"
    package.write_bytes(b"")
    sign(package, BUILDER, 0)
    note_refusal(tmp_path, Refusal.DAMAGED)
    with at_the_desk(tmp_path, "{}", name) as page:
        page.size(360, 740)
        assert page.text("#refused").startswith("The last update from a stick was refused. The package is damaged.")
        assert page.run("return document.getElementById('install').hidden")
        save(page, "document.getElementById('update').click();")
        offer = page.until(f"{SAID}.startsWith('Version') && {SAID}", 30_000)
        assert offer == (
            "Version 2.0 is on the stick, signed by the builder of this station (key 4242424242424242). "
            "Version 1.0 runs now."
        )
        assert page.text("#install") == "Install version 2.0"
        assert not (tmp_path / "update").exists()
        save(page, "document.getElementById('install').click();")
        assert page.until(f"{SAID}.startsWith('The update') && {SAID}", 30_000) == UPDATE_BEGINS
        assert (tmp_path / "update").exists()
        assert page.run("return document.getElementById('install').hidden")


def kept(folder: Path) -> dict[str, str]:
    """The hours that the station has kept."""
    return dict(json.loads((folder / "hours.json").read_text(encoding="utf-8")))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["chromium", "firefox"])
def test_a_day_has_a_switch_and_two_times_and_what_nobody_changed_stays_as_it_is_written(
    tmp_path: Path, name: str
) -> None:
    before = {"mon": "10:00-19:00", "tue": "09:00-24:00", "wed": "10:00-12:00, 14:00-19:00", "sun": ""}
    with at_the_desk(tmp_path, json.dumps(before), name) as page:
        assert page.run(f"return {DAYS}.map((day) => hoursOf(day))") == [
            "10:00-19:00", "09:00-24:00", "10:00-12:00, 14:00-19:00", "-", "-", "-", "",
        ]  # fmt: skip
        order = "return [...document.querySelectorAll('#desk section')].map((each) => each.innerHTML)"
        report, hours = (
            next(n for n, part in enumerate(page.run(order)) if f'id="{what}"' in part) for what in ("report", "hours")
        )
        assert report < hours, "the report and the update stand above the hours"
        words = f"return {DAYS}.map((day) => day.querySelector('.switch span').textContent)"
        assert page.run(words) == ["open", "open", "open", "open all day", "open all day", "open all day", "closed"]
        switch = "input[type=checkbox][role=switch]"
        save(page, f"{DAYS}[3].querySelector('{switch}').click(); {DAYS}[6].querySelector('{switch}').click();")
        assert page.run(words)[3:] == ["closed", "open all day", "open all day", "open all day"]
        assert not page.run(f"return {DAYS}[3].querySelector('.times').getClientRects().length")
        page.run(
            f"{DAYS}[6].querySelector('.pair button').click(); const typed = ['10:00', '12:00', '20:00', '02:00'];"
            f"{DAYS}[6].querySelectorAll('input[type=time]').forEach((time, n) => {{ time.value = typed[n]; }});"
            "document.getElementById('save').click();"
        )
        assert page.until(f"{SAID} === 'The opening hours are saved.' && 'kept'", 30_000) == "kept"
        assert kept(tmp_path) == {**before, "thu": "", "sun": "10:00-12:00, 20:00-02:00"}


@pytest.mark.slow
def test_what_is_typed_stays_through_a_mistake_a_report_and_another_language(tmp_path: Path) -> None:
    with at_the_desk(tmp_path, '{"mon": "10:00-19:00"}') as page:
        save(page, f"{TIMES}[1].value = '09:00'; {TIMES}[4].value = '11:00'; document.getElementById('save').click();")
        assert page.until(f"{SAID}.startsWith('Monday') && {SAID}.includes('Tuesday: fill in') && 'named'", 30_000)
        assert page.run(f"return {DAYS}.map((day) => day.className)") == ["wrong", "wrong", "", "", "", "", ""]
        assert page.run("return document.activeElement.closest('fieldset').name") == "mon"
        assert page.run("return document.activeElement.getAttribute('aria-invalid')") == "true"
        save(page, "document.getElementById('report').click();")
        assert page.until(f"{SAID}.startsWith('There is no') && 'asked'", 30_000) == "asked"
        save(page, "const lang = document.getElementById('lang'); lang.value = 'de'; lang.onchange();")
        assert page.until(f"{DAYS}[0].querySelector('legend').textContent === 'Montag' && 'there'", 30_000) == "there"
        assert page.run(f"return {DAYS}.map((day) => hoursOf(day)).slice(0, 2)") == ["10:00-09:00", "11:00-"]
        assert kept(tmp_path) == {"mon": "10:00-19:00"}


@pytest.mark.slow
def test_the_hours_are_set_with_the_keyboard_alone(tmp_path: Path) -> None:
    with at_the_desk(tmp_path, '{"mon": "10:00-19:00"}') as page:
        page.until("!document.getElementById('save').disabled")
        page.focus("#days fieldset input[type=checkbox]")
        for key in (" ", "\ue004"):  # the space bar switches, the tabulator goes on
            page.key("keyDown", key)
            page.key("keyUp", key)
        assert page.text("#days .switch span") == "closed"
        assert page.run("return document.activeElement.closest('fieldset').name") == "tue", "no field of a closed day"
        names = page.run("return [...document.querySelectorAll('#days [role=switch]')].map((each) => each.ariaLabel)")
        assert names[:2] == ["Monday: open", "Tuesday: open"]


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
def test_a_door_that_strangers_keep_busy_asks_for_the_number_too(tmp_path: Path) -> None:
    with served(tmp_path) as (address, door), engine("chromium") as page:
        page.size(320, 640)
        page.go(address)
        for _ in range(6):  # from the phone's own address: three that are open are too many
            begin_only(address)
        enter(page, PIN)
        assert page.until(f"{SAID}.startsWith('Somebody') && {SAID}", 30_000).startswith("Somebody keeps this door")
        assert not page.run("return document.getElementById('attable').hidden")
        assert page.run("return document.documentElement.scrollWidth <= innerWidth")
        assert len(door.invite(time.monotonic_ns())) == 6


def begin_only(address: str) -> None:
    """Begin an exchange as a page does, and never finish it."""
    host = address.split("/")[2]
    made = http.client.HTTPConnection(host, timeout=20)
    made.request("POST", "/staff/ask", staff_sealing.begin("111111", host).body)
    assert made.getresponse().status == 200
    made.close()


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
