"""The events at a table of rotating rooms, as frozen values. None of them is secret (D-OBJ-5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from pi_app.journal.record.happenings import ClockCorrected as ClockCorrected
from pi_app.journal.record.happenings import Ended as Ended
from pi_app.journal.record.happenings import Event

Arrow = Literal[1, -1]
"""The direction of a room's arrow: 1 clockwise, -1 counter-clockwise."""

Use = Literal["move", "fight", "ability", "jump"]
"""Uses of one action point besides revealing and turning a room (D-AP-2)."""


class Ruleset(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """This table's choices where the rules are silent (section 16.8)."""

    reveal: Literal["zero", "stands"] = "zero"
    first_cycle: Literal["both", "own"] = "both"


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


class Started(Event, frozen=True, kw_only=True, tag="started"):
    """A game begins; all rooms lie face down."""

    version: str
    table_name: str
    simulated: bool
    ruleset: Ruleset
    players: tuple[PlayerSetup, ...]
    squares: tuple[RoomSetup, ...]


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
    with `remote` its pair (D-ROT-5). `mekanork`: it may turn either way (D-ROT-13)."""

    seat: str
    square: str
    remote: bool = False
    mekanork: bool = False


class Spent(Event, frozen=True, kw_only=True, tag="spent"):
    """The player spent one action point without moving a room (D-AP-2)."""

    seat: str
    use: Use


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


class RoomBack(Event, frozen=True, kw_only=True, tag="room back"):
    """A room's dial responds again, and stands at 0 to 3, if that is known. Its moves in between are unknown."""

    square: str
    stands: int | None


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
    | Rotated
    | RoomBetween
    | SetRight
    | RoomLost
    | RoomBack
    | Resumed
    | ClockCorrected
    | Ended
)
