"""Paths and bytes of tiles, as C2SP tlog-tiles has them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_app.centre.own_log.tiles import (
    HIGHEST,
    TilePath,
    bundle,
    read_bundle,
    read_tile_path,
    split_hashes,
    tiles_of,
)


def test_the_examples_of_the_specification() -> None:
    assert TilePath(0, 1_234_067).text() == "tile/0/x001/x234/067"
    assert read_tile_path("tile/0/x001/x234/067") == TilePath(0, 1_234_067)
    assert read_tile_path("tile/entries/273.p/112") == TilePath(None, 273, 112)
    size = 70_000
    there = [TilePath(0, 272), TilePath(0, 273, 112), TilePath(1, 0), TilePath(1, 1, 17), TilePath(2, 0, 1)]
    missing = [TilePath(0, 273), TilePath(0, 273, 113), TilePath(1, 1), TilePath(1, 1, 18), TilePath(2, 0, 2),
               TilePath(3, 0, 1), TilePath(63, 0, 1)]  # fmt: skip
    assert [each.is_below(size) for each in there] == [True] * 5
    assert [each.is_below(size) for each in missing] == [False] * 7


@given(st.one_of(st.none(), st.integers(0, HIGHEST)), st.integers(0, 10**18 - 1), st.integers(1, 256))
def test_a_path_is_read_as_it_was_written(level: int | None, place: int, width: int) -> None:
    tile = TilePath(level, place, width)
    assert read_tile_path(tile.text()) == tile


@pytest.mark.parametrize(
    "path",
    ["", "tile/0", "tile/0/", "tile/00/000", "tile/64/000", "tile/-1/000", "tile/0/0", "tile/0/x000/000", "tile/0/1000",
     "tile/0/000.p/0", "tile/0/000.p/256", "tile/0/000.p/01", "tile/0/000/", "tile/0/x001", "tile/entries/x",
     "tile/0/\u0660\u0660\u0660", "tile/0/000\n", "checkpoint"],
)  # fmt: skip
def test_a_path_has_one_form(path: str) -> None:
    assert read_tile_path(path) is None


@given(st.lists(st.binary(max_size=300), max_size=20))
def test_a_bundle_is_read_as_it_was_written(entries: list[bytes]) -> None:
    assert read_bundle(bundle(entries)) == entries


def test_the_bytes_of_a_bundle() -> None:
    assert bundle([b"abc", b""]) == b"\x00\x03abc\x00\x00"


@pytest.mark.parametrize("data", [b"\x00", b"\x00\x05abcd", b"\x00\x01a\x00"])
def test_a_bundle_that_is_cut_off_is_no_bundle(data: bytes) -> None:
    with pytest.raises(ValueError, match="its last entry is cut off"):
        read_bundle(data)


def test_the_tiles_of_a_log_and_the_hashes_of_a_tile() -> None:
    assert list(tiles_of(0)) == []
    assert list(tiles_of(256)) == [TilePath(None, 0)]
    assert list(tiles_of(600)) == [TilePath(None, 0), TilePath(None, 1), TilePath(None, 2, 88)]
    assert split_hashes(b"a" * 32 + b"b" * 32) == [b"a" * 32, b"b" * 32]
    with pytest.raises(ValueError, match="its last hash is cut off"):
        split_hashes(b"a" * 33)
