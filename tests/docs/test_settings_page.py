"""Every key of the settings is documented with its default and requirement."""

from __future__ import annotations

import re
import tomllib
from typing import Any, get_type_hints

import msgspec
import pytest

from pi_app.game.ruleset import Ruleset, settled
from pi_app.settings import load as settings
from pi_app.settings.model import ScreenSettings
from pi_app.text import user_file as userfile
from tests.docs.pages import tables, text
from tests.docs.sections import SECTIONS

HAVE_SECTIONS = {"mux", "lamp", "screen"}
"""Keys of [bus.NAME] and [seat.KEY] that have their own sections."""


def test_every_section_of_the_settings_has_a_table() -> None:
    heads = re.findall(r"^## (`.+`)$", text("wiring_docs/settings.md"), re.MULTILINE)
    assert heads == list(SECTIONS)


@pytest.mark.parametrize(("section", "number"), [(section, number) for number, section in enumerate(SECTIONS)])
def test_every_key_is_documented(section: str, number: int) -> None:
    rows = tables("wiring_docs/settings.md", "key", "meaning", "unit", "default", "must be")[number]
    kind = SECTIONS[section]
    hints = get_type_hints(kind, include_extras=True)
    fields = {
        field.name: field
        for field in msgspec.structs.fields(kind)
        if field.name not in HAVE_SECTIONS or kind is settings._SquareRow or kind is ScreenSettings
    }
    assert sorted(row["key"].strip("`") for row in rows) == sorted(fields)
    for row in rows:
        field = fields[row["key"].strip("`")]
        assert row["meaning"]
        assert row["must be"] == userfile.requirement(hints[field.name]), field.name
        assert default(row["default"]) == default_of(kind, field), field.name


REQUIRED = object()


def default_of(kind: type[msgspec.Struct], field: msgspec.structs.FieldInfo) -> object:
    """What holds if the key is not written: of a switch, what its preset says."""
    if kind is Ruleset:
        return getattr(settled({}), field.name)
    if field.default is msgspec.NODEFAULT and field.default_factory is not msgspec.NODEFAULT:
        return field.default_factory()
    return REQUIRED if field.required else [*field.default] if isinstance(field.default, tuple) else field.default


def default(cell: str) -> Any:
    if cell in ("required", "none"):
        return REQUIRED if cell == "required" else None
    return tomllib.loads(f"value = {cell.strip('`')}")["value"]
