"""Entries as PostgreSQL takes them in a binary COPY (its documentation of COPY, file formats).

Psycopg writes rows one by one too, in three times the time.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from typing import Final

from pi_app.centre.store.store import Commit, as_stored
from pi_app.journal.record.merkle import HASH_BYTES

_ROWS_AT_ONCE: Final = 64
"""Some 80 kB as a rule: psycopg cuts pieces of more than 128 kB up once more."""

_SIGNATURE: Final = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_TRAILER: Final = b"\xff\xff"
_HEAD: Final = struct.Struct(">hiiiqi")
"""Five columns; each after its length: record and number, then the length of the public half."""

_LENGTH: Final = struct.Struct(">i")
_NULL: Final = -1


def binary_rows(commits: Sequence[Commit]) -> Iterator[bytes]:
    """Yield all entries of some commits for `COPY entries FROM STDIN (FORMAT BINARY)`, in pieces."""
    yield _SIGNATURE
    for commit in commits:
        for at in range(0, len(commit.entries), _ROWS_AT_ONCE):
            yield b"".join(_row_parts(commit, at))
    yield _TRAILER


def _row_parts(commit: Commit, begin: int) -> Iterator[bytes]:
    head, length, number = _HEAD.pack, _LENGTH.pack, commit.number
    leaf_length = length(HASH_BYTES)
    first = commit.before + 1 + begin
    entries = map(as_stored, commit.entries[begin : begin + _ROWS_AT_ONCE])
    for seq, (public, sealed, leaf) in enumerate(entries, first):
        if public is None or sealed is None:
            yield head(5, 4, number, 8, seq, _NULL) + length(_NULL) + leaf_length
        else:
            yield head(5, 4, number, 8, seq, len(public))
            yield public
            yield length(len(sealed))
            yield sealed
            yield leaf_length
        yield leaf
