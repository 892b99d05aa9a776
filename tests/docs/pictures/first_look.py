"""The two pictures at the head of the README: `python -m tests.docs.pictures.first_look [FOLDER]`.

`first_look.svg` has three parts: the printed square, Ann's phone with her trap, and three dark phones. `turn.svg` moves
for 8 s: tap, turn, hold. The phones are those of `trapdial demo --pages`, played in Chromium by clicking; the square is
drawn from the model that prints it. Neither picture needs a script, a font or another file.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Final

from tests.demo_terminal import PHONES, DemoPage, running_demo
from tests.docs.pictures.page_svg import Part, read_parts, write_parts
from tests.docs.pictures.render import Look
from tests.docs.pictures.square_svg import SquarePicture, draw_square
from tests.pages.engines import Chromium, engine

FOLDER: Final = Path(__file__).resolve().parents[3] / "wiring_docs"
SEATS: Final = ("Ann", "Ben", "Cal", "Dee")
SQUARE: Final = 2
"""T03: its fourth click is a trap."""
CLICKS: Final = 4
LOOK: Final = Look(20, 60, 12)
FONTS: Final = "system-ui, -apple-system, 'Segoe UI', Roboto, Arial, sans-serif"

INK, SOFT, GOLD = "#f4efe3", "#b4b0a6", "#efbd5b"
STILL: Final = "hold"
"""What a reader sees who has asked for less motion."""
TIMES: Final[Mapping[str, tuple[float, float]]] = {
    "idle": (0.0, 0.9),
    "tap": (0.9, 2.5),
    "turning": (2.5, 5.1),
    "hold": (5.1, 7.4),
    "after": (7.4, 8.0),
}
"""From when to when each state shows, in seconds."""
LENGTH: Final = 8.0
TURN: Final = (2.4, 4.5)
"""From when to when the dial turns."""
STEPS: Final = (("Tap.", 0.2, 2.3), ("Turn.", 2.3, 4.9), ("Hold.", 4.9, 7.4))


@dataclass(frozen=True, slots=True)
class Phone:
    """What a phone shows, in CSS pixels of its page."""

    width: float
    height: float
    parts: Sequence[Part]

    def middle(self, words: str) -> tuple[float, float]:
        """The place of a line of text."""
        line = next(part for part in self.parts if part["is"] == "text" and part["text"] == words)
        return (line["left"] + line["right"]) / 2, line["y"] - line["size"] / 3


States = Mapping[str, Sequence[Phone]]
"""The phones of all seats, by state."""


# ------------------------------------------------------------------------------------------------ what is played


def play() -> States:
    """Ann's turn in the demo, by clicking: the four phones in each state."""
    with (
        tempfile.TemporaryDirectory() as folder,
        running_demo(Path(folder), "--seed", "7") as demo,
        engine("chromium") as browser,
    ):
        assert isinstance(browser, Chromium)
        page = DemoPage(browser)
        page.open(demo.url)
        browser.run(f"Math.random = () => {(CLICKS - 0.5) / 6}")  # the die
        shown = {"idle": _phones(browser)}
        page.click_in_phone(0, "#tap")
        _until_all(page, "about to turn a dial")
        shown["tap"] = _phones(browser)
        page.click(".square .roll", SQUARE)
        _until_all(page, "turns the dial")
        shown["turning"] = _phones(browser)
        assert browser.until(f"/click.*rolled/.test(document.querySelectorAll('.square')[{SQUARE}].textContent)")
        page.hold(0)
        _until_all(page, "exposed by Ann")
        assert browser.until("document.getAnimations().length === 0")
        shown["hold"] = _phones(browser)
        page.let_go(0)
        assert browser.until(f"{PHONES}[0].querySelector('#glass .name') === null")
        shown["after"] = _phones(browser)
        return shown


def _phones(browser: Chromium) -> list[Phone]:
    return [Phone(*read_parts(browser, number)) for number in range(len(SEATS))]


def _until_all(page: DemoPage, words: str) -> None:
    """Wait until the first news of every phone has these words."""
    assert page.browser.until(
        f"{PHONES}.every((phone) => phone.querySelector('#news li').textContent.includes({words!r}))"
    )


# ---------------------------------------------------------------------------------------------------- the still


