"""Every message about the settings names the section that it is about, as it stands in the file, and the key."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from pi_app.settings import hubs as settings_hubs
from pi_app.settings import load as settings
from pi_app.settings import wiring as settings_wiring
from tests.pi_app.settings_texts import COLLECTIONS


def places() -> list[tuple[str, str]]:
    """Where each complaint in the source says that it is, as it is written there."""
    found = []
    for module in (settings, settings_hubs, settings_wiring):
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
