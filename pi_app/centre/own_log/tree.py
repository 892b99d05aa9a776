"""A tree in tiles: of every 256 hashes of a level there is one on the next. So a root or a proof over millions of
entries takes some hundred hashes, and not all of them (C2SP tlog-tiles).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from pi_app.journal.record.merkle import EMPTY_ROOT, node_hash, root_of

TILE: Final = 256
TILE_BITS: Final = 8
"""The height of a tile: 256 is two to the power of this."""

Hashes = Callable[[int, int, int], Sequence[bytes]]
"""Returns the hashes of a level from one place to before another."""

NewHashes = list[tuple[int, int, bytes]]
"""Level, place, hash."""


def split(size: int) -> int:
    """Return the largest power of two below `size`, which is at least 2 (RFC 6962 section 2.1)."""
    return 1 << (size - 1).bit_length() - 1


def subtree(hashes: Hashes, first: int, last: int) -> bytes:
    """Return the root over the entries from `first` to before `last`: a subtree of the whole, so `first` is a multiple
    of the largest power of two in their number."""
    size = last - first
    if size & (size - 1) == 0:
        level = (size.bit_length() - 1) // TILE_BITS
        width = 1 << TILE_BITS * level
        return root_of(hashes(level, first // width, last // width))
    at = first + split(size)
    return node_hash(subtree(hashes, first, at), subtree(hashes, at, last))


def tree_root(hashes: Hashes, size: int) -> bytes:
    """Return the root over the first `size` entries."""
    return subtree(hashes, 0, size) if size else EMPTY_ROOT


def inclusion(hashes: Hashes, place: int, size: int) -> list[bytes]:
    """Prove that entry `place` (from 0) is one of the first `size` (RFC 9162, 2.1.3.1). Raises IndexError."""
    if not 0 <= place < size:
        raise IndexError(f"there is no entry {place} among {size}")
    proof: list[bytes] = []
    first, last = 0, size
    while last - first > 1:
        at = first + split(last - first)
        if place < at:
            proof.append(subtree(hashes, at, last))
            last = at
        else:
            proof.append(subtree(hashes, first, at))
            first = at
    return proof[::-1]


def consistency(hashes: Hashes, earlier: int, size: int) -> list[bytes]:
    """Prove that the first `size` entries begin with the first `earlier` (RFC 9162, 2.1.4.1); nothing is needed if
    there was none. Raises IndexError."""
    if not 0 <= earlier <= size:
        raise IndexError(f"no tree of {earlier} entries came before one of {size}")
    proof: list[bytes] = []
    first, last, whole = 0, size, True
    while 0 < earlier - first < last - first:
        at = first + split(last - first)
        if earlier <= at:
            proof.append(subtree(hashes, at, last))
            last = at
        else:
            proof.append(subtree(hashes, first, at))
            first, whole = at, False
    if earlier and not whole:
        proof.append(subtree(hashes, first, last))
    return proof[::-1]


def grown(hashes: Hashes, before: int, leaves: Sequence[bytes]) -> tuple[NewHashes, bytes]:
    """Return all hashes that come with new leaves after the first `before`, and the root over all."""
    new: list[tuple[int, list[bytes]]] = [(before, list(leaves))]

    def both(level: int, first: int, last: int) -> Sequence[bytes]:
        if level >= len(new):
            return hashes(level, first, last)
        begin, fresh = new[level]
        older = hashes(level, first, min(last, begin)) if first < begin else ()
        return [*older, *fresh[max(0, first - begin) : max(0, last - begin)]]

    while new[-1][1]:
        begin, fresh = new[-1]
        places = range(begin // TILE, (begin + len(fresh)) // TILE)
        below = len(new) - 1
        full = [root_of(both(below, place * TILE, (place + 1) * TILE)) for place in places]
        new.append((begin // TILE, full))
    rows = [(level, begin + at, each) for level, (begin, fresh) in enumerate(new) for at, each in enumerate(fresh)]
    return rows, tree_root(both, before + len(leaves))
