"""Everything that can happen at a table, as frozen values: the journal keeps them and the game is made of them.

An event holds facts only, with its dice, claims and times, so that the same events always give the same game.
`pi_app.report.visibility` decides which of its facts may be read during the game.

Events are frozen and form no reference cycles: `gc=False` spares Python the search for one.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from pi_app.game import artifacts as art
from pi_app.game.chests import Chest
from pi_app.game.figures import HeroAbility, HeroName, Level, SpeedValue
from pi_app.game.phone_events import PhoneJoined as PhoneJoined
from pi_app.game.phone_events import PhoneLeft as PhoneLeft
from pi_app.game.ruleset import Ability
from pi_app.game.ruleset import Ruleset as Ruleset
from pi_app.game.setups import DialSetup as DialSetup
from pi_app.game.setups import SeatSetup as SeatSetup
from pi_app.game.setups import SquareSetup as SquareSetup
from pi_app.game.setups import Starts as Starts
from pi_app.game.spawn_events import Converted as Converted
from pi_app.game.treasure_events import Activated as Activated
from pi_app.game.treasure_events import ChestTried as ChestTried
from pi_app.game.treasure_events import Drawn as Drawn
from pi_app.game.treasure_events import Earned as Earned
from pi_app.game.treasure_events import Refreshed as Refreshed
from pi_app.game.treasure_events import TokenMoved as TokenMoved
from pi_app.game.treasure_events import Way as Way
from pi_app.journal.record.happenings import ClockCorrected as ClockCorrected
from pi_app.journal.record.happenings import Ended as Ended
from pi_app.journal.record.happenings import Event
from pi_app.text.sealed import PartlySealed, Sealed

Grade = Literal["button", "phone", "table"]
"""How sure a claim is: by the seat's button, its phone, or the table's command line."""

Purpose = Literal["expose", "trigger"]

How = Literal["said", "device"]
"""Who rolled: a player, whose number was typed; or the device."""

Cause = Literal["entered", "diagonal", "shockwave", "other"]
"""Why a trap went off (T-TRG-1, T-TRG-3, A-SHW-1). A failed disarm is part of `DisarmTried`."""

Verb = Literal["pass", "enter", "hits", "start", "shockwave", "break"]
"""What a figure did, by the command that records it."""

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
"""What a dial's hardware reports besides its angle."""


Opened = Literal["table", "samples", "calibrated", "demo"]
"""How a secret of a running game was opened: a trap table was shown, the dials' samples were recorded, a dial was
calibrated, or a demo played with the table's own trap tables."""


