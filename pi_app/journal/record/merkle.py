"""The Merkle tree of RFC 9162 section 2.1 over SHA-256: one root for any number of entries, a short proof for each.

A leaf is hashed after a 0x00 and two children after a 0x01, so that no entry looks like an inner node. The tree of n
leaves splits at the largest power of two below n.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pi_app.journal.record.sha import sha256, sha256_of_each

HASH_BYTES: Final = 32
LEAF_MARK: Final = b"\x00"
EMPTY_ROOT: Final = sha256(b"")
"""The root over no entries."""


def leaf_hash(data: bytes) -> bytes:
    """Hash one entry (2.1.1)."""
    return sha256(LEAF_MARK + data)


def node_hash(left: bytes, right: bytes) -> bytes:
    """Hash two children (2.1.1)."""
    return sha256(b"\x01" + left + right)


class Tree:
    """A tree that only grows. It keeps the roots of its full subtrees, largest first: one for each 1 bit of `size`."""

    __slots__ = ("_peaks", "size")

    def __init__(self, leaves: Sequence[bytes] = ()) -> None:
        """Build it from these leaf hashes."""
        self.size = 0
        self._peaks: list[bytes] = []
        for leaf in leaves:
            self.append(leaf)

    def append(self, leaf: bytes) -> None:
        """Add one leaf hash."""
        self._grow(leaf, 1)

    def extend(self, leaves: Sequence[bytes]) -> None:
        """Add many leaf hashes, in a third of the time of single ones."""
        at = 0
        while at < len(leaves):
            width = 1 << (len(leaves) - at).bit_length() - 1
            if self.size:
                width = min(width, self.size & -self.size)
            level = leaves[at : at + width]
            while len(level) > 1:
                pairs = zip(level[::2], level[1::2], strict=True)
                level = sha256_of_each([b"\x01" + left + right for left, right in pairs])
            self._grow(level[0], width)
            at += width

    def _grow(self, root: bytes, width: int) -> None:
        """Add a full subtree of `width` leaves, a power of two that divides the size."""
        merged = self.size // width
        peaks = self._peaks
        while merged & 1:
            root = sha256(b"\x01" + peaks.pop() + root)
            merged >>= 1
        peaks.append(root)
        self.size += width

    def root(self) -> bytes:
        """Return the root over all leaves."""
        if not self._peaks:
            return EMPTY_ROOT
        *larger, root = self._peaks
        for peak in reversed(larger):
            root = node_hash(peak, root)
        return root

    @property
    def peaks(self) -> tuple[bytes, ...]:
        """The roots of its full subtrees, largest first: with the size, all that is needed to go on."""
        return tuple(self._peaks)

    @classmethod
    def of(cls, size: int, peaks: Sequence[bytes]) -> Tree:
        """Go on with a tree of this size. Raises ValueError if it has not so many full subtrees."""
        if size < 0 or size.bit_count() != len(peaks) or any(len(peak) != HASH_BYTES for peak in peaks):
            raise ValueError(f"a tree of {size} leaves has {size.bit_count()} full subtrees, not {len(peaks)}")
        tree = cls()
        tree.size, tree._peaks = size, list(peaks)
        return tree

    def copy(self) -> Tree:
        """Copy the tree."""
        return Tree.of(self.size, self._peaks)


def root_of(leaves: Sequence[bytes]) -> bytes:
    """Return the root over these leaf hashes."""
    return Tree(leaves).root()


def _split(size: int) -> int:
    """Return the largest power of two below `size`, which is at least 2."""
    return 1 << (size - 1).bit_length() - 1


def inclusion_proof(leaves: Sequence[bytes], index: int) -> list[bytes]:
    """Prove that leaf `index` (from 0) is under the root of these leaves (2.1.3.1). Raises IndexError."""
    if not 0 <= index < len(leaves):
        raise IndexError(f"there is no leaf {index} among {len(leaves)}")
    if len(leaves) == 1:
        return []
    at = _split(len(leaves))
    if index < at:
        return [*inclusion_proof(leaves[:at], index), root_of(leaves[at:])]
    return [*inclusion_proof(leaves[at:], index - at), root_of(leaves[:at])]


class Proofs:
    """The proofs of `inclusion_proof` for many leaves, from hashes that are computed once."""

    def __init__(self, leaves: Sequence[bytes]) -> None:
        """Take these leaf hashes; keep twice as many."""
        level = list(leaves)
        self._levels = [level]
        while len(level) > 1:
            pairs = zip(level[::2], level[1::2], strict=False)
            level = [*(node_hash(left, right) for left, right in pairs), *level[len(level) & ~1 :]]
            self._levels.append(level)

    def of(self, index: int) -> list[bytes]:
        """Prove that leaf `index` (from 0) is under the root. Raises IndexError."""
        if not 0 <= index < len(self._levels[0]):
            raise IndexError(f"there is no leaf {index} among {len(self._levels[0])}")
        beside = ((level, (index >> height) ^ 1) for height, level in enumerate(self._levels))
        return [level[at] for level, at in beside if at < len(level)]


def proves_inclusion(proof: Sequence[bytes], leaf: bytes, index: int, size: int, root: bytes) -> bool:
    """Return whether the proof leads from this leaf at `index` to the root over `size` leaves (2.1.3.2)."""
    if not 0 <= index < size:
        return False
    here, last, hashed = index, size - 1, leaf
    for step in proof:
        if last == 0:
            return False
        if here & 1 or here == last:
            hashed = node_hash(step, hashed)
            while here and not here & 1:
                here, last = here >> 1, last >> 1
        else:
            hashed = node_hash(hashed, step)
        here, last = here >> 1, last >> 1
    return last == 0 and hashed == root


def consistency_proof(leaves: Sequence[bytes], earlier: int) -> list[bytes]:
    """Prove that the first `earlier` of these leaves are under both roots (2.1.4.1). Raises IndexError."""
    return [root_of(leaves[first:last]) for first, last in consistency_spans(earlier, len(leaves))]


def consistency_spans(earlier: int, size: int) -> list[tuple[int, int]]:
    """Return which leaves are under each step of a consistency proof: from the first number, counted from 0, to before
    the second. Who cannot hold all leaves at once makes the proof with it. Raises IndexError."""
    if not 0 < earlier <= size:
        raise IndexError(f"no tree of {earlier} leaves came before one of {size}")
    return _spans(0, size, earlier, whole=True)


def _spans(first: int, last: int, earlier: int, *, whole: bool) -> list[tuple[int, int]]:
    if earlier == last:
        return [] if whole else [(first, last)]
    at = first + _split(last - first)
    if earlier <= at:
        return [*_spans(first, at, earlier, whole=whole), (at, last)]
    return [*_spans(at, last, earlier, whole=False), (first, at)]


def proves_consistency(proof: Sequence[bytes], earlier: int, size: int, earlier_root: bytes, root: bytes) -> bool:
    """Return whether the proof shows that the tree of `size` leaves begins with those of the earlier one (2.1.4.2)."""
    return proven_earlier_root(proof, earlier, size, earlier_root, root) == earlier_root


def proven_earlier_root(
    proof: Sequence[bytes], earlier: int, size: int, earlier_root: bytes, root: bytes
) -> bytes | None:
    """Return the root over the first `earlier` leaves of the tree with this root, as the proof shows it; None if it
    shows nothing. It may be another than the expected one, unless `earlier` is a power of two: such a proof leaves the
    earlier root out."""
    if not 0 < earlier <= size:
        return None
    if earlier == size:
        return root if not proof else None
    path = [earlier_root, *proof] if earlier & (earlier - 1) == 0 else list(proof)
    if not path:
        return None
    here, last = earlier - 1, size - 1
    while here & 1:
        here, last = here >> 1, last >> 1
    old = new = path[0]
    for step in path[1:]:
        if last == 0:
            return None
        if here & 1 or here == last:
            old, new = node_hash(step, old), node_hash(step, new)
            while here and not here & 1:
                here, last = here >> 1, last >> 1
        else:
            new = node_hash(new, step)
        here, last = here >> 1, last >> 1
    return old if last == 0 and new == root else None
