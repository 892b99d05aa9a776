"""Make the next row: bound to all rows before it, with an encrypted sealed half, signed by this device."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, Generic

import msgspec

from pi_app.journal.cosigned import newest_cosigned
from pi_app.journal.files import FORMAT, JournalFileError, damaged, keys_of
from pi_app.journal.record import entry as rec
from pi_app.journal.record.entry import Opening, PublicPart, SealedPart
from pi_app.journal.record.happenings import ClockCorrected, Ended
from pi_app.journal.record.heads import Head, is_last, last_signature
from pi_app.journal.record.keys import DeviceKey, KeyFileError, key_commitment
from pi_app.journal.record.last_head import missing_entries, read_kept
from pi_app.journal.record.limits import LARGEST_OPENINGS
from pi_app.journal.record.merkle import Tree
from pi_app.journal.recorded_game import LOG, RULESET, SQUARE, STANDS, E, M, Play, kind_of
from pi_app.journal.stamps import Stamp
from pi_app.text.language import count_entries

LAST_SEQ: Final = 2**63 - 1
"""The largest row number of SQLite."""

GONE: Final = (
    "Put the file back from a copy. To begin a new record instead, move {folder} to another place and keep it, or play "
    "into another file with --journal"
)

PUT_BACK: Final = "Put the newer file back, or play into another file with --journal"

JournalRow = tuple[int, bytes, bytes, bytes, bytes]

INSERT: Final = "INSERT INTO entries (seq, public, sealed, leaf, signature) VALUES (?, ?, ?, ?, ?)"
_COUNTED: Final = (b'"kind":"started"', b'"kind":"game deleted"')
"""The beginnings of entries that a record may not hold too many of."""

UNSIGN: Final = "UPDATE entries SET signature = NULL WHERE seq = ?"

_STARTS: Final = (
    "SELECT public FROM entries WHERE length(public) >= ? AND instr(substr(public, 1, 64), ?) ORDER BY seq DESC"
)
_SAYS_STARTED: Final = b'"kind":"started"'

_encoder: Final = msgspec.json.Encoder()


class Chain(Generic[M, E]):
    """The state that the next row needs: how many rows there are, the tree over them, the last leaf."""

    def __init__(self, db: sqlite3.Connection, path: Path, play: Play[M, E]) -> None:
        """Raises JournalFileError if the rows are not this device's, or not all that it wrote."""
        self._db, self._path, self._play = db, path, play
        self.ring = keys_of(path)
        self._keys: dict[str, bytes] = {}
        self._starts: dict[str, PublicPart | None] = {}
        self._tree, self._last = Tree(), rec.FIRST_BEFORE
        self._signature: bytes | None = None
        self._head: Head | None = None
        self._promised = 0
        try:
            self._device = self.ring.known_device()
        except KeyFileError as error:
            raise JournalFileError([str(error)]) from error
        kept = read_kept(self.ring)
        mine = self._device.public if self._device is not None else None
        is_of_another = kept.head is not None and mine not in (None, kept.head.device)
        self._as_it_was_left(None if is_of_another else kept.head)
        self.take_in()
        if is_of_another and not self.seq:
            self._as_it_was_left(kept.head)
        if self.seq and not self._is_ours():
            raise JournalFileError.of(
                path,
                f"entry {self.seq}",
                "is not signed by this device",
                "Check with `trapdial journal verify`; play into another file with --journal",
            )
        self._check_cosigned(mine)
        self.kept_none = bool(kept.why_not) or is_of_another
        self.set_aside = self.ring.set_aside_remembered() if self.kept_none else None
        """What `last.head` is called from now on, if it could not be read, or is of another device."""

    def _as_it_was_left(self, left: Head | None) -> None:
        """Add the rows up to the head that was kept last, and compare them with it."""
        if left is None:
            return
        self.take_in(until=left.size)
        if self.seq == 0:
            seen = (
                f"is gone, and {self.ring.folder} says that this device has written {count_entries(left.size)} into it"
            )
            raise JournalFileError.of(self._path, "file", seen, GONE.format(folder=self.ring.folder))
        if missing_entries(left, None, self.seq):
            seen = f"has {count_entries(self.seq)}, and this device has written {left.size} into it"
            raise JournalFileError.of(self._path, "file", seen, PUT_BACK)
        if self._tree.root() != left.root:
            seen = "is not the one that this device has written, although it begins with as many entries"
            raise JournalFileError.of(self._path, f"entry {left.size}", seen, PUT_BACK)

    def _check_cosigned(self, device: bytes | None) -> None:
        """Refuse to play on where a witness has more entries: it would get two histories, and keep them as evidence."""
        head = None if device is None else newest_cosigned(self._path, device)
        if head is not None and head.size > self.seq:
            seen = f"has {count_entries(self.seq)}, and its witnesses have cosigned {head.size} of them"
            raise JournalFileError.of(self._path, "file", seen, f"It is an older copy. {PUT_BACK}")

    def remember(self) -> None:
        """Write the head beside the keys: a journal without its rows is not continued. Write missing key files again.
        If the disk refuses, the previous head stays valid."""
        if self.seq:
            with contextlib.suppress(KeyFileError):
                self.ring.put_back(self.device(), self._keys)
                self.ring.remember(self.head().text())

    @property
    def seq(self) -> int:
        """The number of the last row; 0 if there is none."""
        return self._tree.size

    def _is_ours(self) -> bool:
        if self._device is None:
            raise JournalFileError.of(
                self._path,
                "file",
                f"was written with a key that is not in {self.ring.folder}",
                "Put device.key back, or play into another file with --journal",
            )
        return is_last(self._device.public, self._tree.size, self._tree.root(), self._signature or b"")

    def device(self) -> DeviceKey:
        """Return this device's key; create it if there is no row yet. Raises KeyFileError."""
        if self._device is None:
            self._device = self.ring.device()
        return self._device

    def take_in(self, until: int = LAST_SEQ) -> None:
        """Add the rows that another program has written."""
        counts = " OR ".join(["instr(substr(public, 1, 64), ?)"] * len(_COUNTED))
        rows = self._db.execute(
            f"SELECT leaf, signature, CASE WHEN {counts} THEN length(public) ELSE 0 END "
            "FROM entries WHERE seq > ? AND seq <= ? ORDER BY seq",
            (*_COUNTED, self.seq, until),
        )
        for leaf, signed, promised in rows:
            if not isinstance(leaf, bytes):
                raise damaged(self._path, self.seq + 1, "has no hash")
            self._tree.append(leaf)
            self._last, self._signature = leaf.hex(), signed if isinstance(signed, bytes) else None
            self._promised += promised

    def key(self, game: str) -> bytes:
        """Return a running game's key. Raises KeyFileError."""
        key = self._keys.get(game) or self.ring.game(game)
        if key is None:
            raise KeyFileError(
                self.ring.folder, f"has no key for game {game}", "Put its file back, or begin a new game"
            )
        self._keys[game] = key
        return key

    def begin(self, game: str) -> None:
        """Create a new game's key. Raises KeyFileError."""
        self._keys[game] = self.ring.new_game(game)

    def forget(self, game: str) -> None:
        """Delete a game's key. Raises KeyFileError."""
        self._keys.pop(game, None)
        self._starts.pop(game, None)
        self.ring.drop(game)

    @property
    def held(self) -> Mapping[str, bytes]:
        """The keys of games played in this session, even if their files are gone."""
        return self._keys

    def row(self, game: str, stamp: Stamp, before: M, event: E | ClockCorrected, after: M) -> JournalRow:
        """Make the next row. Raises KeyFileError or TooLongError."""
        key, kind = self.key(game), kind_of(event)
        promised = self._play.promises(event)
        salts = {name: rec.new_salt() for name in promised}
        hidden = SealedPart(
            event=msgspec.Raw(_encoder.encode(event)),
            seats=after.seats_digest,
            shown=self._play.shown(event, after),
            salts=salts,
        )
        promises = rec.promise_of(salts, promised)
        opening = None
        if kind == rec.STARTED:
            room = rec.room_for(hidden, self._play.room(event))
            opening = self._opening(key, promises, room, rec.sealed_for(self._play.lengths(event)))
        part = PublicPart(
            format=FORMAT,
            kind=kind,
            seq=self.seq + 1,
            game=game,
            boot=stamp.boot,
            mono_ns=stamp.mono_ns,
            wall=stamp.wall,
            clock=stamp.clock,
            before=self._last,
            play=self._play.name,
            reports=after.common_digest,
            log=after.news(LOG, before),
            square=self._play.square_of(event),
            seat=getattr(event, "seat", None),
            grade=getattr(event, "grade", None) or None,
            opening=opening,
            stands=promises.get(STANDS),
            add_ms=getattr(event, "add_ms", None),
            witnessed=stamp.witnessed,
            key=key.hex() if isinstance(event, Ended) else None,
            continues=self._continues() if self.seq == 0 else None,
        )
        public = rec.public_bytes(part)
        if kind == rec.STARTED and self._promised + len(public) > LARGEST_OPENINGS:
            seen = "has begun as many games as a record may hold"
            raise JournalFileError.of(self._path, "file", seen, "Play into another file with --journal")
        start = part if opening is not None else self.start_of(game)
        size = rec.sealed_size(kind, None if start is None else start.opening)
        longest_shown = 0 if hidden.shown is None else self._play.longest_shown(after)
        sealed = rec.sealed_bytes(hidden, key, public, size, longest_shown)
        self._starts[game] = start
        leaf = rec.leaf(public, sealed)
        tree = self._tree.copy()
        tree.append(leaf)
        return tree.size, public, sealed, leaf, last_signature(self.device(), tree.size, tree.root())

    def _continues(self) -> rec.Continues | None:
        """Return what the first entry says of the older record. Raises KeyFileError."""
        text = self.ring.continues()
        try:
            return None if text is None else msgspec.json.decode(text, type=rec.Continues)
        except msgspec.MsgspecError as error:
            seen = "does not say which record it continues"
            raise KeyFileError(self.ring.folder, seen, "Put the file `continues` back from a copy") from error

    @property
    def promised(self) -> int:
        """The bytes of the public halves that begin or delete games."""
        return self._promised

    def start_of(self, game: str) -> PublicPart | None:
        """Return the public half of a game's first entry; the newest game is found first."""
        if game not in self._starts:
            self._starts[game] = self._found_start(game)
        return self._starts[game]

    def _found_start(self, game: str) -> PublicPart | None:
        for (public,) in self._db.execute(_STARTS, (rec.LONG_PUBLIC_BYTES, _SAYS_STARTED)):
            with contextlib.suppress(msgspec.MsgspecError, TypeError):
                part = rec.read_public(public)
                if part.game == game and part.kind == rec.STARTED:
                    return part
        return None

    def _opening(self, key: bytes, promises: Mapping[str, str], room: int, sealed: int) -> Opening:
        return Opening(
            device=self.device().public.hex(),
            key=key_commitment(key),
            ruleset=promises[RULESET],
            room=room,
            squares={name.removeprefix(SQUARE): made for name, made in promises.items() if name.startswith(SQUARE)},
            sealed=sealed,
        )

    def head(self) -> Head:
        """Sign a head of the rows so far, once for as many rows."""
        if self._head is None or self._head.size != self._tree.size:
            self._head = Head.made(self.device(), self._tree.size, self._tree.root())
        return self._head

    def wrote(self, row: JournalRow) -> None:
        """Add a row that is on disk now."""
        public, leaf = row[1], row[3]
        if any(mark in public[:64] for mark in _COUNTED):
            self._promised += len(public)
        self._tree.append(leaf)
        self._last = leaf.hex()


def insert(db: sqlite3.Connection, row: JournalRow) -> None:
    """Append one row, within `transaction`, and remove the signature of the row before it."""
    db.execute(UNSIGN, (row[0] - 1,))
    db.execute(INSERT, row)


@contextlib.contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """Run one transaction: commit (and sync) at the end, roll back on any error."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
