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
