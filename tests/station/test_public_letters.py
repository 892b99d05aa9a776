"""The letters of the public display keep their size while its dial turns and its picture drifts: the whole page is set
from one size, that of `<html>`. Motion is on, as on a station; the other tests of this page ask for less of it."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from pi_app.station.visits.guide import TurnStep
from tests.demo_terminal import running_station
from tests.everyday import first
from tests.pages.engines import engine
from tests.station.shown import open_at, shown_public, sized
from tests.station.states import SHOWN, crowded, guided, state

SIZES = ((1280, 720), (1920, 1080))
ENOUGH = 0.95
"""A display of 16:9 has this part of its full size at least: a line about a trouble takes the rest."""

FULL = "Math.min(64, innerHeight / 50, innerWidth / 60)"

SAMPLED = f"""
const sizes = new Set();
for (let ms = 0; ms < 60000; ms += 2300) {{
  for (const each of document.getAnimations()) each.currentTime = ms;
  fit();
  sizes.add(parseFloat(document.documentElement.style.fontSize) / ({FULL}));
}}
return [...sizes];
"""
"""The sizes that a minute of the animations would give, as parts of the full one. Their time is set, so none passes."""

WATCH = f"""
window.smallest = 1;
window.frames = 0;
const look = () => {{
  const size = parseFloat(getComputedStyle(document.documentElement).fontSize) / ({FULL});
  if (scene) smallest = Math.min(smallest, size);
  frames += 1;
  requestAnimationFrame(look);
}};
look();
"""


@pytest.mark.parametrize("size", first(1, SIZES))
def test_the_letters_of_every_state_keep_their_full_size(size: tuple[int, int]) -> None:
    states = {f"{name}, {language}": state(name, language) for name in SHOWN for language in ("en", "de")}
    steps = {f"step {step.name}": guided(step) for step in TurnStep if step is not TurnStep.DONE}
    states |= steps
    for number in (8, 16):
        for name, shown in {**steps, "free": state("free")}.items():
            states[f"{name}, {number} squares"] = crowded(shown, number)
    with engine("chromium") as browser, shown_public() as page:
        sized(browser, *size)
        open_at(browser, page, "reset", "en")
        browser.run(WATCH)
        for name, shown in states.items():
            browser.run("window.before = scene")
            page.show(shown)
            assert browser.until("scene !== before"), name
            sizes = browser.run(SAMPLED)
            assert len(sizes) == 1, f"{name}: the size of the letters follows the motion: {sizes}"
            assert sizes[0] >= ENOUGH, f"{name}: the letters have {sizes[0]:.2f} of their full size"
        assert browser.run("return frames") > 0
        assert browser.run("return smallest") >= ENOUGH, "a state that was drawn for a moment had small letters"


@pytest.mark.slow
def test_a_minute_of_an_idle_station_and_of_one_with_robots(tmp_path: Path) -> None:
    """In real time: one browser for each size, at a demo that robots visit, and at a station that nobody visits."""
    with ExitStack() as open_now:
        demo = open_now.enter_context(running_station(tmp_path, "--seed", "3"))
        idle = open_now.enter_context(shown_public())
        idle.show(state("attract"))
        watched = []
        for name, address in (("robots", demo.display), ("idle", idle.address)):
            for size in SIZES:
                browser = open_now.enter_context(engine("chromium"))
                sized(browser, *size)
                browser.go(address)
                assert browser.until("scene"), name
                browser.run(WATCH)
                watched.append((name, size, browser))
        for name, size, browser in watched:
            assert browser.until("performance.now() > 60000", 80_000), name
            assert browser.run("return smallest") >= ENOUGH, f"{name} at {size}"
            assert browser.run("return frames") > 60
