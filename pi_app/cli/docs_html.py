"""The documentation as HTML: every page, with its pictures, in a folder that can be opened anywhere."""

from __future__ import annotations

import contextlib
import html
import os
import re
import shutil
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

from pi_app.text.errors import UserFileError
from pi_app.text.pages import FOLDER, NAMED, START, DocPage, anchor, page_of, pages
from pi_app.text.plain_file import NotPlainError, read_plain

_LONGEST_PAGE: Final = 2**22
_MARK: Final = '<meta name="generator" content="trapdial docs">'
_PAGE: Final = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
{mark}
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 1rem/1.5 system-ui, sans-serif; max-width: 52rem; margin: 0 auto; padding: 1rem; }}
h1, h2, h3 {{ line-height: 1.2; }}
img {{ max-width: 100%; height: auto; background: white; }}
pre, .wide {{ overflow-x: auto; }}
pre {{ padding: .6rem; background: #8882; }}
code {{ font-size: .9em; background: #8882; }}
pre code {{ background: none; }}
table {{ border-collapse: collapse; }}
th, td {{ border: 1px solid #8886; padding: .2rem .5rem; text-align: left; vertical-align: top; }}
blockquote {{ margin-left: 0; padding-left: 1rem; border-left: .2rem solid #8886; }}
@page {{ size: A4; margin: 12mm; }}
@media print {{
  body {{ font-size: 9.5pt; line-height: 1.3; max-width: none; padding: 0; }}
  body > .all {{ display: none; }}
  h1, h2, h3 {{ break-after: avoid; margin: .8em 0 .4em; }}
  p, ul, pre {{ margin: .5em 0; }}
  tr, pre {{ break-inside: avoid; }}
}}
</style>
</head>
<body>
<p class="all"><a href="{start}">All pages</a></p>
{body}
</body>
</html>
"""


def cache_folder() -> Path:
    """The folder for pages that a browser opens: the user's cache."""
    try:
        cache = os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
    except RuntimeError:
        raise UserFileError.at("~/.cache", "", "no home folder was found", "Name a folder with -o") from None
    return Path(cache) / "trapdial" / "docs"


def write_pages(folder: Path) -> dict[str, Path]:
    """Write every page as HTML, copy the pictures, and return the file of each page by its name.

    Raises UserFileError if the folder holds something else, or cannot be written.
    """
    written: dict[str, Path] = {}
    try:
        _refuse_other_files(folder)
        for file in sorted(FOLDER.rglob("*")):
            target = folder / file.relative_to(FOLDER)
            if file.is_dir() or "__pycache__" in file.parts:
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            if file.suffix != ".md":
                shutil.copyfile(file, target)
        for page in pages().values():
            target = folder / _html_name(page.file.relative_to(FOLDER))
            target.write_text(as_html(page), encoding="utf-8")
            written[page.name] = target
    except OSError as trouble:
        seen = f"it cannot be written ({trouble.strerror or trouble})"
        raise UserFileError.at(str(folder), "", seen, "Name another folder with -o") from None
    return written


def _refuse_other_files(folder: Path) -> None:
    """Raise UserFileError unless the folder is new, empty or our own."""
    start = folder / "index.html"
    if not folder.exists() or not any(folder.iterdir()):
        return
    if not start.exists() or not _is_ours(start):
        seen = "it holds other files, and nothing was written"
        raise UserFileError.at(str(folder), "(folder)", seen, "Name a new folder with -o")


def _is_ours(start: Path) -> bool:
    with contextlib.suppress(NotPlainError):
        return _MARK.encode() in read_plain(start, _LONGEST_PAGE)
    return False


def as_html(page: DocPage) -> str:
    """Render one page as a whole HTML document. Links lead to the other pages' HTML."""
    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = reader.parse(page.text)
    _name_headings(tokens)
    for token in tokens:
        if token.type == "inline" and token.children:
            token.children = _linked(token.children, page)
            first = token.children[0]
            first.content = re.sub(r"^\[ \]", "\N{BALLOT BOX}", first.content)
    body = reader.renderer.render(tokens, reader.options, {})
    body = body.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")
    start = _relative(pages()[START].file, page)
    return _PAGE.format(mark=_MARK, title=html.escape(page.title), start=start, body=body)


def _name_headings(tokens: Sequence[Token]) -> None:
    """Give each heading the id that links use."""
    for heading, content in pairwise(tokens):
        if heading.type == "heading_open":
            heading.attrSet("id", anchor(content.content))


def _linked(tokens: Sequence[Token], page: DocPage) -> list[Token]:
    """Lead links to the pages' HTML, and make `trapdial docs PAGE` a link. A link out of the documentation becomes
    text: the installed program has no file for it."""
    made: list[Token] = []
    depth = 0
    for token in tokens:
        depth += token.nesting
        if token.type == "link_open":
            target = _target(str(token.attrGet("href")), page)
            token.attrs = {"href": target} if target else {}
        elif token.type == "code_inline" and depth == 0 and (href := _named_page(token.content, page)):
            made += [Token("link_open", "a", 1, attrs={"href": href}), token, Token("link_close", "a", -1)]
            continue
        made.append(token)
    return made


def _named_page(code: str, page: DocPage) -> str | None:
    """The link for `trapdial docs PAGE`; None for any other code."""
    named = NAMED.fullmatch(code)
    found = page_of(named[1]) if named else None
    return _relative(found.file, page) + (named[2] or "") if named and found else None


def _target(href: str, page: DocPage) -> str | None:
    """Where a link of this page leads to in the folder of HTML; None if out of it."""
    path, mark, heading = href.partition("#")
    if not path or re.match(r"[a-z]+:", path):
        return href
    file = Path(os.path.normpath(page.file.parent / path))
    if not file.is_relative_to(FOLDER) or not file.exists():
        return None
    return _relative(file, page) + mark + heading


def _relative(file: Path, page: DocPage) -> str:
    return Path(os.path.relpath(_html_name(file), page.file.parent)).as_posix()


def _html_name(file: Path) -> Path:
    if file.name == "README.md":
        return file.with_name("index.html")
    return file.with_suffix(".html") if file.suffix == ".md" else file
