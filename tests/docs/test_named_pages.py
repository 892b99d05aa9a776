"""Every page that a message, a help text or a generated file names is in the program: `trapdial docs PAGE`."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator

from pi_app.text.pages import NAMED, headings, pages
from tests.docs.pages import DOCS, PAGES, ROOT, text
from tests.layers import FILES

ANY_PAGE = "PAGE"
"""Stands for a page's name in help texts."""


def spoken(tree: ast.AST) -> Iterator[str]:
    """The strings of a file that somebody may read: all but docstrings, and the docstrings of commands."""
    silent = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            silent.add(id(node.value))
        if isinstance(node, ast.FunctionDef) and any("command" in ast.unparse(each) for each in node.decorator_list):
            yield ast.get_docstring(node) or ""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in silent:
            yield node.value


@functools.cache
def in_the_source() -> tuple[tuple[str, str], ...]:
    sources = {file: (ROOT / file).read_text(encoding="utf-8") for file in FILES}
    return tuple((file, said) for file, source in sources.items() for said in spoken(ast.parse(source)))


def unknown(said: str) -> list[str]:
    """The pages and headings that a text names and that do not exist."""
    if "trapdial docs" not in said:
        return []
    known = pages()
    return [
        found[0]
        for found in NAMED.finditer(said)
        if found[1] != ANY_PAGE
        and (found[1] not in known or (found[2] and found[2][1:] not in headings(known[found[1]].text)))
    ]


def test_every_page_that_a_message_names_exists() -> None:
    named = {found[1] for _, said in in_the_source() for found in NAMED.finditer(said)}
    assert named >= {"hub_wire", "trap_tables", "service", "hands", "journal_format"}
    assert [(file, each) for file, said in in_the_source() for each in unknown(said)] == []


def test_no_message_names_a_file_that_a_wheel_does_not_have() -> None:
    found = [(file, said) for file, said in in_the_source() if re.search(r"wiring_docs/\w", said)]
    assert [each for each in found if each[0] != "pi_app/text/pages.py"] == []


def test_every_page_that_a_page_names_exists() -> None:
    assert [(page, each) for page in PAGES for each in unknown(text(page))] == []


def test_the_guides_name_pages_that_exist() -> None:
    guides = [page.read_text(encoding="utf-8") for page in DOCS.glob("examples/*/guide.md")]
    assert all({found[1] for found in NAMED.finditer(guide)} >= {"printed_parts", "pi"} for guide in guides)


def test_a_page_that_does_not_exist_is_seen() -> None:
    assert unknown("see `trapdial docs hub_wire#the-path-rule`.") == []
    assert unknown("see `trapdial docs hubwire`, trapdial docs hub#nowhere") == [
        "trapdial docs hubwire",
        "trapdial docs hub#nowhere",
    ]
    code = 'def a():\n    """wiring_docs/b.md"""\n    return f"wiring_docs/c.md {a}"'
    assert list(spoken(ast.parse(code))) == ["wiring_docs/c.md "]