def draw_first_look(states: States, square: SquarePicture) -> str:
    """The printed square, Ann's phone with her trap, and three dark phones."""
    width, height = 1200, 560
    phones = states[STILL]
    body = [_glow(610, 270), _floor(250, 400, 190), _placed(square, CLICKS, 40, 72, 400)]
    body.append(_cased(phones[0], write_parts(phones[0].parts), 478, 24, 0.8))
    for number, phone in enumerate(phones[1:]):
        body.append(_cased(phone, write_parts(phone.parts), 774 + number * 141, 150, 0.38))
    words = (("Turn the dial.", 240), ("Ann sees a trap.", 610), ("The others see nothing.", 978))
    body += [_words(text, x, 542, 32, GOLD if number == 1 else INK) for number, (text, x) in enumerate(words)]
    title = "A printed trap square, Ann's phone with her trap, and the dark phones of Ben, Cal and Dee"
    return _svg(width, height, title, "", body)


# ------------------------------------------------------------------------------------------- the moving picture


def draw_turn(states: States, square: SquarePicture) -> str:
    """Ann taps, turns and holds, beside the phone of Ben, who reads the same news and sees nothing."""
    width, height = 1000, 540
    scale, top, left, beside = 0.73, 76, 444, 724
    body = [_words(text, 96 + number * 136, 70, 38, SOFT, bold=True) for number, (text, _, _) in enumerate(STEPS)]
    for number, (text, _, _) in enumerate(STEPS):
        body.append(_state(f"s{number}", _words(text, 96 + number * 136, 70, 38, GOLD, bold=True)))
    body += [_words(f"{name}'s phone", x + 129, 52, 24, INK) for name, x in zip(SEATS, (left, beside), strict=False)]
    body += [_floor(220, 400, 170), _placed(square, CLICKS, 34, 124, 376)]
    for seat, x in ((0, left), (1, beside)):
        frames = {state: phones[seat] for state, phones in states.items()}
        common = [part for part in frames[STILL].parts if all(part in frame.parts for frame in frames.values())]
        inside = write_parts(common) + "".join(
            _state(state, write_parts([part for part in frame.parts if part not in common]))
            for state, frame in frames.items()
        )
        if seat == 0:
            inside += _finger("tap", frames["tap"].middle("Take back"))
            inside += _finger("look", frames["hold"].middle("Hold to look"))
        body.append(_cased(frames[STILL], inside, x, top, scale))
    body.append(_state("veil", _room(width, height)))
    title = "Ann taps her phone, turns the dial by four clicks and holds: her phone shows a trap, and Ben's stays dark"
    return _svg(width, height, title, _motion(), body)


def _motion() -> str:
    """Style sheet: one state after the other; without motion, the one that matters."""
    shows = dict(TIMES) | {f"s{number}": (start, end) for number, (_, start, end) in enumerate(STEPS)}
    shows |= {"tapped": (0.5, 1.1), "looked": (4.9, 7.4)}
    rules = [".o{opacity:0}", f".{STILL},.s2,.looked{{opacity:1}}", "@media not (prefers-reduced-motion){"]
    for name, (start, end) in shows.items():
        first, last = _percent(start), _percent(end)
        before = "" if start == 0 else "0%{opacity:0}"
        after = "" if end == LENGTH else f"{last}{{opacity:0}}"
        rules.append(f"@keyframes {name}{{{before}{first}{{opacity:1}}{after}}}")
        rules.append(f".{name}{{animation:{name} {LENGTH:g}s step-end infinite}}")
    fades = f"0%{{opacity:1}}{_percent(0.25)},{_percent(7.75)}{{opacity:0}}to{{opacity:1}}"
    for name, frames in (("dial", _clicks()), ("veil", fades)):
        rules.append(f"@keyframes {name}{{{frames}}}.{name}{{animation:{name} {LENGTH:g}s linear infinite}}")
    rules.append("}")
    return "".join(rules)


def _clicks() -> str:
    """The dial's way: each click slow up the lobe and quick into the next valley."""
    start, end = TURN
    frames = ["0%{transform:rotate(0)}"]
    for number in range(CLICKS):
        begun = start + (end - start) * number / CLICKS
        step = (end - start) / CLICKS
        for part, turned in ((0.0, 0.0), (0.55, 0.42), (0.75, 1.0)):
            frames.append(f"{_percent(begun + step * part)}{{transform:rotate({-30 * (number + turned):g}deg)}}")
    return "".join(frames) + f"to{{transform:rotate({-30 * CLICKS}deg)}}"


