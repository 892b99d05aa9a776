"""Other trap tables for the same squares: dealt in turn, as a shop does between two groups of players."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import msgspec

from pi_app.game import trap_table_file as tables
from pi_app.game.trap_table import TrapTable
from pi_app.settings.load import Settings
from pi_app.text.errors import UserFileError


def deal(settings: Settings, files: Sequence[Path]) -> Settings:
    """The settings with the tables in these files on their squares: first file, first square, and round again.

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
