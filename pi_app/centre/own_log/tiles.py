"""The log as any monitor reads it: a checkpoint, and tiles of hashes and of entries (C2SP tlog-tiles)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pi_app.centre.own_log.entries import LONGEST_ENTRY
from pi_app.centre.own_log.tree import TILE, TILE_BITS
from pi_app.journal.record.merkle import HASH_BYTES

ENTRIES: Final = "entries"
LENGTH_BYTES: Final = 2
LARGEST_TILE: Final = TILE * HASH_BYTES
LARGEST_BUNDLE: Final = TILE * (LENGTH_BYTES + LONGEST_ENTRY)
HIGHEST: Final = 63

_PATH: Final = re.compile(
    r"tile/(entries|0|[1-9][0-9]?)/((?:x[0-9]{3}/){0,5}[0-9]{3})(?:\.p/([1-9][0-9]{0,2}))?", re.ASCII
)


@dataclass(frozen=True, slots=True)
class TilePath:
    """A tile: which one of its level, and how many hashes or entries it has; 256 is a full one. `level`: None for
    entries, which are as many as the hashes of level 0."""

    level: int | None
    place: int
    width: int = TILE

    @property
    def first(self) -> int:
        """The place of its first hash or entry."""
        return self.place * TILE

    @property
    def last(self) -> int:
        """The place after its last one."""
        return self.first + self.width

    def is_below(self, size: int) -> bool:
        """Whether a log of so many entries has all of it."""
        return self.last <= size >> TILE_BITS * (self.level or 0)

    def text(self) -> str:
        """Write the path below the log's address."""
        digits = f"{self.place:03}"
        digits = digits.zfill(-(-len(digits) // 3) * 3)
        groups = [digits[at : at + 3] for at in range(0, len(digits), 3)]
        named = "/".join([*(f"x{each}" for each in groups[:-1]), groups[-1]])
        partial = "" if self.width == TILE else f".p/{self.width}"
        return f"tile/{ENTRIES if self.level is None else self.level}/{named}{partial}"


def read_tile_path(text: str) -> TilePath | None:
    """Read a path; None if it is not exactly as it must be written."""
    found = _PATH.fullmatch(text)
    if found is None:
        return None
    level = None if found[1] == ENTRIES else int(found[1])
    tile = TilePath(level, int(found[2].replace("x", "").replace("/", "")), int(found[3] or TILE))
    return tile if tile.text() == text and (level or 0) <= HIGHEST else None


def bundle(entries: Sequence[bytes]) -> bytes:
    """Write entries, each after its length in two bytes."""
    return b"".join(len(each).to_bytes(LENGTH_BYTES, "big") + each for each in entries)


def read_bundle(data: bytes) -> list[bytes]:
    """Read entries. Raises ValueError if the bytes do not end with one."""
    entries, at = [], 0
    while at < len(data):
        begin = at + LENGTH_BYTES
        at = begin + int.from_bytes(data[at:begin], "big")
        if begin > len(data) or at > len(data):
            raise ValueError("its last entry is cut off")
        entries.append(data[begin:at])
    return entries


def tiles_of(size: int) -> Iterator[TilePath]:
    """Yield the tiles with the entries of a log, in order."""
    full, rest = divmod(size, TILE)
    for place in range(full):
        yield TilePath(None, place)
    if rest:
        yield TilePath(None, full, rest)


def split_hashes(data: bytes) -> list[bytes]:
    """Read the hashes of a tile. Raises ValueError if the bytes are no whole hashes."""
    if len(data) % HASH_BYTES:
        raise ValueError("its last hash is cut off")
    return [data[at : at + HASH_BYTES] for at in range(0, len(data), HASH_BYTES)]
