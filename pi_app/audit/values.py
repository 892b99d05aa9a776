"""The results of an audit as plain values: their JSON form has the same names."""

from __future__ import annotations

from typing import Final, Literal, Self

import msgspec

from pi_app.journal.record.entry import PublicPart

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
"""Kinds of findings. `sealed`: a finding of a game that has not ended, by its rule alone."""

DEVICE: Final = "DEV"
MAGNET: Final = "DEV-MAGNET"
HOPS: Final = "DEV-HOPS"
TILE: Final = "DEV-TILE"
DRIFT: Final = "DEV-DRIFT"
CLOCK: Final = "REC-CLOCK"
DIE_AGAIN: Final = "REC-DIE"
"""Rule ids of our own, for the device and the record; all others are the sheet's. `DEV` alone: a device's finding in a
game that has not ended."""

By = Literal["exposed", "triggered", "announced", "shown to all", "table shown"]


class FindingSeen(msgspec.Struct, frozen=True, kw_only=True):
    """One finding. `claim`: how certain the claim was (`button`, `table`), `none` for a turn without one, null if the
    finding is not about a turn. `at_s`: seconds since the game began. `words`: a whole sentence, null while the game is
    sealed."""

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

    @classmethod
    def of(
        cls,
        part: PublicPart,
        at_s: float,
        kind: Kind,
        rule: str,
        words: str | None,
        *,
        square: str | None = None,
        seat: str | None = None,
        claim: str | None = None,
    ) -> Self:
        """Return a finding about an entry."""
        return cls(
            kind=kind,
            rule=rule,
            square=square,
            seat=seat,
            claim=claim,
            entry=part.seq,
            wall=part.wall,
            clock=part.clock,
            at_s=round(at_s, 3),
            words=words,
        )


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """From which entry on a seat could know what a square holds, and how; `looked_entry`: when it first asked to see it
    again. Seat `*`: everyone in front of the screen."""

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
    """The die of a turn (T-EXP-4): rolled by the device, or as last `said` at the table."""

    seat: str
    entry: int
    at_s: float
    die: int
    how: Literal["said", "device"]


class TurnSeen(msgspec.Struct, frozen=True, kw_only=True):
    """One turn. Times in seconds since the game began; `rolled`: the die, None if unreported; `error_deg`: how far from
    the centre of its detent the dial came to rest, counter-clockwise positive."""

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
    """Where the record is damaged first; the audit stops there. Entry 0: the file as a whole."""

    entry: int
    seen: str


class FileAudit(msgspec.Struct, frozen=True, kw_only=True):
    """One file. `state`: the result of `trapdial journal verify` without witnesses."""

    file: str
    state: Literal["whole", "interrupted", "damaged"]
    entries: int
    damage: DamageSeen | None
    games: tuple[GameAudit, ...]

    @property
    def clean(self) -> bool:
        """Whether there is no damage and no finding."""
        return self.damage is None and not any(game.findings for game in self.games)


def clock_text(seconds: float) -> str:
    """Return minutes and seconds, `2:05`; from one hour on with hours."""
    whole = int(seconds)
    hours, minutes = whole // 3600, whole % 3600 // 60
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"
