"""Answers whoever reads the centre's own log. Everybody may: it has sizes, hashes and times of tables, and no entry."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from pi_app.centre.own_log.own_log import OwnLog
from pi_app.centre.own_log.tiles import bundle, read_tile_path
from pi_app.centre.store.own_log_rows import KeptOwnLog
from pi_app.journal.record.checkpoints import cosigned_at, read_checkpoint
from pi_app.journal.record.notes import SignedNote, VerifierKey, read_note

PREFIX: Final = "/log/"
TEXT: Final = "text/plain; charset=utf-8"
BYTES: Final = "application/octet-stream"

FOR_EVER: Final = "public, max-age=31536000, immutable"
"""A tile never changes: a log only grows."""

NEWEST: Final = "newest/"
"""Below this is the place of a table's newest entry, by the SHA-256 of its origin: ours, and not C2SP's."""


@dataclass(frozen=True, slots=True)
class OwnLogReply:
    """What was asked for."""

    body: bytes
    kind: str = TEXT
    cache: str = "no-store"


def reply_to(log: OwnLog, path: str) -> OwnLogReply | None:
    """Return what is at a path below the log's address; None if nothing is. Raises StoreError."""
    if path == "checkpoint":
        note = published(log.state(), [each.key for each in log.witnesses])
        return None if note is None else OwnLogReply(note.written().encode())
    if path.startswith(NEWEST):
        return _newest(log, path.removeprefix(NEWEST))
    tile = read_tile_path(path)
    if tile is None or not tile.is_below(log.state().size):
        return None
    if tile.level is None:
        return OwnLogReply(bundle(log.entries(tile.first, tile.last)), BYTES, FOR_EVER)
    return OwnLogReply(b"".join(log.hashes(tile.level, tile.first, tile.last)), BYTES, FOR_EVER)


def published(state: KeptOwnLog, witnesses: list[VerifierKey]) -> SignedNote | None:
    """Return the checkpoint that most witnesses have cosigned, the largest of these, with all their cosignatures. So a
    new one is shown as soon as it is cosigned. None if there is none yet."""
    notes = [read_note(state.note.encode())] if state.note else []
    kept = [state.witnesses[each.text()].note for each in witnesses if each.text() in state.witnesses]
    notes += [read_note(each.encode()) for each in kept if each]
    merged: dict[str, SignedNote] = {}
    for note in notes:
        before = merged.get(note.text, SignedNote(note.text, ()))
        more = tuple(each for each in note.signatures if each not in before.signatures)
        merged[note.text] = SignedNote(note.text, (*before.signatures, *more))

    def worth(note: SignedNote) -> tuple[int, int]:
        return sum(cosigned_at(note, each) is not None for each in witnesses), read_checkpoint(note.text).size

    return max(merged.values(), key=worth, default=None)


def _newest(log: OwnLog, hashed: str) -> OwnLogReply | None:
    for origin, (place, _) in log.newest().items():
        if sha256(origin.encode()).hexdigest() == hashed:
            return OwnLogReply(f"{place}\n".encode())
    return None
