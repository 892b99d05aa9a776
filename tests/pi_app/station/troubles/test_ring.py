"""The ring of troubles: it keeps the newest, and survives cuts, garbage and a disk that refuses."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pi_app.journal.stamps import Stamp
from pi_app.station.troubles.ring import SLOT_BYTES, SLOTS, RingEntry, TroubleRing, entry_of, slot_of
from pi_app.station.troubles.troubles import StationTrouble, TroubleFound
from tests.crash.disk import FolderSynced, Made, Synced, Written
from tests.crash.recorder import recording

AT = Stamp("0c4f1bd2-1f1e-4c57-9f41-5e6ad1c6a0b7", 123_456_789, "2026-11-23T13:00:00.123456+00:00", "ntp")
DIAL = TroubleFound(StationTrouble.DIAL_UNREAD, ("T02", "T04"))
HOT = TroubleFound(StationTrouble.TOO_HOT)


def ring(folder: Path) -> TroubleRing:
    return TroubleRing(folder, lambda: AT)


def full(folder: Path, number: int) -> TroubleRing:
    """A ring with so many entries."""
    made = ring(folder)
    data = bytearray(SLOTS * SLOT_BYTES)
    for each in range(number):
        place = each % SLOTS * SLOT_BYTES
        data[place : place + SLOT_BYTES] = slot_of(entry_of(each, HOT, over=each % 2 == 1, at=AT))
    made.path.write_bytes(data)
    return made


def test_what_was_noted_is_read_the_newest_first(tmp_path: Path) -> None:
    made = ring(tmp_path)
    assert made.entries() == ()
    assert made.note(DIAL, over=False)
    assert made.note(HOT, over=False)
    assert made.note(DIAL, over=True)
    assert [(entry.code, entry.place, entry.over) for entry in made.entries()] == [
        ("dial_unread", "T02, T04", True),
        ("too_hot", "", False),
        ("dial_unread", "T02, T04", False),
    ]
    assert made.entries()[0].found == TroubleFound(StationTrouble.DIAL_UNREAD, ("T02", "T04"))
    assert (made.entries()[0].boot, made.entries()[0].mono_ns, made.entries()[0].clock) == (AT.boot, 123_456_789, "ntp")


def test_it_keeps_the_last_two_hundred_in_a_file_of_one_size(tmp_path: Path) -> None:
    made = full(tmp_path, 450)
    made.note(DIAL, over=False)
    entries = made.entries()
    assert [entry.number for entry in entries] == list(range(450, 250, -1))
    assert made.path.stat().st_size == SLOTS * SLOT_BYTES == 51_200


def test_it_is_for_its_owner_alone(tmp_path: Path) -> None:
    made = ring(tmp_path)
    made.note(HOT, over=False)
    assert made.path.stat().st_mode & 0o777 == 0o600


@given(st.integers(0, SLOT_BYTES), st.integers(1, 3 * SLOTS))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=12)
def test_a_cut_in_a_write_takes_the_oldest_entry_at_most(tmp_path: Path, cut: int, number: int) -> None:
    made = full(tmp_path, number)
    before = made.entries()
    new = slot_of(entry_of(number, DIAL, over=False, at=AT))
    with made.path.open("r+b") as file:
        file.seek(number % SLOTS * SLOT_BYTES)
        file.write(new[:cut])
    left = {entry.number for entry in made.entries()}
    assert {entry.number for entry in before[: SLOTS - 1]} <= left
    assert made.note(HOT, over=False)
    assert made.entries()[0].code == "too_hot"


@given(st.binary(max_size=2_000), st.integers(0, 2_000))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15)
def test_garbage_is_no_entry_and_keeps_nobody_from_writing(tmp_path: Path, garbage: bytes, at: int) -> None:
    made = full(tmp_path, 5)
    with made.path.open("r+b") as file:
        file.seek(at)
        file.write(garbage)
    assert all(entry == entry_of(entry.number, HOT, over=entry.over, at=AT) for entry in made.entries())
    assert made.note(DIAL, over=False)
    assert made.entries()[0].code == "dial_unread"


def test_an_entry_of_a_later_version_is_read_and_has_no_trouble(tmp_path: Path) -> None:
    made = ring(tmp_path)
    later = RingEntry(0, "flooded", "", False, AT.boot, 1, AT.wall, "none")
    made.path.write_bytes(slot_of(later))
    assert made.entries() == (later,)
    assert later.found is None


@pytest.mark.parametrize("kind", ["folder", "link", "fifo"])
def test_what_is_no_file_is_neither_read_nor_written(tmp_path: Path, kind: str) -> None:
    made = ring(tmp_path)
    match kind:
        case "folder":
            made.path.mkdir()
        case "link":
            made.path.symlink_to("/dev/zero")
        case _:
            os.mkfifo(made.path)
    assert made.entries() == ()
    assert not made.note(HOT, over=False)


def test_the_longest_entry_fits_its_slot() -> None:
    places = tuple("\U0001d7d8" * 40 for _ in range(60))
    found = max((TroubleFound(each, places) for each in StationTrouble), key=lambda each: len(each.trouble.code))
    stamp = Stamp("f" * 36, 2**62, "2026-11-23T13:00:00.123456+00:00", "none")
    assert len(slot_of(entry_of(2**53, found, over=True, at=stamp))) <= SLOT_BYTES


def test_what_lasts_is_what_has_begun_and_is_not_over(tmp_path: Path) -> None:
    made = ring(tmp_path)
    made.note(DIAL, over=False)
    made.note(HOT, over=False)
    made.note(DIAL, over=True)
    assert [entry.found for entry in made.lasting()] == [HOT]
    made.end_lasting()
    assert made.lasting() == ()
    assert [(entry.code, entry.over) for entry in made.entries()][:2] == [("too_hot", True), ("dial_unread", True)]


def test_the_name_of_a_new_ring_is_on_disk_with_its_first_entry(tmp_path: Path) -> None:
    with recording(tmp_path) as recorder:
        ring(tmp_path).note(HOT, over=False)
        ring(tmp_path).note(HOT, over=True)
    kinds = [type(op) for op in recorder.ops]
    assert kinds == [Made, Written, Synced, FolderSynced, Written, Synced]
