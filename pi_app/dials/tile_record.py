"""A calibration in a tile's memory: 128 bytes, two slots, each a whole record. Pure; bytes in and out.

A record is written into the slot that is not the newest one, and its checksum comes last. After an interruption the
other slot is still whole: a tile never loses a calibration by getting a new one. The checksum covers the tile's own
number as well, so a record that was copied from another tile counts as spoilt.

A slot's 64 bytes:

- 0: 0xD1, the format, version 1
- 1: detents, 2 to 24
- 2: bits 0 to 4: counts per turn are 2 to this power, 10 to 16; bit 7: counts grow clockwise
- 3, 4: revision, big-endian: one more each time this tile is calibrated
- 5, 6: the start mark's angle in counts, big-endian
- 7 to 60: 18 bits per detent, high bits first: 12 bits of how far its centre is from even spacing (two's complement,
  counts), 6 bits of how far its angle wandered (turn / 4096, rounded up)
- 61: 0
- 62, 63: CRC-16 (0x1021, initial value 0xFFFF) of the tile's number in ASCII and of bytes 0 to 61
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pi_app.dials.calibration import Calibration, works
from pi_app.dials.detents import wrapped

ROOM: Final = 128
SLOT: Final = 64
SLOTS: Final = ROOM // SLOT
FORMAT: Final = 0xD1
MOST_CLICKS: Final = 24
REVISIONS: Final = 1 << 16

_BODY: Final = SLOT - 2
_HEAD: Final = 7
_POWERS: Final = range(10, 17)
_CLOCKWISE: Final = 0x80
_AWAY_BITS: Final = 12
_SPREAD_BITS: Final = 6
_DETENT_BITS: Final = _AWAY_BITS + _SPREAD_BITS
_SPREADS_PER_TURN: Final = 4096


class DoesNotFitError(Exception):
    """This calibration does not fit a tile's memory; the message says why."""


@dataclass(frozen=True, slots=True)
class TileRecords:
    """The records in a tile's memory.

    `newest`: the newest whole record, if there is one. `spoilt`: some slot is neither whole nor empty, as after a
    write that was interrupted. `next_slot`: where the next record goes.
    """

    newest: Calibration | None
    spoilt: bool
    next_slot: int


def pack(dial: Calibration) -> bytes:
    """Return the 64 bytes of a record. Raises DoesNotFitError for more than 24 detents, for counts per turn that are no
    power of two from 1024 to 65536, and for a detent that is too far from its place."""
    turn, sign = dial.counts_per_turn, -1 if dial.invert else 1
    power = turn.bit_length() - 1
    if not 2 <= dial.clicks <= MOST_CLICKS:
        raise DoesNotFitError(f"it has {dial.clicks} detents, and a tile's memory has room for {MOST_CLICKS}")
    if power not in _POWERS or turn != 1 << power:
        raise DoesNotFitError(f"its encoder has {turn} counts per turn, and the record knows powers of two only")
    first, bits = dial.centres[0], 0
    for k, (centre, spread) in enumerate(zip(dial.centres, dial.spread, strict=True)):
        away = wrapped(centre - _even(first, k, dial.clicks, turn, sign), turn)
        if not -(1 << _AWAY_BITS - 1) <= away < 1 << _AWAY_BITS - 1:
            raise DoesNotFitError(f"its position {k} is too far from where it should be")
        wandered = min(-(-spread * _SPREADS_PER_TURN // turn), (1 << _SPREAD_BITS) - 1)
        bits = bits << _DETENT_BITS | (away & (1 << _AWAY_BITS) - 1) << _SPREAD_BITS | wandered
    spare = MOST_CLICKS - dial.clicks
    head = bytes((FORMAT, dial.clicks, power | (_CLOCKWISE if dial.invert else 0)))
    head += (dial.revision % REVISIONS).to_bytes(2, "big") + first.to_bytes(2, "big")
    body = head + (bits << spare * _DETENT_BITS).to_bytes(MOST_CLICKS * _DETENT_BITS // 8, "big") + b"\x00"
    return body + crc16(dial.tile.encode("ascii") + body).to_bytes(2, "big")


def unpack(memory: bytes, tile: str) -> TileRecords:
    """Read the 128 bytes of the tile with this number. Never raises: a memory may hold any bytes."""
    slots = [memory[at : at + SLOT] for at in range(0, ROOM, SLOT)]
    found = [_record(slot, tile) for slot in slots]
    spoilt = any(dial is None and not _empty(slot) for dial, slot in zip(found, slots, strict=True))
    whole = [(at, dial) for at, dial in enumerate(found) if dial is not None]
    if not whole:
        return TileRecords(None, spoilt, 0)
    at, newest = whole[0]
    for other_at, other in whole[1:]:
        if newer(other.revision, newest.revision):
            at, newest = other_at, other
    return TileRecords(newest, spoilt, (at + 1) % SLOTS)


def newer(one: int, other: int) -> bool:
    """Whether revision `one` came after `other`; they start over after 65535."""
    return 0 < (one - other) % REVISIONS < REVISIONS // 2


def crc16(data: bytes) -> int:
    """Return the CRC-16 with 0x1021, initial value 0xFFFF, not reflected: of b"123456789" it is 0x29B1."""
    crc = 0xFFFF
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xFFFF
    return crc


def _empty(slot: bytes) -> bool:
    return set(slot) <= {0xFF}


def _record(slot: bytes, tile: str) -> Calibration | None:
    body, crc = slot[:_BODY], int.from_bytes(slot[_BODY:], "big")
    if body[0] != FORMAT or crc16(tile.encode("ascii") + body) != crc:
        return None
    clicks, power, invert = body[1], body[2] & 0x1F, bool(body[2] & _CLOCKWISE)
    if not 2 <= clicks <= MOST_CLICKS or power not in _POWERS:
        return None
    turn, first = 1 << power, int.from_bytes(body[5:7], "big")
    bits = int.from_bytes(body[_HEAD : _HEAD + MOST_CLICKS * _DETENT_BITS // 8], "big")
    centres, spreads = [], []
    for k in range(clicks):
        detent = bits >> (MOST_CLICKS - 1 - k) * _DETENT_BITS & (1 << _DETENT_BITS) - 1
        away = wrapped(detent >> _SPREAD_BITS, 1 << _AWAY_BITS)
        centres.append((_even(first, k, clicks, turn, -1 if invert else 1) + away) % turn)
        spreads.append((detent & (1 << _SPREAD_BITS) - 1) * turn // _SPREADS_PER_TURN)
    dial = Calibration.of_centres(
        centres, spreads, counts_per_turn=turn, invert=invert, tile=tile, revision=int.from_bytes(body[3:5], "big")
    )
    return dial if works(dial) else None


def _even(first: int, k: int, clicks: int, turn: int, sign: int) -> int:
    """Return where detent `k` is with even spacing, in whole counts."""
    return (first + sign * (k * turn // clicks)) % turn
