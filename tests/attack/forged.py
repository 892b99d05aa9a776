"""Records that a stranger makes with a key of his own: every hash and signature fits, of any size that he likes."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from pi_app import journal as jn
from pi_app.journal.record import entry as rec
from pi_app.journal.record.heads import last_signature
from pi_app.journal.record.keys import SEALED_OVERHEAD, device_key, key_commitment, seal
from pi_app.journal.record.merkle import Tree

DEVICE = device_key(bytes(range(32)))
KEY = bytes(32)


def started(number: int, before: str, squares: dict[str, str], room: int = rec.ROOM_STEP) -> rec.PublicPart:
    """The public half of a `started` with these commitments."""
    opening = rec.Opening(
        device=DEVICE.public.hex(), key=key_commitment(KEY), ruleset="00" * 32, room=room, squares=squares
    )
    return part(number, before, rec.STARTED, opening=opening, game=f"g{number}")


def part(number: int, before: str, kind: str, **more: Any) -> rec.PublicPart:
    """The public half of an entry."""
    return rec.PublicPart(
        format=rec.FORMAT,
        kind=kind,
        seq=number,
        boot="b",
        mono_ns=0,
        wall="2026-01-02T03:04:05+00:00",
        play="another",
        clock="none",
        before=before,
        reports="00",
        **more,
    )


def padded(half: rec.PublicPart) -> bytes:
    """A public half of any length, as the program would write it without its limit."""
    text, size = msgspec.json.encode(half), rec.public_size(half.kind)
    while size < len(text):
        size *= 2
    return text.ljust(size)


def begin_games(path: Path, openings: Iterable[dict[str, str]]) -> Path:
    """A journal of games that have only begun, with these commitments."""
    sealed = bytes(rec.ROOM_STEP + SEALED_OVERHEAD)
    tree, before = Tree(), rec.FIRST_BEFORE
    with new_journal(path) as db:
        for number, squares in enumerate(openings, 1):
            before = _append(db, tree, padded(started(number, before, squares)), sealed)
    return path


def whole_game(path: Path, before: bytes, about: bytes, after: bytes) -> Path:
    """A journal of one game with a key of his own, its first sealed half as long as may be and full of one value again
    and again."""
    tree, room = Tree(), rec.MOST_ROOM
    text = before + about * ((room - len(before + after)) // len(about)) + after
    with new_journal(path) as db:
        public = padded(started(1, rec.FIRST_BEFORE, {}, room))
        first = _append(db, tree, public, seal(KEY, public, text.ljust(room)))
        public = padded(part(2, first, rec.ENDED, game="g1", key=KEY.hex()))
        _append(db, tree, public, seal(KEY, public, b'{"event":{"kind":"ended"},"seats":""}'.ljust(rec.SEALED_BYTES)))
    return path


def _append(db: sqlite3.Connection, tree: Tree, public: bytes, sealed: bytes) -> str:
    """Add an entry; return its leaf hash."""
    leaf = rec.leaf(public, sealed)
    tree.append(leaf)
    jn.insert(db, (tree.size, public, sealed, leaf, last_signature(DEVICE, tree.size, tree.root())))
    return leaf.hex()


@contextlib.contextmanager
def new_journal(path: Path, kind: int = jn.APPLICATION_ID) -> Iterator[sqlite3.Connection]:
    """A file with the header and the table of a journal, and nothing beside it."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute(f"PRAGMA application_id={kind}")
        db.execute(f"PRAGMA user_version={jn.FORMAT}")
        db.execute("BEGIN")
        db.execute(jn.SCHEMA)
        yield db
        db.execute("COMMIT")


def rollback_journal(database: bytes, page: int = 4096) -> bytes:
    """A hot rollback journal that turns any file of this many pages, or more, into this database."""
    pages = [database[at : at + page] for at in range(0, len(database), page)]
    nonce = 1
    header = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + b"".join(
        number.to_bytes(4, "big") for number in (len(pages), nonce, len(pages), 512, page)
    )
    records = (
        number.to_bytes(4, "big") + data + (nonce + sum(data[page - 200 : 0 : -200])).to_bytes(4, "big")
        for number, data in enumerate(pages, 1)
    )
    return header.ljust(512, b"\0") + b"".join(records)
