"""Trap tables for dials of other numbers of clicks."""

from __future__ import annotations

import msgspec

from pi_app.game.trap_table import TrapTable
from pi_app.game.trap_table_file import load_sample


def with_clicks(clicks: int) -> TrapTable:
    """The sample with twelve clicks, gone round until there are enough."""
    table = load_sample("SAMPLE-12")
    faces = [msgspec.structs.replace(table.faces[n % 12], position=n) for n in range(clicks)]
    return msgspec.structs.replace(table, clicks=clicks, faces=tuple(faces))
