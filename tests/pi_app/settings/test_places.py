"""Every message about the settings names its section, as written in the file, and the key."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from pi_app.settings import hubs, load, trap_tables, wiring, wiring_checks
from tests.pi_app.settings.refusals import REFUSALS

COLLECTIONS = ("bus", "hub", "square", "seat")


def places() -> list[tuple[str, str]]:
    """Return the place that each complaint in the source names, as written there."""
    found = []
    for module in (load, hubs, trap_tables, wiring, wiring_checks):
        file = Path(str(module.__file__))
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            if node.func.attr in ("error", "warning", "information") and node.args:
                found.append((f"{file.name}:{node.lineno}", ast.unparse(node.args[0])))
    return found


@pytest.mark.parametrize(("where", "place"), places())
def test_no_complaint_names_a_kind_of_section_and_no_section(where: str, place: str) -> None:
    assert not re.fullmatch(rf"""f?['"]\[({"|".join(COLLECTIONS)}|{{key}})\]['"]""", place), where


def test_there_are_refusals() -> None:
    assert len(REFUSALS) > 50


@pytest.mark.parametrize(("old", "new", "message"), REFUSALS)
def test_each_refusal_names_a_section_of_the_file(old: str, new: str, message: str) -> None:
    named = re.match(r"\S+ (\[\[?[^\]]+\]\]?)", message)
    if named is None:
        return
    section = named[1].strip("[]")
    kind, _, name = section.partition(".")
    assert name or kind not in COLLECTIONS, message
