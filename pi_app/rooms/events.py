"""The events at a table of rotating rooms, as frozen values. Only a combat card that lies face down is
secret (D-CMB-2); tokens are open (D-OBJ-5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final, Literal, get_args

import msgspec

from pi_app.journal.record.happenings import ClockCorrected as ClockCorrected
from pi_app.journal.record.happenings import Ended as Ended
from pi_app.journal.record.happenings import Event
from pi_app.text.sealed import PartlySealed

Arrow = Literal[1, -1]
"""The direction of a room's arrow: 1 clockwise, -1 counter-clockwise."""

Use = Literal["move", "fight", "ability", "jump"]
"""Uses of one action point besides revealing and turning a room (D-AP-2)."""


OtherSource = Literal["D-ROT-12", "D-ROT-13", "D-AP-4", "D-CRD-1", "D-CRD-6"]
"""The rules here that the help does not have: they come from other public sources, and each may be left out."""

OTHER_SOURCES: Final[tuple[OtherSource, ...]] = get_args(OtherSource)


class Ruleset(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """This table's choices where the rules are silent (section 16.8). `combat_cards`: the values of each player's
    combat cards; empty: they are not counted. `other_sources`: the rules that it follows though the help does not have
    them."""

    reveal: Literal["zero", "stands"] = "zero"
    first_cycle: Literal["both", "own"] = "both"
    combat_cards: tuple[int, ...] = ()
    other_sources: tuple[OtherSource, ...] = OTHER_SOURCES


class RoomPlan(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The print of a room: the number it shares with its pair, and its arrow (D-ROT-1, D-ROT-4)."""

    pair: int
    arrow: Arrow


class RoomSetup(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One room at the start of a game. `table` is its print, which the record commits to."""

    label: str
    table: RoomPlan


class PlayerSetup(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One of the players, in the order in which they play."""

    seat: str
    name: str


class CharacterSetup(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A kind of character, of which each player has one: its speed (D-MOV-1) and combat value (D-CMB-2)."""

    kind: str
    speed: int
    value: int


class ObjectSetup(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """An object, of which each player's colour has one. `activated`: its effect needs a point, and it leaves the game
    when it is used (D-OBJ-6). `attack` and `defence` add to its carrier's combat value."""

    name: str
    activated: bool = False
    attack: int = 0
    defence: int = 0


class Started(Event, frozen=True, kw_only=True, tag="started"):
    """A game begins; all rooms lie face down."""

    version: str
    table_name: str
    simulated: bool
    ruleset: Ruleset
    players: tuple[PlayerSetup, ...]
    squares: tuple[RoomSetup, ...]
    characters: tuple[CharacterSetup, ...] = ()
    objects: tuple[ObjectSetup, ...] = ()


class DialsChecked(Event, frozen=True, kw_only=True, tag="checked"):
    """Where dials were first seen standing, 0 to 3; None if that is not known yet."""

    stands: Mapping[str, int | None]


class CardPlayed(Event, frozen=True, kw_only=True, tag="card"):
    """A player's turn begins with an action card of so many action points (D-AP-1, D-CRD-2)."""

    seat: str
    points: int


class Revealed(Event, frozen=True, kw_only=True, tag="revealed"):
    """The player turns a room face up, for one action point (D-REV-1). `stands`: where its dial stands, 0 to 3, if that
    is known."""

    seat: str
    square: str
    stands: int | None


class Geared(Event, frozen=True, kw_only=True, tag="geared"):
    """An unwounded character of the player (D-ROT-11) stands on this room's gear (D-ROT-2), and means to turn it, or
    with `remote` its pair (D-ROT-5). `mekanork`: it may turn either way (D-ROT-13). `character`: its key, if the table
    names its characters."""

    seat: str
    square: str
    remote: bool = False
    mekanork: bool = False
    character: str | None = None


class Spent(Event, frozen=True, kw_only=True, tag="spent"):
    """The player spent one action point without moving a room (D-AP-2)."""

    seat: str
    use: Use
    character: str | None = None


class CharacterMoved(Event, frozen=True, kw_only=True, tag="moved"):
    """A character moved, for one action point (D-MOV-1), to a room, with `on_gear` to its gear, or to its own starting
    line; empty `to`: the place is not known. `steps`: the number of squares, if it was typed."""

    seat: str
    character: str
    to: str = ""
    on_gear: bool = False
    steps: int | None = None


class Carried(Event, frozen=True, kw_only=True, tag="carried"):
    """A character picked up an object or a wounded character, or put down what it carried (`what` is None); on a pit
    trap with `pit`. Free (D-AP-3)."""

    seat: str
    character: str
    what: str | None = None
    pit: bool = False


class Swapped(Event, frozen=True, kw_only=True, tag="swapped"):
    """Two characters of one player gave each other what they carried. Free (D-OBJ-2)."""

    seat: str
    character: str
    other: str


class ObjectUsed(Event, frozen=True, kw_only=True, tag="object used"):
    """A character used the object that it carries, for one action point; the object leaves the game (D-OBJ-6)."""

    seat: str
    character: str


class ExitReached(Event, frozen=True, kw_only=True, tag="exit"):
    """A character moved onto the opponent's starting line, for one action point, and is out (D-EXT-1)."""

    seat: str
    character: str


class CombatBegun(Event, frozen=True, kw_only=True, tag="combat"):
    """A combat begins, for one action point (D-CMB-1). All characters that take part are named (D-CMB-6)."""

    seat: str
    attackers: tuple[str, ...]
    defenders: tuple[str, ...]


class CombatCardPlayed(PartlySealed, Event, frozen=True, kw_only=True, tag="combat card"):
    """A player's combat card lies face down (D-CMB-2). Only that player knows which one, until both lie there."""

    _open: ClassVar[tuple[str, ...]] = ("seat",)
    _hidden: ClassVar[str] = "card"

    seat: str
    card: int


class Tended(Event, frozen=True, kw_only=True, tag="tended"):
    """A player reported that a character is wounded, or well again. A correction, or the result of an ability."""

    character: str
    wounded: bool


class WordUndone(Event, frozen=True, kw_only=True, tag="word taken back"):
    """The last typed word was a mistake, and is taken back. The record keeps both."""

    word: str


class TurnEnded(Event, frozen=True, kw_only=True, tag="turn ended"):
    """The player's turn is over; what was not spent is lost (D-AP-4)."""

    seat: str


class Motion(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """How one room was turned from one seated rest to the next: signed quarter turns, clockwise positive, all of them
    counted; None for an unknown path. `stands`: its dial's position at the end, 0 to 3."""

    room: str
    quarters: int | None
    stands: int
    start_ns: int = 0
    end_ns: int = 0


class Rotated(Event, frozen=True, kw_only=True, tag="rotated"):
    """Rooms were turned: usually one; several if they moved at the same time (D-AUD-6)."""

    motions: tuple[Motion, ...]


class RoomBetween(Event, frozen=True, kw_only=True, tag="room between"):
    """A room rests between two positions: it is not seated, and its turn is not over (D-ROT-9)."""

    square: str


class SetRight(Event, frozen=True, kw_only=True, tag="set right"):
    """A player reported how a room lies: `q` quarter turns clockwise from where it was revealed, 0 to 3 (D-REV-6). A
    correction, not a turn."""

    square: str
    q: int


class RoomLost(Event, frozen=True, kw_only=True, tag="room lost"):
    """A room's dial does not respond. `trouble` names the kind."""

    square: str
    trouble: str


class RoomBack(Event, frozen=True, kw_only=True, tag="room back", omit_defaults=True):
    """A room's dial responds again, and stands at 0 to 3, if that is known. Its moves in between are unknown. `times`:
    how often it was lost until then, if it came and went."""

    square: str
    stands: int | None
    times: int = 1


class Resumed(Event, frozen=True, kw_only=True, tag="resumed"):
    """The program was restarted, and the game continues. `version`: the program's; `stands`: where the dials stand."""

    version: str
    stands: Mapping[str, int | None]


AnyEvent = (
    Started
    | DialsChecked
    | CardPlayed
    | Revealed
    | Geared
    | Spent
    | TurnEnded
    | CharacterMoved
    | Carried
    | Swapped
    | ObjectUsed
    | ExitReached
    | CombatBegun
    | CombatCardPlayed
    | Tended
    | WordUndone
    | Rotated
    | RoomBetween
    | SetRight
    | RoomLost
    | RoomBack
    | Resumed
    | ClockCorrected
    | Ended
)

Word = (
    CardPlayed
    | Revealed
    | Geared
    | Spent
    | TurnEnded
    | CharacterMoved
    | Carried
    | Swapped
    | ObjectUsed
    | ExitReached
    | CombatBegun
    | CombatCardPlayed
    | Tended
    | SetRight
)
"""The events of typed words that can be taken back."""
