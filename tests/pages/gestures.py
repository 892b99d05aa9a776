"""Random gestures in Chromium: after every gesture that ends a hold, nothing secret is in the document any more.

`python -m tests.pages.gestures 10000 [SEED]` makes so many scripts. Fingers and keys go through Chromium's own
protocol, so that they are real; what only a phone's system does (blur, hiding, freezing, a menu) is sent to the page as
its event.

A script of its own in the page judges: it listens before the page does, and looks at the document in each frame that
Chromium draws. It never asks the page whether it holds.
"""

from __future__ import annotations

import random
import sys
import time
from typing import Final, NamedTuple

from tests.pages import contents
from tests.pages.contents import CANARY, content
from tests.pages.engines import Chromium, engine
from tests.pages.fake_table import FakeTable

_JUDGE: Final = """(() => {
window.judge = {over: true, endedAt: 0, frames: 0, shown: 0, late: [], longest: 0};
const ended = () => { if (!judge.over) { judge.over = true; judge.endedAt = performance.now(); } };
const fingers = new Set();
const on = (name, act) => addEventListener(name, act, true);
on('pointerdown', (event) => {
  fingers.add(event.pointerId);
  if (fingers.size > 1) ended();
  else if (event.target.closest && event.target.closest('#hold')) judge.over = false;
});
for (const name of ['pointerup', 'pointercancel']) on(name, (event) => { fingers.delete(event.pointerId); ended(); });
for (const name of ['lostpointercapture', 'blur', 'visibilitychange', 'pagehide', 'freeze', 'contextmenu'])
  on(name, ended);
on('keydown', (event) => { if (event.key === ' ' && !event.repeat && event.target.id === 'hold') judge.over = false; });
on('keyup', (event) => { if (event.key === ' ') ended(); });
const look = () => {
  const glass = document.getElementById('glass'), aloud = document.getElementById('aloud');
  if (glass && aloud) {
    judge.frames++;
    const content = glass.textContent + aloud.textContent;
    if (content) judge.shown++;
    if (content && judge.over) {
      const after = performance.now() - judge.endedAt;
      judge.late.push(after);
      judge.longest = Math.max(judge.longest, after);
    }
  }
  requestAnimationFrame(look);
};
requestAnimationFrame(look);
})()"""

_EVENTS: Final = {
    "blur": "dispatchEvent(new Event('blur'))",
    "pagehide": "dispatchEvent(new PageTransitionEvent('pagehide', {persisted: true}));"
    "dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))",
    "visibilitychange": "document.dispatchEvent(new Event('visibilitychange', {bubbles: true}))",
    "freeze": "document.dispatchEvent(new Event('freeze')); document.dispatchEvent(new Event('resume'))",
    "contextmenu": "document.body.dispatchEvent(new MouseEvent('contextmenu', {bubbles: true}))",
}
_ENDS: Final = ("lift", "cancel", "second", "key", "freeze", "blur", "pagehide", "visibilitychange", "contextmenu")
_WAITS: Final = ("none", "frame", "content", "push")


class Found(NamedTuple):
    scripts: int
    frames: int
    """Frames that Chromium drew."""
    shown: int
    """Frames with content: the gestures did show something."""
    late: int
    """Frames with content after the end of a hold."""
    longest_ms: float


def one(browser: Chromium, table: FakeTable, draw: random.Random, at: tuple[int, int]) -> None:
    """One random script: a hold, perhaps an answer, one end, and perhaps frames of the table in between."""
    end = draw.choice(_ENDS)
    if end == "key":
        browser.focus("#hold")
        browser.cdp("Input.dispatchKeyEvent", type="keyDown", key=" ", code="Space", text=" ")
    else:
        browser.touches("touchStart", at)
    match draw.choice(_WAITS):
        case "frame":
            browser.run_async("requestAnimationFrame(() => arguments[0]())")
        case "content":
            browser.until(f"document.getElementById('glass').textContent.includes('{CANARY}')", 300)
        case "push":
            table.send_all()
    if draw.random() < 0.2 and end != "key":
        browser.touches("touchMove", (at[0] + draw.randrange(-60, 60), at[1] + draw.randrange(-300, 20)))
    match end:
        case "key":
            browser.cdp("Input.dispatchKeyEvent", type="keyUp", key=" ", code="Space")
        case "lift":
            browser.touches("touchEnd")
        case "cancel":
            browser.touches("touchCancel")
        case "second":
            browser.touches("touchStart", at, (at[0] - 40, at[1] - draw.choice((0, 200))))
            browser.touches("touchEnd")
        case _:
            browser.run(_EVENTS[end])
            if draw.random() < 0.5:
                table.send_all()
            browser.touches("touchEnd")
    if draw.random() < 0.5:
        table.send_all()


def run(scripts: int, seed: int) -> Found:
    draw = random.Random(seed)
    with FakeTable({"Ann": content("Ann")}) as table, engine("chromium") as browser:
        assert isinstance(browser, Chromium)
        table.seats["Ann"].picture = contents.picture("face")
        browser.cdp("Page.addScriptToEvaluateOnNewDocument", source=_JUDGE)
        browser.cdp("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=True)
        browser.go(table.link("Ann"))
        assert browser.until("document.getElementById('you').textContent === 'You are Ann.'")
        where = browser.middle("#hold")
        for _ in range(scripts):
            one(browser, table, draw, where)
        browser.run_async("setTimeout(() => arguments[0](), 100)")
        frames, shown, late, longest = browser.run(
            "return [judge.frames, judge.shown, judge.late.length, judge.longest]"
        )
    return Found(scripts, frames, shown, late, longest)


def main() -> None:
    count, seed = int(sys.argv[1]), int((sys.argv[2:] or ["19"])[0])
    began = time.monotonic()
    found = run(count, seed)
    sys.stdout.write(
        f"{found.scripts} scripts (seed {seed}) in {time.monotonic() - began:.0f} s: {found.frames} frames drawn, "
        f"{found.shown} with content while held, {found.late} with content after (longest {found.longest_ms:.0f} ms)\n"
    )
    sys.exit(found.late > 0)


if __name__ == "__main__":
    main()
