"""Everything that can happen at a table, as frozen values: what the journal keeps and the game is made of.

An event holds facts only. Dice, claims and times that matter are in it, so that the same events always
give the same game. What of an event may be read during the game is decided in `pi_app.report.visibility`, not here.

Events are frozen, and hold no way back to themselves: `gc=False` spares Python the search for one.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from pi_app.game import artifacts as art
from pi_app.game import tokens
from pi_app.game.chests import Chest
from pi_app.game.experience import Deed, Means, Prey
from pi_app.game.ruleset import Ability
from pi_app.game.ruleset import Ruleset as Ruleset
from pi_app.game.trap_table import TrapTable
from pi_app.journal.record.happenings import ClockCorrected as ClockCorrected
from pi_app.journal.record.happenings import Ended as Ended
from pi_app.journal.record.happenings import Event
from pi_app.text.sealed import PartlySealed, Sealed

Grade = Literal["button", "phone", "table"]
"""How sure a claim is: the seat's own button, confirmed on the seat's phone (nothing writes that yet), or spoken for by
the table's command line."""

Purpose = Literal["expose", "trigger"]

Way = Literal["quick", "slow"]

How = Literal["said", "device"]
"""Who rolled: a hand at the table, and somebody said the number; or the device."""

Cause = Literal["entered", "diagonal", "shockwave", "other"]
"""Why a trap went off (T-TRG-1, T-TRG-3, A-SHW-1). A failed disarm is part of `DisarmTried`."""

Verb = Literal["pass", "enter", "hits", "start", "shockwave", "break"]
"""What a figure did, as the table's words say it."""


Condition = Literal[
    "magnet too weak",
    "magnet too strong",
    "magnet good",
    "angle hops",
    "angle stands still",
    "leads likely swapped",
    "another tile",
    "tile not verified",
    "tile does not fit",
    "tile verified",
    "tile accepted",
]
"""What a dial's own parts say, beside its angle."""


