"""Group rows into runs. One fast loop checks what follows from a row and the one before it; the other checks are needed
for the first row of each run only (`row_checks`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import msgspec

from pi_app.journal.record import entry as rec
from pi_app.journal.record.sha import bulk_hash

RawRow = tuple[object, object, object, object, object]
"""seq, public, sealed, leaf, signature, unchecked."""

NO_BLOB: Final = -1


class CheckedRow(NamedTuple):
    """One row. `sealed_length` is None for NULL, NO_BLOB for another type; `fits`: `leaf` is the hash of both
    halves."""

    number: object
    public: object
    sealed_length: int | None
    leaf: object
    signature: object
    fits: bool


class RowRun(NamedTuple):
    """A row, and the leaf hashes of the next rows that need no further check: each has the right number, hash, hash
    before it and length, has no signature, is of the same game, not earlier, and of a kind that a verifier ignores.
    `boot` and `mono_ns` are the last one's; they have no meaning if there is only the first."""

    first: CheckedRow
    leaves: list[bytes]
    boot: str = ""
    mono_ns: int = 0


LONGEST: Final = 4096
"""The most rows in a run."""

_SPECIAL: Final = frozenset({rec.STARTED, rec.SETUP_CHECKED, rec.ENDED, rec.DELETED})
_BRACE: Final = ord("{")
_BLANKS: Final = b" " * rec.PUBLIC_BYTES
_SEALED_BYTES: Final = rec.sealed_length("", None)


def runs(rows: Iterable[RawRow]) -> Iterator[RowRun]:
    """Group all rows into runs that are as long as possible."""
    sha256, mark, read_public = bulk_hash(), rec.leaf_mark(rec.PUBLIC_BYTES), rec.read_public
    run: RowRun | None = None
    leaves: list[bytes] = []
    number, before, game, boot, mono_ns = -1, "", "", "", 0
    sizes: dict[str, int] = {}
    sealed_bytes = 0
    for row in rows:
        seq, public, sealed, leaf, signature = row
        if (
            type(seq) is int
            and seq == number + 1
            and signature is None
            and type(public) is type(sealed) is type(leaf) is bytes
            and len(public) == rec.PUBLIC_BYTES
            and len(sealed) == sealed_bytes
            and sha256(b"".join((mark, public, sealed))).digest() == leaf
        ):
            try:
                part = read_public(public)
            except msgspec.MsgspecError:
                part = None
            if (
                part is not None
                and part.seq == seq
                and part.before == before
                and part.game == game
                and part.kind not in _SPECIAL
                and part.format == rec.FORMAT
                and part.reports
                and part.continues is None
                and (part.mono_ns >= mono_ns or part.boot != boot)
                and public[0] == _BRACE
                and public.endswith(_BLANKS[public.rfind(b"}") + 1 :])
                and len(leaves) < LONGEST
            ):
                number, before, boot, mono_ns = seq, leaf.hex(), part.boot, part.mono_ns
                leaves.append(leaf)
                continue
        if run is not None:
            yield run._replace(boot=boot, mono_ns=mono_ns)
        first = _checked(row)
        leaves = []
        run, number = RowRun(first, leaves), -1
        if first.fits and signature is None and type(seq) is int and type(public) is type(leaf) is bytes:
            try:
                part = read_public(public)
            except msgspec.MsgspecError:
                continue
            if part.kind == rec.STARTED:
                sizes[part.game] = rec.sealed_length("", part.opening)
            if part.kind not in (rec.ENDED, rec.DELETED):
                sealed_bytes = sizes.get(part.game, _SEALED_BYTES)
                number, before, game, boot, mono_ns = seq, leaf.hex(), part.game, part.boot, part.mono_ns
    if run is not None:
        yield run._replace(boot=boot, mono_ns=mono_ns)


def _checked(row: RawRow) -> CheckedRow:
    number, public, sealed, leaf, signature = row
    length = None if sealed is None else len(sealed) if isinstance(sealed, bytes) else NO_BLOB
    fits = isinstance(public, bytes) and isinstance(sealed, bytes) and rec.leaf(public, sealed) == leaf
    return CheckedRow(number, public, length, leaf, signature, fits)
