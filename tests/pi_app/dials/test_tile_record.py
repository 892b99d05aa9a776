"""The record in a tile's memory: golden bytes worked by hand, round trips, and writes that break off anywhere."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_app.dials.calibration import Calibration
from pi_app.dials.tile_record import ROOM, SLOT, DoesNotFitError, TileRecords, crc16, newer, pack, unpack

TILE = "24aa02uid:12345678"
FOUR = Calibration.of_centres(
    (10, 1030, 2060, 3080), (2, 3, 4, 5), counts_per_turn=4096, invert=False, tile=TILE, revision=258
)
BLANK = bytes([0xFF]) * ROOM


def test_the_check_sum_is_the_well_known_one() -> None:
    assert crc16(b"123456789") == 0x29B1
    assert crc16(b"") == 0xFFFF


def test_golden_bytes() -> None:
    """Even spacing from 10 is 10, 1034, 2058, 3082: so the detents are 0, -4, +2 and -2 counts away.

    000000000000 000010 | 111111111100 000011 | 000000000010 000100 | 111111111110 000101 =
    00000000 00000000 10111111 11110000 00110000 00000010 00010011 11111111 10000101
    """
    body = bytes.fromhex("D1 04 0C 0102 000A 00 00 BF F0 30 02 13 FF 85") + bytes(SLOT - 2 - 16)
    assert pack(FOUR) == body + crc16(TILE.encode() + body).to_bytes(2, "big")
    assert unpack(pack(FOUR) + BLANK[:SLOT], TILE) == TileRecords(FOUR, False, 1)


def sound(draw: random.Random, clicks: int, turn: int) -> Calibration:
    invert = draw.random() < 0.5
    sign, first = -1 if invert else 1, draw.randrange(turn)
    wobble = turn * min(3.0, 60 / clicks) / 360
    centres = [round(first + sign * k * turn / clicks + draw.uniform(-wobble, wobble)) % turn for k in range(clicks)]
    spread = [draw.randrange(max(2, turn // 512)) for _ in range(clicks)]
    return Calibration.of_centres(
        centres, spread, counts_per_turn=turn, invert=invert, tile=TILE, revision=draw.randrange(65536)
    )


@given(st.integers(0, 1 << 32), st.integers(2, 24), st.sampled_from([1024, 4096, 16384]))
@settings(max_examples=300, deadline=None)
def test_a_record_survives_the_round_trip(seed: int, clicks: int, turn: int) -> None:
    dial = sound(random.Random(seed), clicks, turn)
    got = unpack(pack(dial) + BLANK[:SLOT], TILE).newest
    assert got is not None
    assert (got.centres, got.clicks, got.counts_per_turn, got.invert, got.tile, got.revision) == (
        (dial.centres, clicks, turn, dial.invert, TILE, dial.revision)
    )
    for stored, learnt in zip(got.spread, dial.spread, strict=True):
        assert 0 <= stored - learnt + (turn < 4096) < max(2, turn // 4096)


@given(st.integers(0, SLOT), st.integers(0, 1), st.sampled_from([8, 16]))
def test_a_write_that_breaks_off_anywhere_leaves_the_old_or_the_new(after: int, old_slot: int, page: int) -> None:
    """Whole pages that were written, then half of the page at which the power went, then the old bytes."""
    old, new = replace(FOUR, revision=7), replace(FOUR, revision=8, spread=(9, 9, 9, 9))
    memory = bytearray(BLANK)
    memory[old_slot * SLOT : (old_slot + 1) * SLOT] = pack(old)
    at = (1 - old_slot) * SLOT
    torn = pack(new)[:after] + bytes([0xFF]) * (min(SLOT, after + page // 2) - after)
    memory[at : at + len(torn)] = torn
    found = unpack(bytes(memory), TILE)
    assert found.newest is not None
    assert found.newest.revision == (8 if after == SLOT else 7)
    assert found.next_slot == (old_slot if after == SLOT else 1 - old_slot)
    assert found.spoilt == (0 < after < SLOT)


def test_an_empty_memory_is_not_spoilt() -> None:
    assert unpack(BLANK, TILE) == TileRecords(None, False, 0)


def test_a_record_of_another_tile_counts_as_spoilt() -> None:
    assert unpack(pack(FOUR) + BLANK[:SLOT], "24aa02uid:12345679") == TileRecords(None, True, 0)


@given(st.integers(0, SLOT * 8 - 1))
def test_no_single_bit_passes(bit: int) -> None:
    slot = bytearray(pack(FOUR))
    slot[bit // 8] ^= 1 << bit % 8
    assert unpack(bytes(slot) + BLANK[:SLOT], TILE) == TileRecords(None, True, 0)


@given(st.binary(min_size=ROOM, max_size=ROOM))
def test_any_bytes_can_be_read(memory: bytes) -> None:
    assert unpack(memory, TILE).newest is None


def test_nonsense_with_a_good_check_sum_is_still_nonsense() -> None:
    for begin in (b"\xd1\x01\x0c", b"\xd1\x19\x0c", b"\xd1\x04\x02", b"\xd1\x0c\x0c" + bytes(range(40))):
        body = begin.ljust(SLOT - 2, b"\x00")
        slot = body + crc16(TILE.encode() + body).to_bytes(2, "big")
        assert unpack(slot + BLANK[:SLOT], TILE).newest is None


def test_revisions_start_over() -> None:
    assert newer(1, 0)
    assert newer(0, 65535)
    assert not newer(65535, 0)
    assert not newer(5, 5)
    memory = pack(replace(FOUR, revision=65535)) + pack(replace(FOUR, revision=0))
    newest = unpack(memory, TILE).newest
    assert newest is not None
    assert newest.revision == 0


@pytest.mark.parametrize(
    ("dial", "why"),
    [
        (
            Calibration.of_centres(
                [k * 4096 // 25 for k in range(25)], [0] * 25, counts_per_turn=4096, invert=False, tile=TILE
            ),
            "it has 25 detents, and a tile's memory has room for 24",
        ),
        (replace(FOUR, counts_per_turn=4000), "its encoder has 4000 counts per turn, and the record knows powers of "),
        (replace(FOUR, counts_per_turn=65536, centres=(0, 20000, 32768, 49152)), "its position 1 is too far from "),
    ],
)
def test_a_calibration_that_does_not_fit_is_refused(dial: Calibration, why: str) -> None:
    with pytest.raises(DoesNotFitError) as no:
        pack(dial)
    assert str(no.value).startswith(why)
