"""The page as it is served: small, the same bytes each time, and held by its own security policy."""

from __future__ import annotations

import base64
import gzip
import hashlib
import re

import pytest

from pi_app.pages import page
from pi_app.pages.page import MOST_BYTES, Page, built, demo, of_game, public, stripped_css, stripped_html, stripped_js
from pi_app.pages.page_words import page_words
from tests.pages import symbols

PAGES = pytest.mark.parametrize("made", [built(), demo(), public()], ids=["page", "demo", "public"])


def test_the_page_has_at_most_14000_bytes_compressed() -> None:
    assert MOST_BYTES <= 14_000
    assert len(built().gzipped) <= MOST_BYTES
    assert all(
        len(of_game(built(), bytes([number] * 8) + bytes(range(8))).gzipped) <= MOST_BYTES for number in range(4)
    )


@PAGES
def test_compressed_and_plain_are_the_same_page(made: Page) -> None:
    assert gzip.decompress(made.gzipped) == made.html


def test_the_same_sources_give_the_same_bytes() -> None:
    first = built()
    page.built.cache_clear()
    assert built() == first


@PAGES
def test_the_policy_allows_this_script_and_style_and_no_other(made: Page) -> None:
    for tag, directive in (("script", "script-src"), ("style", "style-src")):
        texts = re.findall(rf"<{tag}>(.*?)</{tag}>".encode(), made.html, re.DOTALL)
        assert texts
        wanted = [f"'sha256-{base64.b64encode(hashlib.sha256(text).digest()).decode()}'" for text in texts]
        assert f"{directive} {' '.join(wanted)};" in made.csp
    assert made.csp.startswith("default-src 'none'; connect-src 'self'; ")
    assert "unsafe" not in made.csp


@PAGES
def test_no_other_host_and_no_other_file_is_named(made: Page) -> None:
    text = made.html.decode()
    addresses = set(re.findall(r"\w+://[^\s'\"]+", text))
    assert addresses <= {"http://www.w3.org/2000/svg"}, "the name of SVG, which is never fetched"
    assert not re.search(r'<(script|img|iframe|link)[^>]* (src|href)="(?!data:|/")', text)
    assert " style=" not in text
    assert not re.search(r"\son\w+=", text.split("<script>")[0])


@PAGES
def test_no_comment_is_sent(made: Page) -> None:
    assert b"<!--" not in made.html
    assert b"/*" not in made.html.split(b"<script>")[0]
    assert not [line for line in made.html.splitlines() if line.lstrip().startswith(b"//")]


def test_stripping_leaves_out_what_means_nothing() -> None:
    assert stripped_js('"use strict";\n\n// words\n  f("a//b");  // more\n') == 'f("a//b");'
    assert stripped_js('a = (b, "c, d") => `${e} = f`;\nx = /^a: (.*)$/.exec(y) || { z: 1 };') == (
        'a=(b,"c, d")=>`${e} = f`;x=/^a: (.*)$/.exec(y)||{z:1};'
    )
    assert stripped_js("a += b - 1;\nc = - -d * [e][0] !== +f\ng()") == "a+=b-1;c=- -d*[e][0]!==+f\ng()"
    assert stripped_css("/* room */\na b { color: red; margin: 0 }\n") == "a b{color:red;margin:0}"
    assert stripped_html("<p>\n  <!-- note -->\n  a\n</p>\n") == "<p>\na\n</p>"


def test_the_symbols_are_those_of_the_screens() -> None:
    assert symbols.FILE.read_text(encoding="utf-8") == symbols.text(), "run `python -m tests.pages.symbols`"


def test_a_script_never_writes_a_page_from_text() -> None:
    script = built().html.decode()
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function", script)
    assert "document.title" not in script
    assert "pushState" not in script


def test_the_page_asks_for_the_words_that_frames_bring() -> None:
    script = (page.HERE / "page.js").read_text(encoding="utf-8")
    comment = script.split("Words of `ui`")[1].split("// Before")[0]
    named = set(re.findall(r"[a-z_]+", "".join(comment.splitlines()[1:])))
    assert named == set(page_words("en", "Ann"))
