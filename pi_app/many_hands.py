"""A long record that is sound, verified by as many processes as there are cores.

Each opens the file by itself and takes a part of the rows; the chain, the tree and the games are followed here.
Whatever is not plainly sound is left to `pi_app.journal`, which goes through the file once more by itself and says what
it is.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from functools import partial
from multiprocessing.pool import Pool
from pathlib import Path
from typing import Final

from pi_app import events as ev
from pi_app.errors import UserFileError
from pi_app.journal import raw
from pi_app.record.heads import Head
from pi_app.record.runs import Run, runs
from pi_app.record.sha import in_bulk
from pi_app.record.verify import Damage, GameSeen, Verdict, judge, open_up

LONG_BYTES: Final = 2**23
"""A file from which on more processes are worth their start: some 3000 entries."""

PART: Final = 1_000
"""Entries that a process takes at once."""


def verdict(path: Path, witnesses: Sequence[Head], log: int, *, opens: bool) -> Verdict | None:
    """As `pi_app.journal.verify`; None if the record is short, somebody writes it, or anything is wrong with it."""
    cores = len(os.sched_getaffinity(0))
    if cores < 2 or threading.active_count() > 1 or not _is_long_and_at_rest(path):
        return None
    return _verdict(path, witnesses, log, opens=opens, processes=cores)


def _is_long_and_at_rest(path: Path) -> bool:
    writing = path.with_name(path.name + "-wal")
    return path.is_file() and path.stat().st_size >= LONG_BYTES and not (writing.exists() and writing.stat().st_size)


def _verdict(path: Path, witnesses: Sequence[Head], log: int, *, opens: bool, processes: int) -> Verdict | None:
    before = _state_of(path)
    with contextlib.suppress(UserFileError):
        with raw(path) as journal:
            parts = [range(at, at + PART) for at in range(1, journal.last(log) + 1, PART)]
        # forked, since the modules are there already; nothing of SQLite is open meanwhile, and no thread runs
        with multiprocessing.get_context("fork").Pool(processes, _begin) as pool:
            sound = pool.apply_async(_is_sound, (path,))
            opener = partial(_opened_by, pool, path, log, parts) if opens else None
            found = judge(_runs_by(pool, path, log, parts), witnesses, opener)
            if found.damage is None and found.size and sound.get() and _state_of(path) == before:
                return found
    return None


def _state_of(path: Path) -> tuple[int, int, int]:
    state = path.stat()
    return state.st_ino, state.st_size, state.st_mtime_ns


def _begin() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is for the first process, which ends the others
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # with this, whatever was done about it before the fork
    in_bulk()


def _runs_by(pool: Pool, path: Path, log: int, parts: Sequence[range]) -> Iterator[Run]:
    return itertools.chain.from_iterable(pool.imap(partial(_runs_of, path, log), parts))


def _runs_of(path: Path, log: int, part: range) -> list[Run]:
    with raw(path) as journal:
        return list(runs(journal.rows(log, part)))


def _opened_by(
    pool: Pool, path: Path, log: int, parts: Sequence[range], games: dict[str, GameSeen], until: int
) -> Damage | None:
    """As `open_up`, of the first entries."""
    played: dict[int, dict[str, GameSeen]] = {part.start: {} for part in parts}
    for name, game in games.items():
        for part in parts[(game.first - 1) // PART : (game.last - 1) // PART + 1]:
            played[part.start][name] = dataclasses.replace(game, opened=0)
    jobs = [(range(part.start, min(part.stop, until + 1)), played[part.start]) for part in parts if part.start <= until]
    for damage, opened in pool.imap(partial(_opened, path, log), jobs):
        for name, count in opened.items():
            games[name].opened += count
        if damage is not None:
            return damage
    return None


def _opened(path: Path, log: int, job: tuple[range, dict[str, GameSeen]]) -> tuple[Damage | None, dict[str, int]]:
    part, games = job
    with raw(path) as journal:
        damage = open_up(games, journal.rows(log, part), ev.from_json)
    return damage, {name: game.opened for name, game in games.items() if game.opened}


def _is_sound(path: Path) -> bool:
    """Whether going through the rows from the first to the last gives the same as asking for parts of them."""
    with raw(path) as journal:
        return journal.is_in_order()
