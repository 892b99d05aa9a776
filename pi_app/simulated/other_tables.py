"""Puts other trap tables on the squares of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import msgspec

from pi_app.game import trap_table_file as tables
from pi_app.game.trap_table import TrapTable
from pi_app.settings.model import Settings
from pi_app.text.errors import UserFileError


def with_tables(settings: Settings, files: Sequence[Path]) -> Settings:
    """Return the settings with the tables in these files on the squares in turn.

    Raises UserFileError with every problem of every file.
    """
    dealt: list[TrapTable] = []
    problems: list[str] = []
    for file in files:
        try:
            dealt.append(tables.load(file))
        except UserFileError as error:
            problems += error.problems
    if problems:
        raise UserFileError(problems)
    squares = {
        label: msgspec.structs.replace(square, table=dealt[n % len(dealt)])
        for n, (label, square) in enumerate(settings.squares.items())
    }
    return replace(settings, squares=MappingProxyType(squares))
