"""The picture asks for nothing from elsewhere and draws pixels as pixels."""

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
    <text class="t-r1" x="0" y="44.4" textLength="36.6" clip-path="url(#t-line-1)">▀▄█</text>
    </g>
</svg>"""

SPACE = "{http://www.w3.org/2000/svg}"


def parts(svg: str) -> list[tuple[str, str, str]]:
    group = ElementTree.fromstring(svg).find(f"{SPACE}g")
    assert group is not None
    return [(part.tag.removeprefix(SPACE), part.get("x", ""), part.text or part.get("d") or "") for part in group]


def test_every_word_stands_in_its_cell_and_pixels_are_rectangles() -> None:
    assert parts(self_contained(RICH)) == [
        ("text", "12.2", "a"),
        ("text", "48.8", "bc"),
        (
            "path",
            "",
            # Seven cells in: one dot, then a whole cell of four rows; 6.1 by 6.1 each, 0.2 to overlap.
            "M85.4 1.5h6.1v6.3h-6.1zM97.6 1.5h12.2v6.3h-12.2zM97.6 7.6h12.2v6.3h-12.2z"
            "M97.6 13.7h12.2v6.3h-12.2zM97.6 19.8h12.2v6.3h-12.2z",
        ),
        (
            "path",
            "",
            # Upper half, lower half, both: neighbours in a row are one rectangle.
            "M0 25.9h12.2v6.3h-12.2zM24.4 25.9h12.2v6.3h-12.2zM0 32h12.2v6.3h-12.2zM24.4 32h12.2v6.3h-12.2z"
            "M12.2 38.1h24.4v6.3h-24.4zM12.2 44.2h24.4v6.3h-24.4z",
        ),
    ]


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
