"""Every state that the page can be in, for axe and for pictures: how to bring a browser there."""

from __future__ import annotations

import base64
import contextlib
from collections.abc import Iterator
from typing import Final, NamedTuple

import segno

from tests.pages import contents
from tests.pages.contents import content
from tests.pages.engines import Engine
from tests.pages.fake_table import FakeTable

STATES: Final = (
    "playing", "face", "nothing", "die", "card", "claim", "two seats", "settings", "lost", "moved", "code", "no seat",
    "end",
)  # fmt: skip

HELD: Final = ("face", "nothing", "die", "card")

_LINK: Final = "document.getElementById('link').textContent"
_YOU: Final = "document.getElementById('public').getClientRects().length"
_GLASS: Final = "document.getElementById('glass').textContent"
_WHY: Final = "return [document.body.className, document.getElementById('link').textContent, document.hasFocus()]"

HEAD: Final = "TRAPDIAL1 " + " ".join(f"{number:010d}" for number in range(1, 23))


class Show(NamedTuple):
    language: str
    width: int
    height: int


def qr() -> dict[str, object]:
    """The head as the frame hands it over."""
    rows = [[bool(cell) for cell in row] for row in segno.make(HEAD, error="m", boost_error=False).matrix]
    bits = "".join("01"[cell] for row in rows for cell in row)
    bits = bits.ljust(-(-len(bits) // 8) * 8, "0")
    data = bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits), 8))
    return {"size": len(rows), "rows": base64.b64encode(data).decode()}


@contextlib.contextmanager
def at_table(browser: Engine, state: str, show: Show) -> Iterator[FakeTable]:
    """The page in this state; a finger that holds stays down until the end of the block."""
    language = show.language
    with FakeTable({"Ann": content("Ann", language), "Ben": content("Ben", language)}) as table:
        held = contents.picture(state, language) if state in HELD else None
        table.seats["Ann"].picture = held
        if state == "no seat":
            browser.go(table.address)
            assert browser.until(f"{_LINK} && !{_LINK}.startsWith('If')")
            yield table
            return
        link = table.link("Ann")
        if state == "code":
            table.seats["Ann"].codes.clear()
        browser.go(link)
        if state == "code":
            assert browser.until("document.getElementById('link').className === 'bad'")
            yield table
            return
        assert browser.until(_YOU)
        _brought(browser, table, state)
        yield table
        if held is not None:
            browser.lift()


def _hold(browser: Engine) -> None:
    """Hold until something is shown. A browser that gets no processor for long cancels a touch: then hold again."""
    for _ in range(3):
        browser.press("#hold")
        if browser.until(_GLASS):
            return
        browser.lift()
    raise AssertionError(f"nothing was shown: {browser.run(_WHY)}")


def _brought(browser: Engine, table: FakeTable, state: str) -> None:
    match state:
        case "face" | "nothing" | "die" | "card":
            _hold(browser)
        case "claim":
            browser.tap("#tap")
            assert browser.until("document.getElementById('tap').className === 'on'")
        case "two seats":
            browser.go(table.link("Ben"))
            assert browser.until("document.querySelectorAll('#seats button').length === 2")
            assert browser.until("document.getElementById('you').textContent.includes('Ben')")
        case "settings":
            browser.run(
                "document.querySelector('details').open = true; document.querySelector('details').scrollIntoView()"
            )
        case "lost":
            table.cut = True
            table.cut_streams()
            assert browser.until("document.getElementById('link').className === 'bad'")
        case "moved":
            table.end("Ann", "moved")
            assert browser.until("document.getElementById('link').className === 'bad'")
        case "end":
            table.show(phase="ended", head=HEAD, qr=qr(), state="The game is over.")
            table.end("Ann", "over")
            assert browser.until("document.querySelector('#qr svg') && document.getElementById('link').textContent")