class Motion(Sealed, msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """How a dial moved from one rest to the next, and the samples behind that.

    `clicks` is signed, counter-clockwise positive, whole turns counted; None when uncertain: the path is unknown, or
    the dial rested between two detents before. A position is None when the dial rested between two detents (`between`
    names them at the end). `while_off`: the position changed while the program was off."""

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
    """A game begins with these seats, squares and rules. `shuffled`: its trap tables were shuffled and are in no
    file. `starts`: each dial's position is counted from where it stood (`SquareSetup.start`)."""

    version: str
    table_name: str
    simulated: bool
    ruleset: Ruleset
    seats: tuple[SeatSetup, ...]
    squares: tuple[SquareSetup, ...]
    language: str = "en"
    """The language of public, referee and log."""
    chests: tuple[Chest, ...] = ()
    shuffled: bool = False
    artifacts: art.Laid | None = None
    starts: Literal["found"] | msgspec.UnsetType = msgspec.UNSET


class SetupChecked(Event, frozen=True, kw_only=True, tag="set-up checked"):
    """The position of every dial when set-up was checked (T-AUD-1), or None if it was unknown; and the raw angles, of
    dials that do not count steps."""

    stands: dict[str, int | None]
    raws: dict[str, int | None] = msgspec.field(default_factory=dict)


class Claimed(Event, frozen=True, kw_only=True, tag="claimed"):
    """A seat claims the next dial that moves. Only a Hero exposes (T-EXP-1), at no cost and as often as its player
    likes (T-EXP-3, T-EXP-8). The players check where the Hero stands and faces."""

    seat: str
    grade: Grade


class ClaimDropped(Event, frozen=True, kw_only=True, tag="claim dropped"):
    """A claim ended without a turn. "unclear": its dial is unknown (moved too soon, between samples, two at once)."""

    seat: str
    why: Literal["taken back", "ran out", "unclear"]


class Rolled(PartlySealed, Event, frozen=True, kw_only=True, tag="rolled"):
    """A roll for the seat's turn (T-EXP-4); a later one corrects it. `square`: the turn's, once a dial has moved."""

    _open = ("square", "seat")
    _hidden = "die"
    seat: str
    square: str | None
    die: Annotated[int, Meta(ge=1, le=6)]
    how: How
    grade: Grade


class Bound(Event, frozen=True, kw_only=True, tag="dial moves"):
    """The first dial moved under a claim: the claim is bound to its square."""

    seat: str
    square: str


class Turned(Event, frozen=True, kw_only=True, tag="turned", omit_defaults=True):
    """A dial was turned. `seat` is the claim's, or None without a claim. `turns`: the turns without a claim that this
    entry joins; its clicks are the sum of theirs."""

    square: str
    motion: Motion
    seat: str | None
    purpose: Purpose | None
    grade: Grade | None
    turns: int = 1


class Exposed(Event, frozen=True, kw_only=True, tag="exposed"):
    """A seat learns a square without turning it: a second Hero exposes it (T-EXP-11), or an unclaimed turn is
    credited."""

    seat: str
    square: str
    grade: Grade
    figure: str = ""
    anyway: bool = False
    """Here as in other events: it happened against the rules (`pi_app.game.objections`)."""


class Shared(Event, frozen=True, kw_only=True, tag="shown to all"):
    """A seat has a square that it exposed shown to all, where the table allows that (S-8)."""

    seat: str
    square: str


class Moved(Event, frozen=True, kw_only=True, tag="moved"):
    """A move that was typed: its words and its numbers, in order. With the game as it stood it gives the same sentences
    again (`pi_app.game.moves`). `who` is a figure, `by` the seat that moves one that is no Hero; `speed`: the points
    that it had left, if typed."""

    square: str
    verb: Verb
    who: str
    added: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()
    speed: int | None = None
    by: str = ""
    how: How = "said"
    anyway: bool = False


class Looked(Event, frozen=True, kw_only=True, tag="looked"):
    """A seat looked again at a square that it knows (T-EXP-10) or that is public (T-TRG-9). `grade`: "phone", if it
    looked at its phone."""

    seat: str
    square: str
    grade: Literal["phone"] | msgspec.UnsetType = msgspec.UNSET


class Triggered(Event, frozen=True, kw_only=True, tag="triggered"):
    """A figure of a seat sets a square off (also: T-TRG-2, T-TRG-14). A concealed square's dial must be turned first
    (T-TRG-7). `figure` as in `figure_of`; `added`: the words of its move that change the effect on it. `by_move`: it
    follows from the move that was recorded just before."""

    seat: str
    square: str
    cause: Cause
    figure: str = ""
    added: tuple[str, ...] = ()
    by_move: bool = False
    anyway: bool = False


class DisarmTried(PartlySealed, Event, frozen=True, kw_only=True, tag="disarm tried"):
    """A disarm attempt. Its points are spent either way (T-DIS-11). The order: pay, fix an open number, roll, compare
    (T-DIS-13). The plus die counts only for an `N+` that is not yet fixed (T-DIS-6). Until the trap is public it is
    always rolled: asking for it only then would reveal what is printed. 0: it was not rolled."""

    _open = ("square", "seat", "way", "figure")
    _hidden = "dice"
    seat: str
    square: str
    way: Way
    dice: tuple[int, int]
    plus_die: int = 0
    figure: str = ""
    abilities: tuple[Ability, ...] = ()
    """The Hero's that may help (T-DIS-9): Stealth (A-STL-1), Nimble (A-NIM-2), Sneak Attack (A-SNK-1), Dodge."""
    speed: int | None = None
    """The points that it had left, if typed (T-DIS-12)."""
    how: How = "said"
    anyway: bool = False


class JawsAnswered(Event, frozen=True, kw_only=True, tag="jaws answered"):
    """How the counterattack on the Jaws of Doom ended (E-JAW-5, E-JAW-7)."""

    square: str
    harmed: bool
    anyway: bool = False


class DialLost(Event, frozen=True, kw_only=True, tag="dial lost", omit_defaults=True):
    """Reading a dial fails. `trouble` names the kind of failure, never an angle. With `times` it was lost so often
    within `over_s` seconds, and still does not count as read."""

    square: str
    trouble: str
    times: int = 1
    over_s: float = 0.0


class DialBack(Event, frozen=True, kw_only=True, tag="dial back", omit_defaults=True):
    """A dial responds again. Its movements meanwhile were not sampled. With `times` it was lost so often within
    `over_s` seconds, for `unseen_s` in all."""

    square: str
    unseen_s: float
    times: int = 1
    over_s: float = 0.0


class DialNoted(Event, frozen=True, kw_only=True, tag="dial noted"):
    """A dial's hardware reports a new condition. `other`: the square whose lead is likely swapped with its own, or
    whose tile may be on it. `times`: how often it was bad since the last report of that part, if more than once."""

    square: str
    condition: Condition
    other: str | None = None
    times: int | msgspec.UnsetType = msgspec.UNSET


class Homed(Event, frozen=True, kw_only=True, tag="homed"):
    """The referee confirms that a dial which only counts steps is at its start mark. `start`: the device took the
    detent where the dial stands as its start, in a game whose starts are found."""

    square: str
    start: int | msgspec.UnsetType = msgspec.UNSET


class CountLost(Event, frozen=True, kw_only=True, tag="count lost"):
    """A dial that only counts steps lost power: its count restarted from an unknown position."""

    square: str


class TableShown(Event, frozen=True, kw_only=True, tag="table shown"):
    """A secret of the running game was opened outside it (S-9, S-12); `table`: the trap table that was shown."""

    table: str = ""
    how: Opened = "table"


class HeroNamed(Event, frozen=True, kw_only=True, tag="hero named"):
    """A seat has this Hero, or its Hero changed: its abilities, its speed value, its level."""

    seat: str
    name: HeroName
    abilities: tuple[HeroAbility, ...] = ()
    speed: SpeedValue | None = None
    level: Level = 1


class Fallen(Event, frozen=True, kw_only=True, tag="hero fallen"):
    """A Hero is out of the game, and with it its ability from a token (AR-ABL-4)."""

    seat: str
    figure: str


class Undone(Event, frozen=True, kw_only=True, tag="taken back"):
    """The last word typed at the table is taken back: the game is as it was before it. Both stay in the record."""

    line: str


class Resumed(Event, frozen=True, kw_only=True, tag="resumed"):
    """The program restarted and resumed this game."""

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
    | Converted
    | HeroNamed
    | Fallen
    | PhoneJoined
    | PhoneLeft
    | Undone
    | Resumed
    | Ended
)

FigureEvent = Triggered | DisarmTried | Exposed | ChestTried | Drawn | TokenMoved | Activated


def figure_of(event: FigureEvent) -> str:
    """The figure that acts: a Hero's name, a kind of other figures, or the seat of a Hero without a name."""
    return event.figure or event.seat


_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[AnyEvent] = msgspec.json.Decoder(AnyEvent)


def to_json(event: AnyEvent) -> bytes:
    """The event as compact JSON, every fact in it. This is the sealed part of a journal entry."""
    return _encoder.encode(event)


def from_json(data: bytes) -> AnyEvent:
    """The event in such JSON. Raises msgspec.MsgspecError (DecodeError, ValidationError) for anything else."""
    return _decoder.decode(data)
