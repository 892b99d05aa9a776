"""What a centre knows of a record: enough to check its next entries, in some hundred bytes, and no entry itself.

The checks of one entry are those of every verifier (`pi_app.journal.record.row_checks`). Only what concerns entries far
back is left to the store: that no game begins twice, and that a deletion names the entries of its game.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from pi_app.journal.record import entry as rec
from pi_app.journal.record.entry import Opening, PublicPart
from pi_app.journal.record.handover import HandedEntry
from pi_app.journal.record.heads import Head, read_head
from pi_app.journal.record.keys import DEVICE_BYTES
from pi_app.journal.record.merkle import HASH_BYTES, Tree
from pi_app.journal.record.row_checks import RecordSoFar, WrongRowError, check_part, read_part
from pi_app.journal.record.verdict import GameSeen

MOST_OPEN_GAMES: Final = 100
"""A record has one game that is on, as a rule. Games that a power cut left without an end stay open for ever."""

Hash = Annotated[bytes, Meta(min_length=HASH_BYTES, max_length=HASH_BYTES)]


class OpenGame(msgspec.Struct, frozen=True, kw_only=True):
    """A game that has begun and not ended: its first and last entry, and what it committed to."""

    first: int
    last: int
    opening: Opening


class KnownRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A record up to entry `size`. `peaks`: the roots of its full subtrees; `before`: the hash of its last entry, in
    hex; `device`: empty until an entry has named it; `follows`: the head of the record that it continues, as text;
    `played`: its last entry that does not record a deletion; `ended`: how many games have ended here.

    How many games a file may hold is no matter here: the centre keeps no files."""

    size: Annotated[int, Meta(ge=0)] = 0
    peaks: tuple[Hash, ...] = ()
    before: str = rec.FIRST_BEFORE
    device: Annotated[bytes, Meta(max_length=DEVICE_BYTES)] = b""
    follows: str = ""
    played: Annotated[int, Meta(ge=0)] = 0
    games: Annotated[dict[str, OpenGame], Meta(max_length=MOST_OPEN_GAMES)] = {}
    boot: str = ""
    mono_ns: int = 0
    ended: int = 0

    @property
    def root(self) -> bytes:
        """The root over all entries."""
        return Tree.of(self.size, self.peaks).root()


class NotTakenError(Exception):
    """An entry does not fit the record so far. `seq`: its number, `seen`: what is wrong with it, after "entry 7"."""

    def __init__(self, seq: int, seen: str) -> None:
        self.seq, self.seen = seq, seen
        super().__init__(f"entry {seq} {seen}")


@dataclass(frozen=True, slots=True)
class GameRange:
    """The entries of a game. `key`: 32 bytes if it has ended with them, else empty; `place`: see `KeptGame`."""

    game: str
    first: int
    last: int
    key: bytes = b""
    place: int = 0


@dataclass(slots=True)
class Taken:
    """What is known after some entries, and what the store has to do besides writing them: `begun` has the first entry
    of each new game, `ended` and `deleted` the whole range of a game."""

    known: KnownRecord
    begun: dict[str, int] = field(default_factory=dict)
    ended: list[GameRange] = field(default_factory=list)
    deleted: list[GameRange] = field(default_factory=list)


def taken(known: KnownRecord, entries: Sequence[HandedEntry]) -> Taken:
    """Check entries that follow a known record. The hashes of those with halves must be computed already. Raises
    NotTakenError for the first that does not fit; then none is taken."""
    seen = RecordSoFar(
        tree=Tree.of(known.size, known.peaks),
        before=known.before,
        device=known.device or None,
        follows=read_head(known.follows) if known.follows else None,
        played=known.played,
        games={name: _as_seen(name, game) for name, game in known.games.items()},
        boot=known.boot,
        mono_ns=known.mono_ns,
    )
    found = Taken(known)
    at = known.size
    for public, sealed, leaf in entries:
        at += 1
        kind = ""
        if public is not None and sealed is not None:
            try:
                part = read_part(public)
                check_part(seen, at, part, public, len(sealed))
            except WrongRowError as wrong:
                raise NotTakenError(at, str(wrong)) from wrong
            _note(found, seen, part)
            kind = part.kind
        if kind != rec.DELETED:
            seen.played = at
        seen.before = leaf.hex()
    seen.tree.extend([leaf for *_, leaf in entries])
    found.known = _as_known(seen, known.ended + len(found.ended))
    return found


def _note(found: Taken, seen: RecordSoFar, part: PublicPart) -> None:
    """Note what happened to games, and forget those that are over."""
    if part.kind == rec.STARTED:
        if len(seen.games) > MOST_OPEN_GAMES:
            raise NotTakenError(part.seq, f"begins a game, and {MOST_OPEN_GAMES} have no end")
        found.begun[part.game] = part.seq
    elif part.kind in (rec.ENDED, rec.DELETED):
        game = seen.games.pop(part.game)
        if game.deleted:
            found.deleted.append(GameRange(part.game, game.first, game.last, game.key or b""))
        else:
            place = found.known.ended + len(found.ended) + 1
            found.ended.append(GameRange(part.game, game.first, game.last, game.key or b"", place))


def _as_seen(name: str, game: OpenGame) -> GameSeen:
    return GameSeen(name, game.first, game.last, game.last - game.first + 1, opening=game.opening)


def _as_known(seen: RecordSoFar, ended: int) -> KnownRecord:
    return KnownRecord(
        size=seen.tree.size,
        peaks=seen.tree.peaks,
        before=seen.before,
        device=seen.device or b"",
        follows="" if seen.follows is None else seen.follows.text(),
        played=seen.played,
        games={
            name: OpenGame(first=game.first, last=game.last, opening=game.opening)
            for name, game in seen.games.items()
            if game.opening is not None
        },
        boot=seen.boot,
        mono_ns=seen.mono_ns,
        ended=ended,
    )


def older_record(known: KnownRecord) -> Head | None:
    """Return the head of the record that this one continues, if its first entry names one."""
    return read_head(known.follows) if known.follows else None
