"""Read games from a journal: open and decode rows strictly in order."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final, Generic

import msgspec

from pi_app.journal.files import LOG_STEP, UNREADABLE, JournalFileError, damaged, keys_of, named, open_file, unreadable
from pi_app.journal.record import entry as rec
from pi_app.journal.record.entry import PublicPart, SquareContent
from pi_app.journal.record.keys import KeyFileError, unseal
from pi_app.journal.recorded_game import E, M, Play, kind_of
from pi_app.text.sealed import Sealed


class Entry(msgspec.Struct, Generic[E], frozen=True, gc=False):
    """One row, decoded. `event` prints its own secrets as `(sealed)`."""

    seq: int
    game_id: str
    boot: str
    mono_ns: int
    wall: str
    event: E
    public: PublicPart
    seats_digest: str


class _Openers:
    """The key of each game in a file: published at its end, or in the key files of this device."""

    def __init__(self, db: sqlite3.Connection, path: Path, held: Mapping[str, bytes]) -> None:
        self._db, self._ring, self._held = db, keys_of(path), held
        self._keys: dict[tuple[int, str], bytes | None] = {}
        self._looked_everywhere = False
        # first in the few long public halves, where this program writes it
        self._look(f"length(public) >= {rec.LONG_PUBLIC_BYTES} AND instr(substr(public, 1, 64), ?)")

    def _look(self, where: str) -> None:
        for seq, public in self._db.execute(f"SELECT seq, public FROM entries WHERE {where}", (_SAYS_ENDED,)):
            with contextlib.suppress(msgspec.MsgspecError, ValueError, TypeError):
                part = rec.read_public(public)
                if part.key is not None:
                    self._keys[seq // LOG_STEP, part.game] = bytes.fromhex(part.key)

    def key(self, log: int, game: str) -> bytes | None:
        """Return a game's key, or None. Raises JournalFileError for a key file that cannot be read."""
        if (log, game) not in self._keys:
            self._keys[log, game] = self._held.get(game) or self._elsewhere(log, game)
        return self._keys[log, game]

    def _elsewhere(self, log: int, game: str) -> bytes | None:
        if not self._looked_everywhere:
            self._looked_everywhere = True
            self._look("instr(public, ?)")
        try:
            return self._keys.get((log, game)) or self._ring.game(game)
        except KeyFileError as error:
            raise JournalFileError([str(error)]) from error


_SAYS_ENDED: Final = b'"kind":"ended"'


