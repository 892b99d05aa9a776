"""Compares the settings with the game that they resume. Every mismatch is a sentence, and nothing is written.

What may differ: the wires, hubs and pins, the calibrations, the names of files, the Mage Spawn pool, the Heroes. They
can be mended or changed in the middle of a game.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import msgspec

from pi_app.game.state import Game
from pi_app.game.trap_table import TrapTable
from pi_app.settings.model import Settings
from pi_app.settings.owner_files import read as read_owner_files
from pi_app.text.errors import UserFileError, problem

OTHER_FILE: Final = "Name another file with --journal"
THE_SAME: Final = "Use the settings that the game began with, or begin another with --new"


def refuse_mismatch(path: Path, game: Game, settings: Settings, *, simulated: bool) -> None:
    """Raise UserFileError, with every reason, if this game cannot be resumed with these settings; `simulated`: on
    twins."""
    if game.simulated != simulated:
        raise other_parts(path, simulated=simulated)
    found = [*_squares(game, settings), *_seats(game, settings), *_table(game, settings), *_files(game, settings)]
    if found:
        where = settings.where
        raise UserFileError(problem(where, place, f"{seen}; the game is in {path}", THE_SAME) for place, seen in found)


def another_kind(path: Path, game: str, advice: str) -> UserFileError:
    """Return the error for a journal with an unfinished game of another kind (rooms, or trap squares)."""
    seen = f"it holds game {game}, which is of another kind and was not ended"
    return UserFileError.at(str(path), "(file)", seen, advice)


def other_parts(path: Path, *, simulated: bool) -> UserFileError:
    """Return the error for a real game that would be resumed on twins (`simulated`), and for the reverse."""
    seen, advice = (
        ("its game was played on real dials", "Resume it with `trapdial play`, or name another file with --journal")
        if simulated
        else ("its game was played on a SIMULATED table", "Resume it with --simulated, or begin another with --new")
    )
    return UserFileError.at(str(path), "(file)", seen, advice)


Mismatch = tuple[str, str]
"""The place in the settings, and what was seen."""


def differing(place: str, what: str, now: Iterable[str], then: Iterable[str]) -> Iterator[Mismatch]:
    """Yield the sections that only the settings have, and those that only the game has."""
    here, there = list(now), list(then)
    for name in here:
        if name not in there:
            yield f"[{place}.{name}]", f"the game has no such {what}"
    for name in there:
        if name not in here:
            yield f"[{place}.{name}]", f"it is missing, and the game has this {what}"


def differs(place: str, key: str, now: object, then: object) -> Iterator[Mismatch]:
    """Yield one value of the settings that is another than the game's."""
    if now != then:
        yield f"{place} {key} = {_written(now)}", f"the game has {_written(then)}"


def _written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _squares(game: Game, settings: Settings) -> Iterator[Mismatch]:
    yield from differing("square", "square", settings.squares, game.squares)
    shared = [
        (label, square, game.squares[label]) for label, square in settings.squares.items() if label in game.squares
    ]
    other_dials = False
    for label, now, then in shared:
        place = f"[square.{label}]"
        if now.kind.absolute != then.absolute:
            yield (
                f"{place} chip",
                f"its dial {_reading(now.kind.absolute)}, and in the game it {_reading(then.absolute)}",
            )
        if now.table.clicks != then.table.clicks:
            other_dials = True
            yield f"{place} table", f"its dial has {now.table.clicks} clicks, and in the game {then.table.clicks}"
    whole = len(shared) == len(settings.squares) == len(game.squares) and not other_dials
    if whole and not _same_tables(
        [now.table for _, now, _ in shared], [then.table for _, _, then in shared], game.shuffled
    ):
        yield (
            "[square]",
            "the trap tables are not those of the game",
        )  # no square is named: that would tell a table (S-9)


def _reading(absolute: bool) -> str:
    return "has an absolute angle" if absolute else "counts steps"


def _same_tables(now: list[TrapTable], then: list[TrapTable], shuffled: bool) -> bool:
    """Return whether each square has its table; in a shuffled game, whether the same tables were dealt."""
    if shuffled:
        return Counter(map(_content, now)) == Counter(map(_content, then))
    return [(table.name, table.faces) for table in now] == [(table.name, table.faces) for table in then]


def _content(table: TrapTable) -> tuple[str, tuple[str, ...]]:
    """Return a table's faces without their order, which a shuffle changes."""
    return table.name, tuple(sorted(str((face.kind, face.trap, face.disarm, face.xp)) for face in table.faces))


def _seats(game: Game, settings: Settings) -> Iterator[Mismatch]:
    yield from differing("seat", "seat", settings.seats, game.seats)
    for key, seat in settings.seats.items():
        if key in game.seats:
            yield from differs(f"[seat.{key}]", "name", seat.name, game.seats[key].name)
            yield from differs(f"[seat.{key}]", "language", seat.language, game.seats[key].language)


def _table(game: Game, settings: Settings) -> Iterator[Mismatch]:
    yield from differs("[table]", "name", settings.table.name, game.table_name)
    yield from differs("[table]", "language", settings.table.language, game.language)
    yield from rules("[ruleset]", settings.ruleset, game.ruleset)


def rules(place: str, now: msgspec.Struct, then: msgspec.Struct) -> Iterator[Mismatch]:
    """Yield each switch that differs. A preset is a name for switches only."""
    for key in now.__struct_fields__:
        if key != "preset":
            yield from differs(place, key, getattr(now, key), getattr(then, key))


def _files(game: Game, settings: Settings) -> Iterator[Mismatch]:
    files = read_owner_files(settings)
    if list(files.chests) != [each.chest for each in game.rulings.chests.values()]:
        yield "[table] chests", "the treasure chests are not those of the game"
    laid = None if game.artifacts is None else game.artifacts.laid
    if files.pool != (None if laid is None else laid.pool):
        yield "[artifacts] pool", "the artifacts are not those of the game"
    elif laid is not None:
        yield from differs("[artifacts]", "draw", settings.artifacts.draw, laid.draw)
