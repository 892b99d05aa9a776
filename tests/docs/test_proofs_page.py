"""The auditors' page: each claim names tests that exist and run, and every test of an attack stands behind a claim."""

from __future__ import annotations

import ast
import functools
import re

import pytest

from tests.docs.pages import ROOT, text

PAGE = text("wiring_docs/proofs.md")
ROW = re.compile(r"^\| (?!claim|---)(?P<claim>.+?) \| (?P<tests>`.+`) \|$", re.MULTILINE)
NODE = re.compile(r"`(?P<file>tests/[\w/]+\.py)(?:::(?P<name>\w+))?`")


def nodes() -> list[tuple[str, str | None]]:
    return [(node["file"], node["name"]) for row in ROW.finditer(PAGE) for node in NODE.finditer(row["tests"])]


@functools.cache
def functions(file: str) -> dict[str, ast.FunctionDef]:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_the_page_has_a_claim_against_each_attacker() -> None:
    headings = re.findall(r"^## (.+)$", PAGE, re.MULTILINE)
    parts = dict(zip(headings, re.split(r"^## .+$", PAGE, flags=re.MULTILINE)[1:], strict=True))
    against = [heading for heading in headings if heading.startswith("Against ")]
    assert len(against) >= 7
    assert [heading for heading in against if not ROW.search(parts[heading])] == []


@pytest.mark.parametrize(("file", "name"), sorted(set(nodes()), key=str))
def test_the_test_of_a_claim_exists(file: str, name: str | None) -> None:
    assert (ROOT / file).is_file()
    if name is None:
        assert any(each.startswith("test_") for each in functions(file))
    else:
        assert name.startswith("test_")
        marks = [ast.unparse(mark) for mark in functions(file)[name].decorator_list]
        assert not any("skip" in mark or "xfail" in mark for mark in marks)


def test_every_module_of_attacks_stands_behind_a_claim() -> None:
    suite = {str(path.relative_to(ROOT)) for path in (ROOT / "tests/attack").rglob("test_*.py")}
    assert suite - {file for file, _ in nodes()} == set()