class DialSetup(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """How a dial is read in this game: the raw angle of each position, 0 to clicks-1, in whole counts. `calibrated`:
    they were learnt from this dial; else they are even. `seated`: counts from a centre within which a dial is seated.
    `tile`: the number of the tile that they were learnt from, if its memory gave one."""

    centres: tuple[int, ...]
    counts_per_turn: int = 4096
    seated: int = 90
    invert: bool = False
    calibrated: bool = False
    tile: str = ""


class SquareSetup(Sealed, msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """One square at the start of a game. Which table it holds is a secret (S-9). Not `absolute`: its dial only counts
    steps, from wherever it stood when it was switched on, and has no `dial`."""

    label: str
    table: TrapTable
    absolute: bool = True
    dial: DialSetup | None = None


class SeatSetup(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One player's place."""

    seat: str
    name: str
    language: str = "en"


class Motion(Sealed, msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """How a dial moved from one rest to the next, and the samples behind that.

    `clicks` is signed, counter-clockwise positive, whole turns counted; None when they are not certain: the path is
    unknown, or the dial rested between two detents before.
    A position is None when the dial rested between two detents (`between` names them at the end). `while_off`: it
    stands elsewhere than when the program last ran, so (some of) the movement was made while nobody looked.
    """

    from_position: int | None
    to_position: int | None
    clicks: int | None
    between: tuple[int, int] | None = None
    start_ns: int = 0
    end_ns: int = 0
    start_raw: int | None = None
    end_raw: int | None = None
    samples: int = 0
    failed_reads: int = 0
    longest_gap_ns: int = 0
    while_off: bool = False


class Started(Event, frozen=True, kw_only=True, tag="started"):
    """A game begins: who sits where, which squares there are, which rules hold. `shuffled`: its trap tables were dealt
    anew, they stand in no file."""

    version: str
    table_name: str
    simulated: bool
    ruleset: Ruleset
    seats: tuple[SeatSetup, ...]
    squares: tuple[SquareSetup, ...]
    language: str = "en"
    """What public, referee and log are told in."""
    chests: tuple[Chest, ...] = ()
    shuffled: bool = False
    artifacts: art.Laid | None = None


class SetupChecked(Event, frozen=True, kw_only=True, tag="set-up checked"):
    """Where every dial stood when set-up was checked (T-AUD-1): a position, or None if it could not be told; and the
    angles behind that, of dials that are not counting steps."""

    stands: dict[str, int | None]
    raws: dict[str, int | None] = msgspec.field(default_factory=dict)


class Claimed(Event, frozen=True, kw_only=True, tag="claimed"):
    """A seat says: the next dial that moves is mine to read. Only a Hero exposes (T-EXP-1), for nothing and as often as
    its player likes (T-EXP-3, T-EXP-8). Where it stands and looks, the players see to."""

    seat: str
    grade: Grade


class ClaimDropped(Event, frozen=True, kw_only=True, tag="claim dropped"):
    """A claim ended without a turn. "unclear": nobody can say which dial it was about: one moved too soon
    or while no sample could be taken, or two moved at once."""

    seat: str
    why: Literal["taken back", "ran out", "unclear"]


class Rolled(PartlySealed, Event, frozen=True, kw_only=True, tag="rolled"):
    """What a seat's player rolled for the turn in hand (T-EXP-4), 1 to 6. Said again, it corrects what was said before.
    `square`: what the turn is about, if a dial has moved. `grade`: who asked for it."""

    _open = ("square", "seat")
    _hidden = "die"

    seat: str
    square: str | None
    die: Annotated[int, Meta(ge=1, le=6)]
    how: How
    grade: Grade


class Bound(Event, frozen=True, kw_only=True, tag="dial moves"):
    """The first dial that moved under a claim: from now on the claim is about this square."""

    seat: str
    square: str


class Turned(Event, frozen=True, kw_only=True, tag="turned"):
    """A dial was turned. `seat` is whose claim it was, or None if nobody had claimed it."""

    square: str
    motion: Motion
    seat: str | None
    purpose: Purpose | None
    grade: Grade | None


class Exposed(Event, frozen=True, kw_only=True, tag="exposed"):
    """A seat comes to know a square without turning its dial: a second Hero exposes it (T-EXP-11), or the
    table credits a turn that nobody had claimed."""

    seat: str
    square: str
    grade: Grade
    anyway: bool = False
    """Here as in other events: the rules are against it, and it happened (`pi_app.game.objections`)."""


class Shared(Event, frozen=True, kw_only=True, tag="shown to all"):
    """A seat that exposed a square has it shown to all, where the table allows that (S-8)."""

    seat: str
    square: str


class Moved(Event, frozen=True, kw_only=True, tag="moved"):
    """A move that somebody told the table: the words of that line, and its dice. With the game as it stood it gives the
    same sentences again (`pi_app.game.moves`). `who` is a seat or a kind of figure; `numbers` stand in the order in
    which they are said; `speed`: the points that the figure had left, if that was said."""

    square: str
    verb: Verb
    who: str
    added: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()
    speed: int | None = None
    how: How = "said"
    anyway: bool = False


class Looked(Event, frozen=True, kw_only=True, tag="looked"):
    """A seat looked again at a square that it knows (T-EXP-10) or that is open to all (T-TRG-9)."""

    seat: str
    square: str


class Triggered(Event, frozen=True, kw_only=True, tag="triggered"):
    """A Hero sets a square off (T-TRG-2 and T-TRG-14 say how else). On a concealed square the dial must be turned first
    (T-TRG-7)."""

    seat: str
    square: str
    cause: Cause
    anyway: bool = False


class DisarmTried(PartlySealed, Event, frozen=True, kw_only=True, tag="disarm tried"):
    """A disarm attempt. Its points are spent either way (T-DIS-11). The order: pay, fix an open number, roll, compare
    (T-DIS-13). The plus die is always rolled with it and counts only for an `N+` that is not yet fixed (T-DIS-6);
    asking for it only then would tell everyone what is printed."""

    _open = ("square", "seat", "way")
    _hidden = "dice"

    seat: str
    square: str
    way: Way
    dice: tuple[int, int]
    plus_die: int
    abilities: tuple[Ability, ...] = ()
    """Those of the Hero that may add to the roll (T-DIS-9): Stealth, Nimble, Sneak Attack, Dodge (A-STL-1, A-NIM-2,
    A-SNK-1)."""
    speed: int | None = None
    """The points that it had left, if that was said (T-DIS-12)."""
    how: How = "said"
    anyway: bool = False


class JawsAnswered(Event, frozen=True, kw_only=True, tag="jaws answered"):
    """How the counterattack on the Jaws of Doom ended (E-JAW-5, E-JAW-7)."""

    square: str
    harmed: bool
    anyway: bool = False


class DialLost(Event, frozen=True, kw_only=True, tag="dial lost"):
    """A dial no longer answers. `trouble` names the kind, never an angle."""

    square: str
    trouble: str


class DialBack(Event, frozen=True, kw_only=True, tag="dial back"):
    """A dial answers again. Whatever it did meanwhile was not seen."""

    square: str
    unseen_s: float


class DialNoted(Event, frozen=True, kw_only=True, tag="dial noted"):
    """A dial's own parts say something new of themselves. `other`: with which square's its lead is likely swapped, or
    whose tile may be on it."""

    square: str
    condition: Condition
    other: str | None = None


class Homed(Event, frozen=True, kw_only=True, tag="homed"):
    """The referee says that a dial which only counts steps stands at its start mark now."""

    square: str


class CountLost(Event, frozen=True, kw_only=True, tag="count lost"):
    """A dial that only counts steps was without power: it counts anew, and nobody knows from where."""

    square: str


class TableShown(Event, frozen=True, kw_only=True, tag="table shown"):
    """Somebody had a trap table of the running game printed (S-9, S-12)."""

    table: str


class Earned(Event, frozen=True, kw_only=True, tag="experience"):
    """The table says that a player gains experience, and for what. Whether it counts is the ruling's business (R-XP-1,
    R-XP-2). `chest` is the number of the chest that went off."""

    seat: str
    xp: Annotated[int, Meta(ge=-999, le=999)]
    deed: Deed
    means: Means = "attack"
    prey: Prey = "spawn"
    chest: int | None = None


class ChestTried(Event, frozen=True, kw_only=True, tag="chest tried"):
    """A disarm attempt at a chest's trap. Two dice, and always a third, as in `DisarmTried`."""

    seat: str
    chest: int
    way: Way
    dice: tuple[int, int]
    plus_die: int


class Drawn(PartlySealed, Event, frozen=True, kw_only=True, tag="token drawn"):
    """A seat drew a token from under an artifact (AR-USE-4). Which one is sealed; the colour everyone sees."""

    _open = ("artifact", "seat")
    _hidden = "token"

    seat: str
    artifact: str
    colour: tokens.TokenColour
    token: Annotated[int, Meta(ge=0, lt=tokens.MOST_KINDS)]


class TokenMoved(Event, frozen=True, kw_only=True, tag="token moved"):
    """A seat keeps the token that it drew, puts it back, or loses its ability with its figure (AR-ABL-4)."""

    seat: str
    way: art.TokenMove


class Refreshed(Sealed, Event, frozen=True, kw_only=True, tag="artifacts refreshed"):
    """All artifacts got tokens from the piles again (AR-REF-1); which ones is sealed."""

    seat: str
    dealt: art.Dealt


class Activated(Event, frozen=True, kw_only=True, tag="activated"):
    """A Hero of this seat begins its activation: it may use an artifact (AR-GEN-2)."""

    seat: str


class Resumed(Event, frozen=True, kw_only=True, tag="resumed"):
    """The program was started again and went on with this game."""

    version: str


AnyEvent = (
    Started
    | SetupChecked
    | Claimed
    | ClaimDropped
    | Rolled
    | Bound
    | Turned
    | Exposed
    | Shared
    | Moved
    | Looked
    | Triggered
    | DisarmTried
    | JawsAnswered
    | DialLost
    | DialBack
    | DialNoted
    | Homed
    | CountLost
    | TableShown
    | ClockCorrected
    | Earned
    | ChestTried
    | Drawn
    | TokenMoved
    | Refreshed
    | Activated
    | Resumed
    | Ended
)

_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[AnyEvent] = msgspec.json.Decoder(AnyEvent)


def to_json(event: AnyEvent) -> bytes:
    """The event as compact JSON, every fact in it. This is the sealed part of a journal entry."""
    return _encoder.encode(event)


def from_json(data: bytes) -> AnyEvent:
    """The event again. Raises msgspec.MsgspecError (DecodeError, ValidationError) for anything else."""
    return _decoder.decode(data)
