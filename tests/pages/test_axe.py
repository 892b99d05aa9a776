"""Every state of the page in five languages, in Chromium: axe-core finds nothing, and all of it fits 400 % zoom."""

from __future__ import annotations

import io

import pytest
from PIL import Image

from pi_app.text.languages import LANGUAGES
from tests.pages.axe import axe, findings
from tests.pages.engines import engine
from tests.pages.states import STATES, Show, at_table

pytestmark = pytest.mark.slow

ROOM = (21, 23, 27)
"""The colour of the page in the dark."""
_LONGER = """
document.getElementById('squares').append(...[...Array(30)].map(() => {
  const line = document.createElement('li');
  line.textContent = 'MMMM MMMM MMMM';
  line.style.background = '#f00';
  return line;
}));
"""
_BUTTONS = """
const [keys, hold] = ['keys', 'hold'].map((id) => document.getElementById(id).getBoundingClientRect());
return [keys.left, keys.top, hold.bottom];
"""


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("theme", ["dark", "light"])
def test_axe_finds_nothing_in_any_state(language: str, theme: str) -> None:
    script = axe()
    with engine("chromium", language=language) as browser:
        browser.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        for state in STATES:
            with at_table(browser, state, Show(language, 390, 844)):
                assert findings(browser, script) == [], f"{state}, {language}, {theme}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_wider_than_400_percent_zoom_shows_and_every_button_is_large(language: str) -> None:
    with engine("chromium", language=language) as browser:
        browser.cdp("Emulation.setDeviceMetricsOverride", width=320, height=256, deviceScaleFactor=1, mobile=False)
        for state in STATES:
            with at_table(browser, state, Show(language, 320, 256)):
                wide, small = browser.run(
                    "const boxes = [...document.querySelectorAll('button, summary, label')].map((each) =>"
                    " each.getBoundingClientRect()).filter((box) => box.width);"
                    "return [document.documentElement.scrollWidth, Math.min(99, ...boxes.map((box) => box.height))]"
                )
                assert wide <= 320, (state, wide)
                assert small >= 44, (state, small)


@pytest.mark.parametrize(("show", "scale"), [(Show("de", 320, 568), 1), (Show("de", 360, 740), 1.5)])
def test_no_sliver_of_the_text_shows_beside_and_below_the_buttons(show: Show, scale: float) -> None:
    """What lies under them while the page is scrolled, where a phone's pixels do not fall on whole ones."""
    with engine("chromium", language="de") as browser:
        browser.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
        browser.cdp(
            "Emulation.setDeviceMetricsOverride",
            width=show.width,
            height=show.height,
            deviceScaleFactor=scale,
            mobile=False,
        )
        with at_table(browser, "playing", show):
            browser.run(_LONGER)
            for scrolled in (0, 7, 33.5, 40, 101, 222.3):
                browser.run("scrollTo(0, arguments[0])", scrolled)
                left, top, bottom = (round(edge * scale) for edge in browser.run(_BUTTONS))
                seen = Image.open(io.BytesIO(browser.picture())).convert("RGB")
                beside = seen.crop((0, top + 2, left, seen.height))
                below = seen.crop((0, bottom + 2, seen.width, seen.height))
                assert beside.width > 0
                for part in (beside, below):  # nothing is below where the buttons reach the edge
                    assert max((abs(byte - ROOM[at % 3]) for at, byte in enumerate(part.tobytes())), default=0) <= 2


_CUT = """
const top = document.getElementById('keys').getBoundingClientRect().top;
const lines = [...document.querySelectorAll('#news li, #squares li')].filter((line) => line.previousSibling);
const cut = lines.filter((line) => {
  const box = line.getBoundingClientRect();
  return box.top < top && box.bottom > top;
});
const shown = (line) => getComputedStyle(line).opacity !== '0';
return [cut.filter(shown).length, cut.length, lines.filter((line) => !cut.includes(line) && !shown(line)).length];
"""
_MORE_NEWS = """
const news = document.getElementById('news');
for (let n = 1; n < 9; n++) {
  const line = document.createElement('li');
  line.textContent = `T0${n}: exposed by Ann, and disarmed by Ben in a quick attempt.`;
  news.prepend(line);
}
dispatchEvent(new Event('scroll'));
"""


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_line_is_cut_in_half_above_the_buttons(language: str) -> None:
    """On phones of every height, and as they stand side by side in the demo; at rest and scrolled."""
    hidden = 0
    with engine("chromium", language=language) as browser:
        for width, height in ((330, 560), (330, 568), (330, 577), (330, 586), (360, 640), (390, 844)):
            browser.cdp(
                "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
            )
            with at_table(browser, "playing", Show(language, width, height)):
                browser.run(_MORE_NEWS)
                for scrolled in (0, 9, 17.5, 60):
                    browser.run("scrollTo(0, arguments[0])", scrolled)
                    whole = f"((seen) => !seen[0] && !seen[2])((() => {{ {_CUT} }})())"
                    assert browser.until(whole), (width, height, scrolled, browser.run(_CUT))
                    hidden += browser.run(_CUT)[1]
    assert hidden > 0
