"""Reads the owner's files that the settings name beside trap tables: treasure chests, artifacts, Mage Spawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pi_app.game import chests, conversion, tokens
from pi_app.game.chests import Chest
from pi_app.game.conversion import SpawnFigure
from pi_app.game.tokens import Pool
from pi_app.settings.model import Settings
from pi_app.text.errors import UserFileError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class OwnerFiles:
    """Their content. `pool` is None at a table that plays without artifacts (AR-SET-1)."""

    chests: tuple[Chest, ...] = ()
    pool: Pool | None = None
    spawn: tuple[SpawnFigure, ...] = ()


def read(settings: Settings) -> OwnerFiles:
    """Read all of them. Raises UserFileError with the errors of all files."""
    wrong: list[str] = []

    def one(name: str, load: Callable[[Path], T], samples: dict[str, Path], nothing: T) -> T:
        try:
            return load(samples.get(name) or settings.beside(name)) if name else nothing
        except UserFileError as error:
            wrong.extend(error.problems)
            return nothing

    files = OwnerFiles(
        chests=one(settings.table.chests, chests.load, {chests.SAMPLE: chests.sample_path()}, ()),
        pool=one(settings.artifacts.pool, tokens.load, {tokens.SAMPLE: tokens.sample_path()}, None),
        spawn=one(settings.table.spawn, conversion.load, {}, ()),
    )
    if wrong:
        raise UserFileError(wrong)
    return files
