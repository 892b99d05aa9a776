"""What a verifier finds out about a record: whole, interrupted, damaged, or forked from what a witness saw."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from pi_app.journal.record.entry import Opening
from pi_app.journal.record.sha import sha256


class RecordState(enum.IntEnum):
    """What a record is; the number is the exit code of `trapdial journal verify`."""

    WHOLE = 0
    INTERRUPTED = 3
    DAMAGED = 4
    FORKED = 5


@dataclass(frozen=True, slots=True)
class Damage:
    """Where a record is wrong first: the entry's number (0: the file as a whole), and what was seen."""

    seq: int
    seen: str


@dataclass(slots=True)
class GameSeen:
    """One game of a record. `opened` is how many of its sealed halves were opened: all or none."""

    game: str
    first: int
    last: int
    entries: int = 1
    opening: Opening | None = None
    key: bytes | None = None
    deleted: bool = False
    opened: int = 0

    @property
    def ended(self) -> bool:
        """Whether it has its end, or was taken out after it."""
        return self.key is not None or self.deleted


@dataclass(frozen=True, slots=True)
class RecordVerdict:
    """What a record is. `damage` is the first one; `against` are the witnesses' heads that do not fit, as sentences."""

    state: RecordState
    size: int
    root: bytes
    device: bytes | None
    games: tuple[GameSeen, ...] = ()
    damage: Damage | None = None
    against: tuple[str, ...] = ()
    witnesses: int = 0
    good_until: int = 0
    """Entries up to this one are what a witness saw."""
    signature: bytes = b""
    """The last entry's; nothing if it has none."""
    exported: int | None = None
    """Of an export: how many entries are in it; `size` and `root` are then those of the record's head."""
    continues: tuple[int, ...] = ()
    """Of an export: of how many entries the older heads are that it proves to continue."""


def fingerprint(device: bytes) -> str:
    """A device's name for people: eight groups of four hex digits."""
    digits = sha256(device).hex()[:32].upper()
    return " ".join(digits[at : at + 4] for at in range(0, 32, 4))