def entries(
    db: sqlite3.Connection,
    path: Path,
    play: Play[M, E],
    *,
    after: int = 0,
    game_id: str | None = None,
    keys: Mapping[str, bytes] = MappingProxyType({}),
) -> Iterator[Entry[E]]:
    """Yield the entries of one kind of game strictly in order, without deleted games. Raises JournalFileError with the
    number of the first damaged row."""
    decode = _decoder(play).decode
    expected = after + 1
    game: str | None = None
    key: bytes | None = None
    try:
        openers = _Openers(db, path, keys)
        for seq, public, sealed in db.execute(
            "SELECT seq, public, sealed FROM entries WHERE seq > ? ORDER BY seq", (after,)
        ):
            if seq != expected:
                if seq % LOG_STEP != 1:
                    raise damaged(path, expected, "is missing")
                game = None
            expected = seq + 1
            if public is None:
                continue
            part = public_part(path, seq, public)
            if part.kind == rec.DELETED or part.play != play.name or game_id not in (None, part.game):
                continue
            if part.game != game:
                game, key = part.game, openers.key(seq // LOG_STEP, part.game)
            yield _entry(path, seq, part, key, public, sealed, decode)
    except UNREADABLE as error:
        raise damaged(path, expected, f"cannot be read ({error})") from error


def public_part(path: Path, seq: int, public: bytes) -> PublicPart:
    """Decode the public half of a row. Raises JournalFileError if it is not one, or is another row's."""
    try:
        part = rec.read_public(public)
    except (msgspec.MsgspecError, UnicodeDecodeError, TypeError) as error:
        raise damaged(path, seq, "does not hold a readable event") from error
    if part.seq != seq % LOG_STEP:
        raise damaged(path, seq, f"calls itself entry {part.seq}")
    return part


def _entry(
    path: Path,
    seq: int,
    part: PublicPart,
    key: bytes | None,
    public: bytes,
    sealed: bytes,
    decode: Callable[[bytes], _Inside[E]],
) -> Entry[E]:
    if key is None:
        raise JournalFileError.of(
            path,
            f"entry {named(seq)}",
            f"is sealed, and the key of its game {part.game} is not here",
            "Read it where it was written, or once the game has ended; `trapdial journal verify` needs no key",
        )
    try:
        text = unseal(key, public, sealed)
        if text is None:
            raise damaged(path, seq, "does not open with the key of its game")
        inside = decode(rec.without_filling(text))
    except (msgspec.MsgspecError, UnicodeDecodeError, TypeError, RecursionError) as error:
        raise damaged(path, seq, "does not hold a readable event") from error
    event = inside.event
    if part.kind != kind_of(event):
        raise damaged(path, seq, f"says '{part.kind}' outside and something else inside")
    return Entry(seq, part.game, part.boot, part.mono_ns, part.wall, event, part, inside.seats)


class _Inside(Sealed, msgspec.Struct, Generic[E], frozen=True, kw_only=True, gc=False):
    """As `SealedPart`, with its event decoded."""

    event: E
    seats: str
    shown: SquareContent | None = None
    salts: dict[str, str] = {}


def _decoder(play: Play[M, E]) -> msgspec.json.Decoder[_Inside[E]]:
    return msgspec.json.Decoder(_Inside[play.events])  # type: ignore[name-defined]


def read(path: Path, play: Play[M, E], game_id: str | None = None) -> Iterator[Entry[E]]:
    """Yield every entry of the games of one kind in a journal file, in order. Raises JournalFileError at the first
    damage."""
    with contextlib.closing(open_file(path, write=False)) as db:
        yield from entries(db, path, play, game_id=game_id)


def last_game(db: sqlite3.Connection, path: Path, play: Play[M, E]) -> tuple[str, M] | None:
    """Return id and state of the newest game in the file if it is of this kind and has not ended, else None."""
    newest = _newest(db, path)
    if newest is None or newest.kind != rec.STARTED or newest.play != play.name:
        return None
    moment = play.nothing
    for entry in entries(db, path, play, game_id=newest.game):
        moment = play.advance(moment, entry.event)
    return newest.game, moment


_SAYS_STARTED: Final = b'"kind":"started"'


def running_game(db: sqlite3.Connection, path: Path) -> str | None:
    """Return the newest game in the file, of any kind, if it has not ended."""
    newest = _newest(db, path)
    return newest.game if newest is not None and newest.kind == rec.STARTED else None


def open_game(path: Path, play: Play[M, E]) -> str | None:
    """Return the id of the newest game in a file, if it is of this kind and has not ended. It needs no key. Raises
    JournalFileError."""
    try:
        with contextlib.closing(open_file(path, write=False)) as db:
            newest = _newest(db, path)
    except UNREADABLE as error:
        raise unreadable(path, error) from error
    return newest.game if newest is not None and newest.kind == rec.STARTED and newest.play == play.name else None


def other_game(db: sqlite3.Connection, path: Path, play: Play[M, E]) -> str | None:
    """Return the id of the newest game in the file, if it is of another kind and has not ended."""
    newest = _newest(db, path)
    return newest.game if newest is not None and newest.kind == rec.STARTED and newest.play != play.name else None


def _newest(db: sqlite3.Connection, path: Path) -> PublicPart | None:
    """Return the last start or end of a game."""
    rows = db.execute(
        "SELECT seq, public FROM entries WHERE instr(public, ?) OR instr(public, ?) ORDER BY seq DESC LIMIT 1",
        (_SAYS_STARTED, _SAYS_ENDED),
    )
    return next((public_part(path, seq, public) for seq, public in rows), None)


def running(path: Path, play: Play[M, E]) -> M | None:
    """Return the state of the newest game in a file, if it is of this kind and has not ended. Raises
    JournalFileError."""
    with contextlib.closing(open_file(path, write=False)) as db:
        found = last_game(db, path, play)
    return None if found is None else found[1]
