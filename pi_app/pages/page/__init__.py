"""The page that a phone opens: one file, made once from the sources beside this one.

`built()` puts style and script into `page.html`, leaves comments and indentation out, and hashes both parts for the
Content-Security-Policy, so that a browser runs this script and no other. The same sources give the same bytes.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from html import escape
from pathlib import Path
from typing import Final

MOST_BYTES: Final = 13_700
"""The most that the page may have, compressed: with its head it fits the ten segments that TCP sends at first."""

HERE: Final = Path(__file__).parent
PAGE_SCRIPTS: Final = (("crypto.js", "early.js"), ("words.js", "page.js"), ("symbols.js", "draw.js"))
"""The scripts in their order. The first one knocks while the others are on their way: where a network loses some of the
page, which takes TCP up to a second to send again, the table's answer comes meanwhile. The last one may be late."""
DEMO_SCRIPTS: Final = (("demo.js",),)
PUBLIC_SCRIPTS: Final = (("symbols.js", "draw.js", "public.js"),)
STAFF_SCRIPTS: Final = (("crypto.js", "staff.js"),)


@dataclass(frozen=True, slots=True)
class BuiltPage:
    """A page as it is served, plain and compressed, and its Content-Security-Policy."""

    html: bytes
    gzipped: bytes
    csp: str


Page = BuiltPage
"""The same, by the short name that the page process uses."""


@cache
def built() -> BuiltPage:
    """The page of a phone."""
    return _page("page.html", "page.css", PAGE_SCRIPTS, "frame-ancestors 'self'")


@cache
def demo() -> BuiltPage:
    """The demo's page: four phones side by side, and the squares with their dials."""
    return _page("demo.html", "demo.css", DEMO_SCRIPTS, "frame-src 'self'; frame-ancestors 'none'")


@cache
def public() -> BuiltPage:
    """The public display of a station: what everybody may see, for a large screen."""
    return _page("public.html", "public.css", PUBLIC_SCRIPTS, "frame-ancestors 'none'")


def staff() -> BuiltPage:
    """The staff page of a station, with the words of its door in all languages. They are in a file of their own: a page
    process that read whole catalogues would have the names of all traps in its memory."""
    page = _page("staff.html", "staff.css", STAFF_SCRIPTS, "frame-ancestors 'none'")
    words = json.dumps(json.loads(_text("staff_words.json")), ensure_ascii=False)
    html = page.html.replace(b'data-words=""', b'data-words="%s"' % escape(words).encode(), 1)
    return replace(page, html=html, gzipped=gzip.compress(html, 9, mtime=0))


@lru_cache(maxsize=2)
def of_game(page: BuiltPage, game: bytes) -> BuiltPage:
    """The page with the public name of a game, in base64. The hashes of script and style stay as they are."""
    html = page.html.replace(b'data-game=""', b'data-game="%s"' % base64.b64encode(game), 1)
    return replace(page, html=html, gzipped=gzip.compress(html, 9, mtime=0))


def _page(html: str, css: str, scripts: tuple[tuple[str, ...], ...], more: str) -> BuiltPage:
    style = stripped_css(_text(css))
    made = ['"use strict";\n' + "\n".join(stripped_js(_text(name)) for name in names) for names in scripts]
    text = stripped_html(_text(html))
    text = text.replace("<style></style>", f"<style>{style}</style>")
    for script in made:
        text = text.replace("<script></script>", f"<script>{script}</script>", 1)
    hashes = " ".join(map(_hash, made))
    csp = (
        f"default-src 'none'; connect-src 'self'; script-src {hashes}; style-src {_hash(style)}; "
        f"img-src data:; base-uri 'none'; form-action 'none'; {more}"
    )
    data = text.encode()
    return BuiltPage(data, gzip.compress(data, 9, mtime=0), csp)


_BLANKS: Final = re.compile(
    r"""("(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|(?<=[(=] )/(?:\\.|[^/\\\n])+/)|"""
    r""" ?(=>|&&|\|\||!==|\+=|-=|[=,:?{}();<>*\[\]]|(?<![-+] )[-+](?! [-+])) ?"""
)
"""A text, a template or a pattern, which stay; or a sign, with the blanks that mean nothing beside it."""


def stripped_js(text: str) -> str:
    """Leave out lines that are comments, comments after code (two blanks, `//`, one blank), indentation, blanks beside
    most signs, ends of lines that mean nothing, and the repeated `"use strict"`."""
    lines = (re.sub(r"  // .*", "", line).strip() for line in text.splitlines())
    kept = (line for line in lines if line and not line.startswith("//") and line != '"use strict";')
    code = _BLANKS.sub(lambda found: found[1] or found[2], "\n".join(kept))
    return re.sub(r"(?<=[;{,(])\n", "", code)


def stripped_css(text: str) -> str:
    """Leave out comments and the blanks that mean nothing."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    text = re.sub(r"\s+", " ", text)
    return re.sub(r" ?([{};]) ?", r"\1", text).replace(";}", "}").replace(": ", ":").replace(", ", ",").strip()


def stripped_html(text: str) -> str:
    """Leave out comments and the blanks between lines."""
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())


def _text(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    import hashlib  # the page process has it anyway, and has no use for libsodium

    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
