"""The tree against RFC 9162's own definition, its proofs, and everything that must not pass for one."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_app.journal.record import merkle

LEAVES = [merkle.leaf_hash(bytes([n])) for n in range(40)]


def defined(leaves: list[bytes]) -> bytes:
    """MTH of section 2.1.1, word by word."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    return hashlib.sha256(b"\x01" + defined(leaves[:split]) + defined(leaves[split:])).digest()


def test_known_roots() -> None:
    """The test tree that implementations of certificate transparency share."""
    data = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
    leaves = [merkle.leaf_hash(bytes.fromhex(text)) for text in data]
    assert leaves[0].hex() == "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"
    assert merkle.root_of(leaves).hex() == "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"
    assert merkle.root_of([]).hex() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@pytest.mark.parametrize("size", range(len(LEAVES) + 1))
def test_a_growing_tree_has_the_root_of_the_definition(size: int) -> None:
    assert merkle.Tree(LEAVES[:size]).root() == defined(LEAVES[:size])


@given(st.lists(st.integers(0, 20), max_size=6))
def test_many_leaves_at_once_are_the_same_as_one_after_the_other(parts: list[int]) -> None:
    together, single, at = merkle.Tree(), merkle.Tree(), 0
    for part in parts:
        leaves = (LEAVES * 4)[at : at + part]
        together.extend(leaves)
        for leaf in leaves:
            single.append(leaf)
        at += part
        assert (together.size, together.root()) == (single.size, single.root())


@given(st.integers(1, 40).flatmap(lambda size: st.tuples(st.just(size), st.integers(0, size - 1))))
def test_each_leaf_is_proven_and_nothing_else(of: tuple[int, int]) -> None:
    size, index = of
    leaves, root = LEAVES[:size], merkle.root_of(LEAVES[:size])
    proof = merkle.inclusion_proof(leaves, index)
    assert merkle.proves_inclusion(proof, leaves[index], index, size, root)
    assert not merkle.proves_inclusion(proof, merkle.leaf_hash(b"another"), index, size, root)
    assert not any(
        merkle.proves_inclusion(proof, leaves[index], n, size, root) for n in range(-1, size + 1) if n != index
    )
    assert not merkle.proves_inclusion([*proof, root], leaves[index], index, size, root)
    assert not proof or not merkle.proves_inclusion(proof[:-1], leaves[index], index, size, root)


@given(st.integers(1, 40).flatmap(lambda size: st.tuples(st.just(size), st.integers(1, size))))
def test_a_tree_is_proven_to_begin_with_an_earlier_one(of: tuple[int, int]) -> None:
    size, earlier = of
    proof = merkle.consistency_proof(LEAVES[:size], earlier)
    old, new = merkle.root_of(LEAVES[:earlier]), merkle.root_of(LEAVES[:size])
    assert merkle.proves_consistency(proof, earlier, size, old, new)
    forked = merkle.root_of([*LEAVES[: earlier - 1], merkle.leaf_hash(b"fork")])
    assert not merkle.proves_consistency(proof, earlier, size, forked, new)
    assert not merkle.proves_consistency(proof, earlier, size, old, forked)
    assert not merkle.proves_consistency([*proof, old], earlier, size, old, new)
    assert not merkle.proves_consistency(proof, 0, size, old, new)
    assert not merkle.proves_consistency(proof, size + 1, size, old, new)


def test_a_proof_of_a_missing_leaf_is_refused() -> None:
    with pytest.raises(IndexError, match="there is no leaf 3 among 3"):
        merkle.inclusion_proof(LEAVES[:3], 3)
    with pytest.raises(IndexError, match="no tree of 4 leaves came before one of 3"):
        merkle.consistency_proof(LEAVES[:3], 4)


def test_a_copy_grows_independently() -> None:
    tree = merkle.Tree(LEAVES[:5])
    other = tree.copy()
    other.append(LEAVES[5])
    assert (tree.root(), other.root()) == (merkle.root_of(LEAVES[:5]), merkle.root_of(LEAVES[:6]))


@pytest.mark.parametrize("size", range(1, len(LEAVES) + 1))
def test_proofs_made_together_equal_those_made_one_by_one(size: int) -> None:
    proofs = merkle.Proofs(LEAVES[:size])
    assert [proofs.of(n) for n in range(size)] == [merkle.inclusion_proof(LEAVES[:size], n) for n in range(size)]
    for none in (-1, size):
        with pytest.raises(IndexError):
            proofs.of(none)
