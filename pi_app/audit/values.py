"""The results of an audit as plain values: their JSON form has the same names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, Self

import msgspec
from msgspec import UNSET, UnsetType

from pi_app.journal.record.entry import PublicPart
from pi_app.text import exit_codes

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
    "dials recorded",
    "dial calibrated",
    "tables in a demo",
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

Verdict = Literal["pass", "fail", "not proven", "not turned"]
"""Of a square. `not proven`: the record is damaged, or the device did not follow the dial."""

FOLLOWED: Final = "T-AUD-5"
"""The rule that every detent is counted. Where the device could not, the square is not proven."""


def is_fault(rule: str) -> bool:
    """Return whether a rule id is about the device or the record's clock, and not about a player."""
    return rule in (FOLLOWED, CLOCK) or rule == DEVICE or rule.startswith("DEV-")


By = Literal["exposed", "triggered", "announced", "shown to all", "table shown", "dials recorded", "tables in a demo"]


class RuleSeen(msgspec.Struct, frozen=True, kw_only=True):
    """One rule inside a finding, with a whole sentence; null while the game is sealed."""

    kind: Kind
    rule: str
    words: str | None


class FindingSeen(msgspec.Struct, frozen=True, kw_only=True):
    """One movement, or another event, with every rule that it broke; or one device fault. `claim`: how certain the
    claim was (`button`, `phone`, `table`), `none` for a turn without one, null if it is not about a turn. `at_s`:
    seconds since the game began. `words`: a whole sentence about all of it, null while the game is sealed."""

    entry: int
    wall: str
    clock: str
    at_s: float
    square: str | None
    seat: str | None
    claim: str | None
    rules: tuple[RuleSeen, ...]
    words: str | None

    @classmethod
    def of(
        cls,
        part: PublicPart,
        at_s: float,
        rules: tuple[RuleSeen, ...],
        words: str | None,
        *,
        square: str | None = None,
        seat: str | None = None,
        claim: str | None = None,
    ) -> Self:
        """Return a finding about an entry."""
        return cls(
            entry=part.seq,
            wall=part.wall,
            clock=part.clock,
            at_s=round(at_s, 3),
            square=square,
            seat=seat,
            claim=claim,
            rules=rules,
            words=words,
        )

    @classmethod
    def about(
        cls, part: PublicPart, at_s: float, kind: Kind, rule: str, words: str | None, *, square: str | None = None
    ) -> Self:
        """Return a finding with one rule that is not about a turn."""
        return cls.of(part, at_s, (RuleSeen(kind=kind, rule=rule, words=words),), words, square=square)

    @property
    def rule_ids(self) -> tuple[str, ...]:
        """The ids of its rules, each once."""
        return tuple(dict.fromkeys(each.rule for each in self.rules))

    @property
    def kinds(self) -> tuple[str, ...]:
        """What was found, each kind once."""
        return tuple(dict.fromkeys(each.kind for each in self.rules))


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


class WordTakenBack(msgspec.Struct, frozen=True, kw_only=True):
    """A typed word that the table took back: the entry of the word, and that of the correction."""

    typed: int
    entry: int
    wall: str
    at_s: float
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
    """Where a dial rested: at set-up or after a turn. `detent`: that of the dial itself, if its start was found and is
    another one than the printed one."""

    square: str
    entry: int
    at_s: float
    position: int
    error_deg: float
    detent: int | UnsetType = UNSET

    @property
    def of_dial(self) -> int:
        """The detent of the dial itself, in every game the same one."""
        return self.position if self.detent is UNSET else self.detent


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
    """A dial as it was read in this game. `start`: in a game whose starts were found, the detent that was position 0;
    null if it was never known."""

    square: str
    table: str
    clicks: int
    absolute: bool
    calibrated: bool
    seated_deg: float | None
    tile: str
    start: int | UnsetType | None = UNSET


class SquareVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """The verdict on one square, and how many findings and device faults there are about it."""

    square: str
    verdict: Verdict
    findings: int
    faults: int


class GameAudit(msgspec.Struct, frozen=True, kw_only=True):
    """One game, `length_s` seconds long. `dealt`: artifact -> the tokens that lay under it first. While it is `sealed`
    it has verdicts, and findings and faults without words; all else is empty then. `findings` are about players,
    `faults` about the device and the record's clock."""

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
    faults: tuple[FindingSeen, ...] = ()
    known: tuple[Known, ...] = ()
    dials: tuple[DialSeen, ...] = ()
    turns: tuple[TurnSeen, ...] = ()
    rests: tuple[RestSeen, ...] = ()
    claims: tuple[ClaimSeen, ...] = ()
    disarm_dice: tuple[int, ...] = ()
    turn_dice: tuple[DieSeen, ...] = ()
    dealt: dict[str, tuple[str, ...]] = {}
    draws: tuple[DrawSeen, ...] = ()
    taken_back: tuple[WordTakenBack, ...] = ()


class DamageSeen(msgspec.Struct, frozen=True, kw_only=True):
    """Where the record is damaged first; the audit stops there. Entry 0: the file as a whole."""

    entry: int
    seen: str


class RecordSeen(msgspec.Struct, frozen=True, kw_only=True):
    """The identity of a record: the hash of its file, its device's fingerprint, its head (null if it is damaged), and
    the sentences of `trapdial journal verify`. `witnessed_until`: a witness saw the entries up to this one."""

    sha256: str
    device: str | None
    head: str | None
    witnesses: int
    witnessed_until: int
    verification: tuple[str, ...]


State = Literal["whole", "interrupted", "damaged", "forked"]


class FileAudit(msgspec.Struct, frozen=True, kw_only=True):
    """One file. `verdict` is the one on the whole file; `state` is the result of `trapdial journal verify`. `damage`:
    where the audit stopped, also if only an event does not fit its game. `against`: a sentence for each witness's head
    that does not fit."""

    verdict: Verdict
    file: str
    state: State
    entries: int
    damage: DamageSeen | None
    games: tuple[GameAudit, ...]
    against: tuple[str, ...] = ()
    record: RecordSeen | None = None

    @property
    def clean(self) -> bool:
        """Whether the file is free of damage, findings and faults."""
        found = any(game.findings or game.faults for game in self.games)
        return self.damage is None and not self.against and not found

    @property
    def exit_code(self) -> int:
        """The exit code of `trapdial audit` (wiring_docs/exit_codes.md)."""
        if self.state in ("damaged", "forked"):
            return EXITS[self.state]
        return EXITS[self.state] if self.clean else exit_codes.FOUND


EXITS: Final[dict[State, int]] = {
    "whole": exit_codes.FINE,
    "interrupted": exit_codes.NO_END,
    "damaged": exit_codes.DAMAGED,
    "forked": exit_codes.FORKED,
}

_WORSE: Final = (exit_codes.FINE, exit_codes.NO_END, exit_codes.FOUND, exit_codes.DAMAGED, exit_codes.FORKED)


def worst(codes: Iterable[int]) -> int:
    """Return the exit code for several files."""
    return max(codes, key=_WORSE.index, default=exit_codes.FINE)


def clock_text(seconds: float) -> str:
    """Return minutes and seconds, `2:05`; from one hour on with hours."""
    whole = int(seconds)
    hours, minutes = whole // 3600, whole % 3600 // 60
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"
