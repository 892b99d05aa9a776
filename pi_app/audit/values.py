"""What an audit finds, as plain values: the JSON form is made of them as they stand."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

Kind = Literal[
    "not at start",
    "wrong count",
    "wrong direction",
    "not from start",
    "second turn",
    "no claim",
    "out of turn",
    "moved while off",
    "between two detents",
    "unknown path",
    "not to the disarmed mark",
    "disarmed dial moved",
    "not seen",
    "not homed",
    "count lost",
    "artifact used twice",
    "token kept",
    "trap table shown",
    "done anyway",
    "magnet weakened",
    "magnet too near",
    "angle hops",
    "tile swapped",
    "calibration drift",
    "die corrected",
    "clock stepped",
    "sealed",
]
"""What was found. `sealed`: a finding of a game that has not ended, by its rule alone."""

DEVICE: Final = "DEV"
MAGNET: Final = "DEV-MAGNET"
HOPS: Final = "DEV-HOPS"
TILE: Final = "DEV-TILE"
DRIFT: Final = "DEV-DRIFT"
CLOCK: Final = "REC-CLOCK"
DIE_AGAIN: Final = "REC-DIE"
"""Rules of our own, of the device and of the record; all others are the sheet's. `DEV` alone: one of the device's, in a
game that has not ended."""

By = Literal["exposed", "triggered", "announced", "shown to all", "table shown"]


class FindingSeen(msgspec.Struct, frozen=True, kw_only=True):
    """One finding. `claim`: how sure the claim was (`button`, `table`), `none` for a turn without one, nothing if no
    turn is meant. `at_s`: seconds since the game began. `words`: a whole sentence, nothing while the game is sealed."""

    kind: Kind
    rule: str
    square: str | None
    seat: str | None
    claim: str | None
    entry: int
    wall: str
    clock: str
    at_s: float
    words: str | None


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """From which entry on a seat could know what a square holds, and how it was told; `looked_entry`: when it first
    asked to see it again. Seat `*`: whoever was in front of the screen."""

    square: str
    seat: str
    name: str
    by: By
    entry: int
    wall: str
    at_s: float
    looked_entry: int | None
    looked_at_s: float | None
    words: str


class DrawSeen(msgspec.Struct, frozen=True, kw_only=True):
    """One token that a seat drew (AR-USE-4), who could read it, and where it went."""

    seat: str
    name: str
    artifact: str
    colour: str
    token: str
    entry: int
    wall: str
    at_s: float
    known_to: Literal["its player", "everyone"]
    went: Literal["with its player", "back", "nowhere, in hand at the end"]
    words: str


class DieSeen(msgspec.Struct, frozen=True, kw_only=True):
    """What was rolled for a turn (T-EXP-4): by the device, or as it was last `said` at the table."""

    seat: str
    entry: int
    at_s: float
    die: int
    how: Literal["said", "device"]


class TurnSeen(msgspec.Struct, frozen=True, kw_only=True):
    """One turn. Times in seconds since the game began; `rolled`: the die, None if nobody said it; `error_deg`: how far
    from the centre of its detent the dial came to rest, counter-clockwise positive."""

    square: str
    seat: str | None
    purpose: str | None
    claim: str
    entry: int
    start_s: float
    end_s: float
    from_position: int | None
    to_position: int | None
    between: tuple[int, int] | None
    clicks: int | None
    rolled: int | None
    clicks_per_s: float | None
    error_deg: float | None
    while_off: bool
    samples: int
    failed_reads: int
    longest_gap_ms: float


class RestSeen(msgspec.Struct, frozen=True, kw_only=True):
    """Where a dial rested: at set-up or after a turn."""

    square: str
    entry: int
    at_s: float
    position: int
    error_deg: float


class ClaimSeen(msgspec.Struct, frozen=True, kw_only=True):
    """A claim from its beginning to its end."""

    seat: str
    name: str
    claim: str
    square: str | None
    from_s: float
    to_s: float
    ended: Literal["turned", "taken back", "ran out", "unclear", "open at the end"]


class DialSeen(msgspec.Struct, frozen=True, kw_only=True):
    """A dial as it was read in this game."""

    square: str
    table: str
    clicks: int
    absolute: bool
    calibrated: bool
    seated_deg: float | None
    tile: str


class SquareVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """Pass or fail for one square: fail if there is any finding about it."""

    square: str
    passed: bool
    findings: int


class GameAudit(msgspec.Struct, frozen=True, kw_only=True):
    """One game, `length_s` seconds long. `dealt`: artifact -> the tokens that lay under it first. While it is `sealed`
    it has verdicts, and findings without words; all else is empty then."""

    game: str
    sealed: bool
    first: int
    last: int
    entries: int
    began: str
    ended: str | None
    length_s: float
    table_name: str | None = None
    simulated: bool | None = None
    seats: dict[str, str] = {}
    verdicts: tuple[SquareVerdict, ...] = ()
    findings: tuple[FindingSeen, ...] = ()
    known: tuple[Known, ...] = ()
    dials: tuple[DialSeen, ...] = ()
    turns: tuple[TurnSeen, ...] = ()
    rests: tuple[RestSeen, ...] = ()
    claims: tuple[ClaimSeen, ...] = ()
    disarm_dice: tuple[int, ...] = ()
    turn_dice: tuple[DieSeen, ...] = ()
    dealt: dict[str, tuple[str, ...]] = {}
    draws: tuple[DrawSeen, ...] = ()


class DamageSeen(msgspec.Struct, frozen=True, kw_only=True):
    """Where the record is damaged first; nothing from there on was audited. Entry 0: the file as a whole."""

    entry: int
    seen: str


class FileAudit(msgspec.Struct, frozen=True, kw_only=True):
    """One file. `state`: what `trapdial journal verify` says of the record, without witnesses."""

    file: str
    state: Literal["whole", "interrupted", "damaged"]
    entries: int
    damage: DamageSeen | None
    games: tuple[GameAudit, ...]

    @property
    def clean(self) -> bool:
        """Whether nothing at all was found."""
        return self.damage is None and not any(game.findings for game in self.games)


def clock_text(seconds: float) -> str:
    """Minutes and seconds, `2:05`; with hours from the first one on."""
    whole = int(seconds)
    hours, minutes = whole // 3600, whole % 3600 // 60
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"
