"""The model of the disk: what was synced is there, what was not may be there in any part."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.crash.disk import Cut, Disk, FolderSynced, Image, Made, Op, Removed, Renamed, Synced, Written

NEW: list[Op] = [Made("a", 0), FolderSynced(".")]


def left(ops: list[Op], image: Image | None = None, cuts: int = 300) -> list[Image]:
    """What so many power cuts leave."""
    disk = Disk(image or {})
    for op in ops:
        disk.happen(op)
    return [disk.after_a_cut(random.Random(n)) for n in range(cuts)]


@settings(deadline=None)
@given(st.lists(st.binary(min_size=1, max_size=9000), max_size=4), st.integers(0, 10_000))
def test_what_was_synced_is_there(writes: list[bytes], at: int) -> None:
    ops: list[Op] = [*NEW, *(Written(0, at * n, data) for n, data in enumerate(writes)), Synced(0)]
    (only,) = {content for image in left(ops, cuts=5) if (content := image["a"]) is not None}
    expected = bytearray()
    for n, data in enumerate(writes):
        expected.extend(bytes(max(0, at * n - len(expected))))
        expected[at * n : at * n + len(data)] = data
    assert only == bytes(expected)


def test_what_was_not_synced_is_there_or_not_in_pieces_of_both_sizes() -> None:
    seen = {image["a"] for image in left([*NEW, Written(0, 0, b"x" * 8192)])}
    assert {b"", b"x" * 8192, b"x" * 512, b"x" * 4096, b"\0" * 4096 + b"x" * 4096} <= seen
    assert any(content is not None and content.startswith(b"\0" * 512 + b"x") for content in seen)


def test_of_two_writes_the_later_one_may_be_there_alone() -> None:
    seen = {image["a"] for image in left([*NEW, Written(0, 0, b"1"), Written(0, 512, b"2")])}
    assert {b"", b"1", b"\0" * 512 + b"2", b"1" + b"\0" * 511 + b"2"} <= seen


def test_an_older_content_of_a_place_may_be_the_one_that_is_there() -> None:
    seen = {image["a"] for image in left([*NEW, Written(0, 0, b"1"), Written(0, 0, b"2")])}
    assert seen == {b"", b"1", b"2", b"\0"}


def test_a_cut_is_done_or_not() -> None:
    assert {image["a"] for image in left([Cut(0, 1)], {"a": b"long"})} == {b"long", b"l"}


def test_a_name_is_sure_once_its_folder_was_synced() -> None:
    made: list[Op] = [Made("a", 0), Written(0, 0, b"1"), Synced(0)]
    assert {image.get("a", b"gone") for image in left(made)} == {b"gone", b"1"}
    assert {image.get("a", b"gone") for image in left([*made, FolderSynced(".")])} == {b"1"}


def test_a_rename_is_done_whole_or_not_at_all() -> None:
    seen = {tuple(sorted(image.items())) for image in left([Renamed("a", "b")], {"a": b"new", "b": b"old"})}
    assert seen == {(("a", b"new"), ("b", b"old")), (("b", b"new"),)}


def test_what_was_taken_away_may_come_back() -> None:
    assert {tuple(image) for image in left([Removed("a")], {"a": b"1"})} == {(), ("a",)}


def test_nothing_lies_in_a_folder_that_is_not_there() -> None:
    ops: list[Op] = [Made("f", None), Made("f/a", 0), FolderSynced("f")]
    assert {tuple(sorted(image)) for image in left(ops)} == {(), ("f", "f/a")}


def test_whether_a_cut_could_leave_one_thing_or_another() -> None:
    disk = Disk({"a": b"1"})
    assert not disk.unsure()
    disk.happen(Written(0, 0, b"2"))
    assert disk.unsure()
    disk.happen(Synced(0))
    assert not disk.unsure()
