"""The public display in Chromium: every state in five languages, from 320 pixels to 4K, without a scroll bar, and
nothing that axe-core finds."""

from __future__ import annotations

import pytest

from pi_app.pages.messages import Stop
from pi_app.text.languages import LANGUAGES
from tests.everyday import first
from tests.pages.axe import axe, findings
from tests.pages.engines import Engine, engine
from tests.station.shown import ShownPublic, open_at, shown_public, sized
from tests.station.states import SHOWN, state

pytestmark = pytest.mark.slow

SIZES = ((1920, 1080), (1080, 1920), (3840, 2160), (320, 568), (320, 256), (1024, 768), (800, 480))
OUTSIDE = """
const wide = innerWidth + 1, high = innerHeight + 1;
const parts = 'header > *, main > *, #stage > *, h1, #says p, #counts li, #flags li, #squares li, figure p, #trouble';
return [...document.querySelectorAll(parts)]
  .filter((each) => each.getClientRects().length && !each.closest('.closed')).filter((each) => {
    const box = each.getBoundingClientRect();
    return box.width && (box.left < -1 || box.top < -1 || box.right > wide || box.bottom > high);
  }).map((each) => `${each.tagName}#${each.id} ${each.textContent.slice(0, 40)}`);
"""
SCROLLS = """
const page = document.documentElement;
return page.scrollWidth > innerWidth || page.scrollHeight > innerHeight;
"""


def to(browser: Engine, page: ShownPublic, name: str, language: str) -> None:
    """Show another state on the page that is open."""
    browser.run("window.before = scene")
    page.show(state(name, language))
    assert browser.until("scene !== before"), name


@pytest.mark.parametrize("language", LANGUAGES)
def test_axe_finds_nothing_and_nothing_sticks_out(language: str) -> None:
    script = axe()
    with shown_public() as page, engine("chromium", language=language) as browser:
        sized(browser, *SIZES[0])
        browser.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": "reduce"}])
        before = next(iter(SHOWN))
        open_at(browser, page, before, language)
        for name in SHOWN:
            if name != before:
                to(browser, page, name, language)
            before = name
            for size in SIZES if language in ("de", "fr") else SIZES[:2]:
                sized(browser, *size)
                browser.run("fit()")
                assert browser.run(OUTSIDE) == [], f"{name}, {language}, {size}"
                assert not browser.run(SCROLLS), f"{name}, {language}, {size}"
            sized(browser, *SIZES[0])
            browser.run("fit()")
            assert findings(browser, script) == [], f"{name}, {language}"


def test_a_closed_display_says_why_if_something_is_wrong() -> None:
    with shown_public() as page, engine("chromium") as browser:
        open_at(browser, page, "closed", "en")
        assert not browser.shown("#trouble")
        to(browser, page, "closed_trouble", "en")
        assert browser.shown("#trouble")
        assert browser.text("#trouble") == "For the staff: No answer from dial T02."
        assert browser.run("return getComputedStyle(document.getElementById('trouble')).animationName") == "rise"


def test_a_display_whose_table_is_gone_says_so_and_comes_back() -> None:
    with shown_public() as page, engine("chromium") as browser:
        open_at(browser, page, "free", "en")
        assert not browser.shown("#lost")
        browser.run("heard -= 60000")
        assert browser.until("document.body.classList.contains('lost')")
        assert browser.shown("#lost")
        assert browser.text("#lost") == "The table does not answer. This display waits, and comes back on its own."
        page.show(state("free", "en"))
        assert browser.until("!document.body.classList.contains('lost')")
        page.send(Stop())
        assert browser.until("source.readyState !== 1")


def test_only_transform_and_opacity_move_and_nothing_does_where_motion_is_reduced() -> None:
    moving = "return document.getAnimations().flatMap((each) => each.effect.getKeyframes()).flatMap(Object.keys)"
    allowed = {"offset", "easing", "composite", "computedOffset", "transform", "opacity"}
    with shown_public() as page, engine("chromium") as browser:
        open_at(browser, page, "attract", "en")
        moved = set(browser.run(moving))
        assert "transform" in moved
        assert moved <= allowed
        browser.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": "reduce"}])
        assert browser.until("document.getAnimations().length === 0")


@pytest.mark.parametrize("which", first(1, ["webkit", "firefox"]))
def test_other_engines_draw_it(which: str) -> None:
    with shown_public() as page, engine(which) as browser:
        open_at(browser, page, "joining", "it")
        assert browser.text("#flags .chosen b") == "Italiano"
        assert browser.run("return document.querySelectorAll('#ring svg *').length") > 20


def test_it_asks_no_other_host_and_for_nothing_but_its_states() -> None:
    with shown_public() as page, engine("chromium") as browser:
        open_at(browser, page, "attract", "en")
        asked = browser.run(
            "return performance.getEntriesByType('resource').map((each) => new URL(each.name).pathname)"
        )
        assert set(asked) <= {"/public/stream"}
