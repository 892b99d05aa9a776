"""The centre's pages in Chromium: 500 rows, the filter, the way to a table, readers, screen readers and a phone."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_app.centre.findings.tables import table_rows
from pi_app.centre.pages.rows import hashed
from tests.pages.axe import axe, findings
from tests.pages.engines import Engine, engine
from tests.pi_app.centre.pages.hall import AUDITOR, LYON, NOW_S, PageHall, a_row, many_rows, page_hall, served
from tests.pi_app.centre.pages.played import play_at

pytestmark = pytest.mark.slow

SHOWN = "[...document.querySelectorAll('#rows > li')].filter((each) => each.getClientRects().length).length"


@contextlib.contextmanager
def opened(folder: Path, count: int = 500) -> Iterator[tuple[PageHall, str, Engine]]:
    """A centre with many tables, the first of which has played, and a browser."""
    with page_hall(folder) as hall:
        play_at(folder, hall.store, "Table 0", "Lyon")
        (first,) = table_rows(hall.store, NOW_S)
        hall.rows = [a_row("Table 0", ("plays",), origin=first.origin, size=8), *many_rows(count - 1)]
        with served(hall) as url, engine("chromium") as page:
            yield hall, url, page


def enter(page: Engine, url: str, token: str = AUDITOR) -> None:
    page.go(f"{url}/enter#{token}")
    assert becomes(page, "document.querySelector('#rows')")


def becomes(page: Engine, expression: str) -> bool:
    """Wait until an expression is true, also while another page is loaded: there a command of the browser fails."""
    for _ in range(3_000):
        with contextlib.suppress(RuntimeError):
            if page.run(f"return !!({expression})"):
                return True
    return False


def choose(page: Engine, name: str, value: str) -> None:
    page.run(
        "const field = document.querySelector(`#find [name=${arguments[0]}]`); field.value = arguments[1];"
        "field.dispatchEvent(new Event('input', { bubbles: true }));",
        name,
        value,
    )


def test_an_auditor_finds_a_table_among_500(tmp_path: Path) -> None:
    with opened(tmp_path) as (hall, url, page):
        enter(page, url)
        assert page.run("return location.href") == f"{url}/"
        assert page.text("h1") == "500 tables of 12 shops"
        assert (page.run(f"return {SHOWN}"), page.text("output")) == (500, "500 of 500")
        assert page.run("return document.querySelectorAll('.dots a').length") == 500
        choose(page, "q", "LEIPZIG silent")
        assert page.text("output") == "1 of 500"
        choose(page, "q", "")
        choose(page, "level", "stop")
        assert page.run(f"return {SHOWN}") == 4
        choose(page, "shop", "Lyon")
        assert (page.run(f"return {SHOWN}"), page.shown("#none")) == (1, False)
        choose(page, "q", "no such words")
        assert (page.run(f"return {SHOWN}"), page.shown("#none")) == (0, True)
        for name in ("q", "level", "shop"):
            choose(page, name, "")
        choose(page, "q", "table 0")
        page.tap(f'#rows a[href="/table/{hashed(hall.rows[0].origin)}"]')
        assert becomes(page, "document.querySelector('h1').textContent.startsWith('Table 0')")
        page.tap(".games a")
        assert becomes(page, "document.title === 'Trapdial audit'")
        assert page.run("return getComputedStyle(document.querySelector('svg .s-blue')).stroke") == "rgb(31, 95, 168)"


def test_fresh_rows_come_without_losing_the_readers_place(tmp_path: Path) -> None:
    with opened(tmp_path, 60) as (hall, url, page):
        enter(page, url)
        choose(page, "q", "table 3")
        page.run(
            "[...document.querySelectorAll('#rows a')].find((each) => each.textContent === 'Table 3')"
            ".focus({ preventScroll: true }); scrollTo(0, 300)"
        )
        before = page.run("return [document.activeElement.getAttribute('href'), scrollY]")
        hall.rows = [each for each in many_rows(61) if each.name != "Table 31"]
        hall.now_s += 10
        page.run("refresh()")
        assert becomes(page, "document.querySelector('h1').textContent.startsWith('60 tables')")
        assert page.run("return [document.activeElement.getAttribute('href'), scrollY]") == before
        assert page.text("output") == "14 of 60"
        hall.readers.clear()
        page.run("refresh()")
        assert becomes(page, "document.querySelector('nav a').textContent === 'Enter'"), "it was loaded again"


def test_a_centre_that_does_not_answer_is_said_so(tmp_path: Path) -> None:
    with opened(tmp_path, 20) as (_, url, page):
        enter(page, url)
        page.cdp("Network.enable")
        page.cdp("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)
        page.run("refresh()")
        assert becomes(page, "document.getElementById('lost').textContent")
        assert page.text("#lost").startswith("The centre does not answer.")
        page.cdp(
            "Network.emulateNetworkConditions", offline=False, latency=0, downloadThroughput=-1, uploadThroughput=-1
        )
        page.run("refresh()")
        assert becomes(page, "!document.getElementById('lost').textContent")


def test_every_page_is_read_and_filtered_without_javascript(tmp_path: Path) -> None:
    with opened(tmp_path) as (_, url, page):
        page.cdp("Emulation.setScriptExecutionDisabled", value=True)
        page.go(f"{url}/enter")
        page.tap("#token")
        for letter in LYON:
            page.key("keyDown", letter)
            page.key("keyUp", letter)
        page.tap(".door button")
        assert becomes(page, "document.querySelector('#rows')")
        assert page.text("h1") == f"{1 + sum(each.shop == 'Lyon' for each in many_rows(499))} tables"
        page.go(f"{url}/?q=table+11&level=well")
        assert page.run(f"return {SHOWN}") == 1
        assert page.shown("#find button")


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_axe_finds_nothing_and_a_phone_shows_all_of_it(tmp_path: Path, theme: str) -> None:
    script = axe()
    with opened(tmp_path, 60) as (hall, url, page):
        hall.rows += [
            a_row(
                "A table with a name as long as names may be, 60 let",
                ("forked: " + "word " * 30,),
                "stop",
                shop="x" * 60,
            )
        ]
        page.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        page.cdp("Emulation.setDeviceMetricsOverride", width=320, height=640, deviceScaleFactor=1, mobile=False)
        table = f"/table/{hashed(hall.rows[0].origin)}"
        for path in ("/", "/enter", table, "/table/" + "0" * 64):
            for who in (AUDITOR, ""):
                page.cdp("Network.clearBrowserCookies")
                if who:
                    enter(page, url)
                page.go(f"{url}{path}")
                assert findings(page, script) == [], f"{path}, {theme}"
                wide = page.run("return document.documentElement.scrollWidth")
                small = page.run(
                    "return Math.min(...[...document.querySelectorAll('body *')].filter((each) => each.children.length "
                    "=== 0 && each.textContent.trim()).map((each) => parseFloat(getComputedStyle(each).fontSize)))"
                )
                assert (wide <= 320, small >= 12) == (True, True), (path, wide, small)


def test_no_page_breaks_its_own_policy(tmp_path: Path) -> None:
    with opened(tmp_path, 30) as (hall, url, page):
        enter(page, url)
        here = hashed(hall.rows[0].origin)
        page.cdp("Page.addScriptToEvaluateOnNewDocument", source=_WATCH)
        games = [f"/game/{here}/{name}" for name in ("g1", "g2")]
        for path in ("/status.json", "/metrics", *games, f"/table/{here}", "/enter", "/"):
            page.go(f"{url}{path}")
            assert page.run("return window.broken") == [], path
        page.run(
            "const style = document.createElement('style'); style.textContent = 'a{}'; document.head.append(style)"
        )
        assert becomes(page, "window.broken.length === 1"), "a policy that is broken is seen"


_WATCH = """
window.broken = [];
addEventListener('securitypolicyviolation', (event) => window.broken.push(event.violatedDirective), true);
"""
