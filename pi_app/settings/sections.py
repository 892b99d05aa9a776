"""The sections of a settings file: one with a fixed name, or many with names of their own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from pi_app.text.user_file import Complaints, read_values, seen_as, short

Good = dict[str, object]
"""The valid values of one section, by key."""


def read_section(kind: type[msgspec.Struct], raw: Mapping[str, object], key: str, complaints: Complaints) -> Good:
    """Return the valid values of the section [key]; report the others, and a key that is no section."""
    return read_values(kind, section(raw, key, complaints), f"[{key}]", complaints)


def section(raw: Mapping[str, object], key: str, complaints: Complaints) -> Mapping[str, object]:
    """Return the section [key], empty if it is missing; report a key that is no section."""
    part = raw.get(key, {})
    if isinstance(part, dict):
        return part
    complaints.error("", seen_as(key, part), f"must be a section that begins with [{key}]")
    return {}


_LABELS: Final = {"bus": 20, "hub": 20, "square": 6, "seat": 12, "room": 6, "player": 12, "character": 12, "object": 12}
"""The longest name that each kind of section may have."""


def parts(
    raw: Mapping[str, object], key: str, complaints: Complaints, least: int = 1
) -> Iterable[tuple[str, Mapping[str, object]]]:
    """Yield the sections [key.NAME] with a valid name; report the others, and fewer sections than `least`."""
    sections = raw.get(key, {})
    if not isinstance(sections, dict) or len(sections) < least:
        there = "only one" if isinstance(sections, dict) and sections else "no"
        wanted = "one" if least == 1 else f"{least}"
        complaints.error("", "", f"there is {there} [{key}.NAME] section; there must be at least {wanted}")
        return
    for name, part in sections.items():
        if not re.fullmatch(rf"[A-Za-z0-9]{{1,{_LABELS[key]}}}", name):
            reason = f"its name must be 1 to {_LABELS[key]} letters and digits"
            complaints.error(f"[{key}.{short(name)[1:-1]}]", "", reason)
        elif not isinstance(part, dict):
            complaints.error(f"[{key}.{name}]", "", f"must be a section that begins with [{key}.{name}]")
        else:
            yield name, part
