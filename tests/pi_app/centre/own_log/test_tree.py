"""Roots and proofs from tiles are those of the whole tree (`pi_app.journal.record.merkle`)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_app.centre.own_log import tree
from pi_app.journal.record import merkle

LEAVES = [merkle.leaf_hash(number.to_bytes(4, "big")) for number in range(70_000)]


class Kept:
    """Hashes as a store keeps them, and how many were asked for at once at most."""

    def __init__(self) -> None:
        self.rows: dict[tuple[int, int], bytes] = {}
        self.asked = 0

    def __call__(self, level: int, first: int, last: int) -> Sequence[bytes]:
        self.asked += last - first
        return [self.rows[level, place] for place in range(first, last)]

    def grows(self, before: int, size: int) -> bytes:
        rows, root = tree.grown(self, before, LEAVES[before:size])
        for level, place, hashed in rows:
            assert (level, place) not in self.rows, "a hash is written once"
            self.rows[level, place] = hashed
        return root


@pytest.fixture(scope="module")
def large() -> Kept:
    kept = Kept()
    kept.grows(0, len(LEAVES))
    return kept


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 700), min_size=1, max_size=6))
def test_a_log_that_grows_in_batches_has_the_roots_of_the_tree(batches: list[int]) -> None:
    kept, size = Kept(), 0
    for more in batches:
        assert kept.grows(size, size + more) == merkle.root_of(LEAVES[: size + more])
        size += more
    assert sorted(kept.rows) == [
        *((0, place) for place in range(size)),
        *((1, place) for place in range(size // 256)),
    ]


def test_a_tile_of_a_level_has_the_roots_of_full_tiles_below(large: Kept) -> None:
    counts = [sum(level == each for each, _ in large.rows) for level in range(4)]
    assert counts == [70_000, 273, 1, 0], "the example of C2SP tlog-tiles"
    assert large.rows[1, 272] == merkle.root_of(LEAVES[272 * 256 : 273 * 256])
    assert large.rows[2, 0] == merkle.root_of(LEAVES[:65_536])


@pytest.mark.parametrize(
    ("earlier", "size"), [(0, 1), (1, 256), (256, 257), (511, 65_536), (65_536, 65_537), (65_535, 69_999), (3, 3)]
)
def test_proofs_prove_what_they_should(large: Kept, earlier: int, size: int) -> None:
    roots = [merkle.root_of(LEAVES[:each]) for each in (earlier, size)]
    assert tree.tree_root(large, size) == roots[1]
    proof = tree.consistency(large, earlier, size)
    assert len(proof) <= 63
    if earlier:
        assert merkle.proves_consistency(proof, earlier, size, *roots)
    else:
        assert proof == []
    if earlier < size:
        path = tree.inclusion(large, earlier, size)
        assert merkle.proves_inclusion(path, LEAVES[earlier], earlier, size, roots[1])


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 600), st.integers(1, 600))
def test_proofs_are_those_of_the_whole_tree(one: int, other: int) -> None:
    earlier, size = sorted((one, other))
    kept = Kept()
    kept.grows(0, size)
    assert tree.consistency(kept, earlier, size) == merkle.consistency_proof(LEAVES[:size], earlier)
    assert tree.inclusion(kept, earlier - 1, size) == merkle.inclusion_proof(LEAVES[:size], earlier - 1)


def test_a_proof_over_many_entries_asks_for_few_hashes(large: Kept) -> None:
    large.asked = 0
    tree.consistency(large, 69_000, 70_000)
    tree.inclusion(large, 12_345, 70_000)
    assert large.asked < 3_000


def test_what_is_not_in_the_tree_has_no_proof(large: Kept) -> None:
    with pytest.raises(IndexError, match="there is no entry 5 among 5"):
        tree.inclusion(large, 5, 5)
    with pytest.raises(IndexError, match="no tree of 6 entries came before one of 5"):
        tree.consistency(large, 6, 5)
