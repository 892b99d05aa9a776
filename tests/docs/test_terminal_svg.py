"""The picture asks for nothing from elsewhere and draws what a terminal draws: blocks, dots and lines."""

from __future__ import annotations

from xml.etree import ElementTree

from tests.docs.terminal_svg import FONTS, self_contained

RICH = """<svg class="rich-terminal" viewBox="0 0 100 50" xmlns="http://www.w3.org/2000/svg">
    <style>
    @font-face {
        font-family: "Fira Code";
        src: local("FiraCode-Regular"), url("https://cdn.example/FiraCode.woff2") format("woff2");
    }
    .t-matrix { font-family: Fira Code, monospace; font-size: 20px; font-variant-east-asian: full-width; }
    .t-title { font-family: arial; }
    .t-r1 { fill: #cfd6df }
    </style>
    <g class="t-matrix">
    <text class="t-r1" x="12.2" y="20" textLength="97.6" clip-path="url(#t-line-0)">a&#160;&#160;bc&#160;⠁⣿</text>
    <text class="t-r1" x="0" y="44.4" textLength="36.6" clip-path="url(#t-line-1)">▀▄█▚</text>
    <text class="t-r1" x="0" y="68.8" textLength="24.4" clip-path="url(#t-line-2)">─┘</text>
    </g>
</svg>"""

SPACE = "{http://www.w3.org/2000/svg}"


def parts(svg: str) -> list[tuple[str, str, str]]:
    group = ElementTree.fromstring(svg).find(f"{SPACE}g")
    assert group is not None
    return [(part.tag.removeprefix(SPACE), part.get("x", ""), part.text or part.get("d") or "") for part in group]


def test_every_word_stands_in_its_cell_and_blocks_are_rectangles() -> None:
    word, second, dots, blocks, lines = parts(self_contained(RICH))
    assert (word, second) == (("text", "12.2", "a"), ("text", "48.8", "bc"))
    # Seven cells in: one dot, then a whole cell of eight, each in the middle of its eighth of the cell.
    assert dots[2].startswith("M86.35 4.55a2.1 2.1 0 1 0 4.2 0a2.1 2.1 0 1 0 -4.2 0zM98.55 4.55a")
    assert dots[2].count("M") == 9
    # Upper half, lower half, both, and two quarters: neighbours in a row are one rectangle, 0.5 higher than its row.
    assert blocks[2] == (
        "M0 25.9h12.2v12.7h-12.2zM24.4 25.9h18.3v12.7h-18.3zM12.2 38.1h24.4v12.7h-24.4zM42.7 38.1h6.1v12.7h-6.1z"
    )
    # Left and right, then left and up, from the middle of each cell.
    assert lines[2] == (
        "M0 61.75h6.85v1.5h-6.85zM5.35 61.75h6.85v1.5h-6.85zM12.2 61.75h6.85v1.5h-6.85zM17.55 50.3h1.5v13.45h-1.5z"
    )


def test_nothing_is_asked_for_from_elsewhere() -> None:
    made = self_contained(RICH)
    assert "@font-face" not in made
    assert "url(" not in made
    assert "full-width" not in made
    assert [part for part in made.split('"') if "://" in part] == ["http://www.w3.org/2000/svg"]
    assert made.count(f"font-family: {FONTS}") == 2


def test_words_keep_their_width_whatever_font_draws_them() -> None:
    texts = list(ElementTree.fromstring(self_contained(RICH)).iter(f"{SPACE}text"))
    assert [(text.get("textLength"), text.get("lengthAdjust")) for text in texts] == [
        ("12.2", "spacingAndGlyphs"),
        ("24.4", "spacingAndGlyphs"),
    ]
