"""Change a record after it was written, with all keys."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path
from typing import Any

import msgspec

from pi_app import journal as jn
from pi_app.game import events as ev
from pi_app.journal.record import entry as rec
from pi_app.journal.record.entry import PublicPart, SealedPart


def rows(path: Path) -> list[tuple[Any, ...]]:
    """All rows as they lie in the file."""
    with contextlib.closing(sqlite3.connect(path)) as db:
        return db.execute("SELECT seq, public, sealed, leaf, signature FROM entries ORDER BY seq").fetchall()


def edit(path: Path, statement: str, *values: object) -> None:
    """Change the file without a key."""
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute(statement, values)
        db.commit()


def key_of(path: Path, game: str) -> bytes:
    """A game's key, from the ring or as the record published it."""
    found = jn.keys_of(path).game(game)
    if found is not None:
        return found
    parts = [rec.read_public(row[1]) for row in rows(path)]
    return bytes.fromhex(next(part.key for part in parts if part.game == game and part.key))


def opened(path: Path, seq: int) -> tuple[PublicPart, SealedPart]:
    """Both halves of an entry, open."""
    _, public, sealed, *_ = rows(path)[seq - 1]
    part = rec.read_public(public)
    hidden = rec.read_sealed(sealed, key_of(path, part.game), public)
    assert hidden is not None
    return part, hidden


def put(path: Path, seq: int, part: PublicPart, hidden: SealedPart) -> None:
    """Replace both halves of an entry, sealed with the game's key. Leaf and signature stay as they were."""
    public = rec.public_bytes(part)
    _, _, old, *_ = rows(path)[seq - 1]
    size = len(old) - rec.sealed_length("turned", None) + rec.sealed_size("turned", None)
    sealed = rec.sealed_bytes(hidden, key_of(path, part.game), public, size)
    edit(path, "UPDATE entries SET public = ?, sealed = ? WHERE seq = ?", public, sealed, seq)


def change(path: Path, seq: int, event: ev.AnyEvent) -> None:
    """Put another event into an entry, outside and inside, and leave the rest of it alone."""
    part, hidden = opened(path, seq)
    kind = str(type(event).__struct_config__.tag)
    put(
        path,
        seq,
        msgspec.structs.replace(part, kind=kind),
        msgspec.structs.replace(hidden, event=msgspec.Raw(ev.to_json(event))),
    )


def rewrite(path: Path, first: int = 1) -> None:
    """Bind and sign all entries from `first` on again with the device's stolen key, so that they fit each other."""
    from pi_app.journal.record.heads import last_signature
    from pi_app.journal.record.merkle import Tree

    device = jn.keys_of(path).device()
    all_rows = rows(path)
    tree = Tree([row[3] for row in all_rows[: first - 1]])
    before = all_rows[first - 2][3].hex() if first > 1 else rec.FIRST_BEFORE
    for seq in range(first, len(all_rows) + 1):
        part, hidden = opened(path, seq)
        put(path, seq, msgspec.structs.replace(part, before=before), hidden)
        _, public, sealed, *_ = rows(path)[seq - 1]
        leaf = rec.leaf(public, sealed)
        tree.append(leaf)
        before = leaf.hex()
        signature = last_signature(device, tree.size, tree.root()) if seq == len(all_rows) else None
        edit(path, "UPDATE entries SET leaf = ?, signature = ? WHERE seq = ?", leaf, signature, seq)
