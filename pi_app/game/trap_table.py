"""A trap table: the faces on each position of one dial. Pure.

Tables and faces print as `(sealed)`: a log line, a traceback or a pretty printer must not show which trap lies where
(S-6, S-9). The owner's tables come from files (`pi_app.game.trap_table_file`); none is a constant in code.
"""

from __future__ import annotations

import enum
import re
from typing import Final, Literal, cast, get_args

import msgspec

from pi_app.text.sealed import Sealed

FEWEST_CLICKS: Final = 2
"""A start and a disarmed mark. Below USUAL_FEWEST_CLICKS the loader warns."""
USUAL_FEWEST_CLICKS: Final = 8
"""Six positions that a die reaches, start and disarmed (T-DIAL-10)."""
MOST_CLICKS: Final = 36
REACH_OF_A_DIE: Final = range(1, 7)
"""Positions that one roll can reach from the start (T-DIAL-10)."""


class Trap(enum.Enum):
    """The eight traps, by their ids in tables and journals."""

    BUZZ_SAW = "buzz_saw"
    CAGE = "cage"
    FALLING_WEIGHT = "falling_weight"
    FIRE_JETS = "fire_jets"
    JAWS_OF_DOOM = "jaws_of_doom"
    MONSTROUS_HAND = "monstrous_hand"
    NOXIOUS_ACID_POOL = "noxious_acid_pool"
    SPIKED_PIT = "spiked_pit"


FaceKind = Literal["start", "trap", "clear", "disarmed"]
"""The kind of a face. A blank and a printed X are both `clear` (T-DIAL-12): no trap, clear terrain (T-DIAL-6)."""

Provenance = Literal["sample", "transcribed", "house"]
"""Where a table comes from: made up for tests, read off a real dial by two people, or a house rule."""

TRAP_IDS: Final = tuple(trap.value for trap in Trap)
KINDS: Final = cast("tuple[str, ...]", get_args(FaceKind))
PROVENANCES: Final = cast("tuple[str, ...]", get_args(Provenance))


DISARM_PATTERN: Final = r"^[0-9]{1,2}\+?\Z"
DISARM_WORDS: Final = "one or two digits with an optional plus: '7' or '6+'"


class Disarm(Sealed, msgspec.Struct, frozen=True, gc=False):
    """A printed disarm number: plain `N`, or variable `N+` with a die added once (T-DIAL-3, T-DIS-6)."""

    value: int
    variable: bool = False

    @classmethod
    def parse(cls, written: str) -> Disarm:
        """The number as printed on the dial. Raises ValueError, with the reason, for anything else."""
        if not re.search(DISARM_PATTERN, written):
            raise ValueError(f"must be {DISARM_WORDS}")
        return cls(int(written.removesuffix("+")), variable=written.endswith("+"))

    def printed(self) -> str:
        """As on the dial: `7` or `6+`."""
        return f"{self.value}{'+' if self.variable else ''}"


class Face(Sealed, msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The face of one position. It has `trap`, `disarm` and `xp` exactly when `kind` is trap."""

    position: int
    kind: FaceKind
    click_number: int | None = None
    trap: Trap | None = None
    disarm: Disarm | None = None
    xp: int | None = None


class TrapTable(Sealed, msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The faces of one dial: `faces[position]`, position 0 (the start mark) to `clicks` - 1."""

    name: str
    provenance: Provenance
    transcribed_by: str = ""
    checked_by: str = ""
    date: str = ""
    clicks: int
    expose_direction: Literal["ccw"] = "ccw"
    note: str = ""
    faces: tuple[Face, ...]

    @property
    def is_sample(self) -> bool:
        """Whether its numbers are made up: every display that uses this table must show SAMPLE."""
        return self.provenance == "sample"