def _percent(second: float) -> str:
    return f"{100 * second / LENGTH:.4g}%"


def _state(name: str, inside: str) -> str:
    return f'<g class="o {name}">{inside}</g>'


def _finger(what: str, at: tuple[float, float]) -> str:
    name = {"tap": "tapped", "look": "looked"}[what]
    x, y = at[0] + 84, at[1] + 6
    return _state(
        name,
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="26" fill="#fff" fill-opacity=".22" stroke="#fff" stroke-opacity=".8"'
        ' stroke-width="2"/>',
    )


# -------------------------------------------------------------------------------------------------- what both use


def _svg(width: int, height: int, title: str, style: str, body: Sequence[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        f' font-family="{FONTS}" role="img"><title>{escape(title, quote=False)}</title>'
    )
    defs = (
        '<defs><radialGradient id="room" cx=".3" cy=".45" r=".9"><stop stop-color="#262a34"/>'
        '<stop offset="1" stop-color="#0c0e12"/></radialGradient><radialGradient id="glow">'
        f'<stop stop-color="{GOLD}" stop-opacity=".34"/><stop offset="1" stop-color="{GOLD}" stop-opacity="0"/>'
        '</radialGradient><radialGradient id="floor"><stop stop-color="#000" stop-opacity=".7"/>'
        '<stop offset="1" stop-color="#000" stop-opacity="0"/></radialGradient></defs>'
    )
    parts = [head, f"<style>{style}</style>" if style else "", defs, _room(width, height), *body, "</svg>", ""]
    return "\n".join(parts)


def _room(width: int, height: int) -> str:
    return f'<rect width="{width}" height="{height}" rx="24" fill="url(#room)"/>'


def _placed(square: SquarePicture, clicks: int, x: float, y: float, width: float) -> str:
    """The square, this many pixels wide, its dial turned counter-clockwise."""
    scale = width / square.width
    dial = f'<g class="dial" transform="rotate({-30 * clicks})">{square.dial}</g>'
    place = f"translate({x} {y}) scale({scale:.4f})"
    return f'<g transform="{place}"><g transform="{square.plane}">{dial}</g>{square.shell}</g>'


def _floor(x: float, y: float, wide: float) -> str:
    return f'<ellipse cx="{x}" cy="{y}" rx="{wide * 1.25:g}" ry="{wide * 0.72:g}" fill="url(#floor)"/>'


def _glow(x: float, y: float) -> str:
    return f'<circle cx="{x}" cy="{y}" r="330" fill="url(#glow)"/>'


def _cased(phone: Phone, inside: str, x: float, y: float, scale: float) -> str:
    """A phone's page in its case."""
    edge, corner = 10, 30
    width, height = phone.width, phone.height
    outside = f'width="{width + 2 * edge:g}" height="{height + 2 * edge:g}" rx="{corner + edge}"'
    case = f'<rect x="-{edge}" y="-{edge}" {outside} fill="#050506" stroke="#4a4f58" stroke-width="2"/>'
    glass = f'<rect width="{width:g}" height="{height:g}" rx="{corner}"/>'
    clip = f"p{x}"
    return (
        f'<g transform="translate({x + edge * scale:.1f} {y + edge * scale:.1f}) scale({scale})">{case}'
        f'<clipPath id="{clip}">{glass}</clipPath><g clip-path="url(#{clip})">{inside}</g></g>'
    )


def _words(text: str, x: float, y: float, size: float, ink: str, *, bold: bool = False) -> str:
    weight = ' font-weight="700"' if bold else ""
    place = f'x="{x:g}" y="{y:g}" font-size="{size:g}" text-anchor="middle"'
    return f'<text {place} fill="{ink}"{weight}>{escape(text, quote=False)}</text>'


def write(folder: Path) -> None:
    """Both pictures."""
    states, square = play(), draw_square(LOOK)
    for name, picture in (("first_look", draw_first_look(states, square)), ("turn", draw_turn(states, square))):
        (folder / f"{name}.svg").write_text(re.sub(r"\n+", "\n", picture), encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]) if sys.argv[1:] else FOLDER)
