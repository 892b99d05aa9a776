"""Decides what may be shown outside a game while it is on (S-9, S-12).

Every command that shows, draws, writes or prints a secret of a table asks `open_secrets` first.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from pi_app import journal as jn
from pi_app.game import events as ev
from pi_app.game.trap_table import TrapTable
from pi_app.play.mage_knight import MAGE_KNIGHT, record_shown
from pi_app.settings.model import JOURNAL
from pi_app.text.errors import UserFileError, problem
from pi_app.text.user_file import read_text

OR_IN_PLAY: Final = "End the game first, or say --in-play; its record then gets an entry, and its audit a finding (S-9)"

_BECAUSE: Final[Mapping[ev.Opened, str]] = {
    "table": "a trap table would reveal its secrets",
    "samples": "the dials' samples would reveal its secrets",
    "calibrated": "a dial that is turned now may end up on another click",
    "demo": "a demo with the table's own trap tables would reveal its secrets",
}

_NAME_BYTES: Final = 40
"""A longer name of a table that is in no game is cut, so that every entry has room for it."""


def open_secrets(
    how: ev.Opened,
    journals: Iterable[Path],
    *,
    in_play: bool,
    tables: Sequence[TrapTable | None] = (),
    advice: str = OR_IN_PLAY,
    stamp: Callable[[], jn.Stamp] = jn.machine_stamp,
) -> None:
    """Return when a secret may be shown: no game is on in these journals, or `in_play` is set and the record of each
    game has its entry on disk. Raises UserFileError, and then nothing may be shown.

    The entries follow from the command alone: one for each of `tables` (None: a file with errors), or one for all else,
    whatever the game holds.
    """
    running = {path: game for path in journals if (game := open_game(path)) is not None}
    if how == "demo":
        running = {path: game for path, game in running.items() if _is_real(path)}
    if running and not in_play:
        because = _BECAUSE[how]
        raise UserFileError(
            problem(str(path), "", f"game {game} in it has not ended, and {because}", advice)
            for path, game in running.items()
        )
    for path in running:
        for event in _events(path, how, tables):
            record_shown(path, event, stamp)


def open_game(path: Path) -> str | None:
    """Return the id of the game of trap squares that is on in this journal; None if there is none, or no journal.

    Its secrets need no key here. Raises JournalFileError for a file that is no journal, and if a journal is gone while
    the key of a game is still there.
    """
    try:
        there = path.exists() and path.stat().st_size > 0
        held = any(jn.keys_of(path).folder.glob("game-*.key"))
    except OSError as error:
        seen = f"it cannot be looked at ({error.strerror}), so a game may be on"
        raise UserFileError.at(str(path), "(file)", seen, "Run this as the user who plays") from error
    return jn.open_game(path, MAGE_KNIGHT) if there or held else None


def journals_of(settings: Iterable[Path], journals: Iterable[Path] = (), beside: Iterable[Path] = ()) -> list[Path]:
    """Return every journal that may hold a running game of a table: those named, and those of the settings files.

    Settings are also looked for in this folder and where the files `beside` lie: naming another settings file, or a
    copy of a table, finds the same journals. Settings with errors count with the journal that they name.
    """
    homes = [Path(), *(folder for file in beside for folder in list(_real(file).parents)[:2])]
    files = [*settings, *(folder / "trapdial.toml" for folder in homes)]
    found = [*journals, *(file.parent / _journal_named(file) for file in files)]
    spelled: dict[Path, Path] = {}
    for path in found:
        spelled.setdefault(_real(path), _real(path) if os.path.islink(path) else path)
    return list(spelled.values())


def _real(path: Path) -> Path:
    """Return where a path leads, also through a loop of links."""
    return Path(os.path.realpath(path))


def _journal_named(settings: Path) -> str:
    """Return the journal that a settings file names, or the usual one."""
    try:
        table = tomllib.loads(read_text(settings)).get("table")
    except (UserFileError, ValueError, RecursionError):
        table = None
    named = table.get("journal") if isinstance(table, dict) else None
    return named if isinstance(named, str) and named and "\0" not in named else JOURNAL


def _is_real(path: Path) -> bool:
    moment = jn.running(path, MAGE_KNIGHT)
    return moment is not None and not moment.game.simulated


def _events(path: Path, how: ev.Opened, tables: Sequence[TrapTable | None]) -> Iterator[ev.TableShown]:
    if how != "table":
        yield ev.TableShown(how=how)
        return
    moment = jn.running(path, MAGE_KNIGHT)
    played = [] if moment is None else [square.table for square in moment.game.squares.values()]
    for table in tables:
        yield ev.TableShown(table="" if table is None else _name_in_game(table, played))


def _name_in_game(table: TrapTable, played: Sequence[TrapTable]) -> str:
    """Return the name that a game has for a table, even if the file is a copy with another name."""
    if any(other.name == table.name for other in played):
        return table.name
    same = next((other.name for other in played if other.faces == table.faces), table.name)
    return same.encode()[:_NAME_BYTES].decode(errors="ignore")
