"""The result of verifying a record: whole, interrupted, damaged, or forked from what a witness saw."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from pi_app.journal.record.entry import Opening
from pi_app.journal.record.heads import Head
from pi_app.journal.record.sha import sha256
from pi_app.text import exit_codes


class RecordState(enum.IntEnum):
    """The state of a record; the number is the exit code of `trapdial journal verify`."""

    WHOLE = exit_codes.FINE
    INTERRUPTED = exit_codes.NO_END
    DAMAGED = exit_codes.DAMAGED
    FORKED = exit_codes.FORKED


@dataclass(frozen=True, slots=True)
class Damage:
    """The first damage: the entry's number (0: the whole file), and what was seen."""

    seq: int
    seen: str


@dataclass(slots=True)
class GameSeen:
    """One game of a record. `opened`: how many of its sealed halves were opened, all or none."""

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
        """Whether it has ended or was deleted."""
        return self.key is not None or self.deleted


@dataclass(frozen=True, slots=True)
class RecordVerdict:
    """A verdict. `against` has a sentence for each witness's head that does not fit."""

    state: RecordState
    size: int
    root: bytes
    device: bytes | None
    games: tuple[GameSeen, ...] = ()
    damage: Damage | None = None
    against: tuple[str, ...] = ()
    witnesses: int = 0
    good_until: int = 0
    """A witness saw the entries up to this one."""
    signature: bytes = b""
    """The last entry's; empty if it has none. For an export: its head's."""
    exported: int | None = None
    """For an export: the number of its entries; `size` and `root` are those of the record's head."""
    continues: tuple[int, ...] = ()
    """For an export: the sizes of the older heads that it is proven to continue."""
    older_roots: tuple[bytes, ...] = ()
    """For an export: their roots."""
    follows: Head | None = None
    """The head of the older record that this one continues, if it names one."""
    played: int = 0
    """The last entry that does not record a deletion; 0 if the record is damaged. In a record that another one
    continues, nothing but deletions may follow."""
    missing: int = 0
    """How many entries after the last one are known to be missing."""
    hint: str = ""
    """A sentence if nothing beside the record says how many entries there were."""


def fingerprint(device: bytes) -> str:
    """Write a device's fingerprint: eight groups of four hex digits."""
    digits = sha256(device).hex()[:32].upper()
    return " ".join(digits[at : at + 4] for at in range(0, 32, 4))
