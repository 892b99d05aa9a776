"""Which facts of a square each viewer may see, as one table of data.

VISIBLE is rule section 10.1 (S-1 to S-13). An exposed trap and an exposed clear square are one row for everyone
but the seats that know it, so they give the same bytes (S-6).
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

from pi_app.game.rules import SquareState
from pi_app.game.state import Game, Square


class Audience(enum.Enum):
    """A viewer's relation to one square (rule section 10.1)."""

    KNOWS = "a seat that knows it"
    OTHER = "any other seat"
    PUBLIC = "everyone in the room"
    REFEREE = "referee, staff, auditor"
    LOG = "a reader of the record during the game"

    __hash__ = object.__hash__  # ten times as fast as Enum's own


class Fact(enum.Enum):
    """One fact about a square."""

    STATE = "its public state"
    BY = "who exposed it"
    FACE = "everything on the face"
    NAME = "the trap's name, or clear"
    ATTEMPT = "who tried to disarm it, and how"
    XP_WON = "who disarmed it and the experience won"
    START_OK = "whether set-up found it at its start mark"
    FINDINGS = "audit verdicts"
    HEALTH = "whether its dial answers"

    __hash__ = object.__hash__


class Situation(enum.Enum):
    """The rows of VISIBLE: a square's state; DISARMED depends on whether the trap was ever public, EXPOSED on whether
    it was shown to all (S-8)."""

    CONCEALED = enum.auto()
    EXPOSED = enum.auto()
    SHARED = enum.auto()
    TRIGGERED = enum.auto()
    WITHDRAWN = enum.auto()
    DISARMED_UNSEEN = enum.auto()
    DISARMED_SEEN = enum.auto()
    CLEAR_PUBLIC = enum.auto()

    __hash__ = object.__hash__


A, F, R = Audience, Fact, Situation
_BASE: Final = frozenset({F.STATE})
_LOUD: Final = frozenset({F.STATE, F.BY, F.NAME, F.ATTEMPT})
_STAFF: Final = frozenset({F.START_OK, F.FINDINGS, F.HEALTH})

VISIBLE: Final[dict[tuple[Situation, Audience], frozenset[Fact]]] = {
    (R.CONCEALED, A.OTHER): _BASE,
    (R.CONCEALED, A.PUBLIC): _BASE,
    (R.CONCEALED, A.REFEREE): _BASE | _STAFF,
    (R.CONCEALED, A.LOG): _BASE | {F.FINDINGS},
    (R.EXPOSED, A.KNOWS): frozenset({F.STATE, F.BY, F.FACE, F.ATTEMPT}),
    (R.EXPOSED, A.OTHER): frozenset({F.STATE, F.BY, F.ATTEMPT}),
    (R.EXPOSED, A.PUBLIC): frozenset({F.STATE, F.BY, F.ATTEMPT}),
    (R.EXPOSED, A.REFEREE): frozenset({F.STATE, F.BY, F.ATTEMPT}) | _STAFF,
    (R.EXPOSED, A.LOG): frozenset({F.STATE, F.BY, F.ATTEMPT, F.FINDINGS}),
    (R.SHARED, A.KNOWS): _LOUD | {F.FACE},
    (R.SHARED, A.OTHER): _LOUD | {F.FACE},
    (R.SHARED, A.PUBLIC): _LOUD,
    (R.SHARED, A.REFEREE): _LOUD | _STAFF | {F.FACE},
    (R.SHARED, A.LOG): _LOUD | {F.FINDINGS, F.FACE},
    (R.TRIGGERED, A.KNOWS): _LOUD | {F.FACE},
    (R.TRIGGERED, A.OTHER): _LOUD | {F.FACE},
    (R.TRIGGERED, A.PUBLIC): _LOUD,
    (R.TRIGGERED, A.REFEREE): _LOUD | _STAFF | {F.FACE},
    (R.TRIGGERED, A.LOG): _LOUD | {F.FINDINGS, F.FACE},
    (R.WITHDRAWN, A.KNOWS): _LOUD | {F.FACE},
    (R.WITHDRAWN, A.OTHER): _LOUD | {F.FACE},
    (R.WITHDRAWN, A.PUBLIC): _LOUD,
    (R.WITHDRAWN, A.REFEREE): _LOUD | _STAFF | {F.FACE},
    (R.WITHDRAWN, A.LOG): _LOUD | {F.FINDINGS, F.FACE},
    (R.DISARMED_UNSEEN, A.KNOWS): frozenset({F.STATE, F.NAME, F.XP_WON, F.ATTEMPT}),
    (R.DISARMED_UNSEEN, A.OTHER): frozenset({F.STATE, F.XP_WON, F.ATTEMPT}),
    (R.DISARMED_UNSEEN, A.PUBLIC): frozenset({F.STATE, F.XP_WON, F.ATTEMPT}),
    (R.DISARMED_UNSEEN, A.REFEREE): frozenset({F.STATE, F.XP_WON, F.ATTEMPT}) | _STAFF,
    (R.DISARMED_UNSEEN, A.LOG): frozenset({F.STATE, F.XP_WON, F.ATTEMPT, F.FINDINGS}),
    (R.DISARMED_SEEN, A.KNOWS): frozenset({F.STATE, F.NAME, F.XP_WON, F.ATTEMPT}),
    (R.DISARMED_SEEN, A.OTHER): frozenset({F.STATE, F.NAME, F.XP_WON, F.ATTEMPT}),
    (R.DISARMED_SEEN, A.PUBLIC): frozenset({F.STATE, F.NAME, F.XP_WON, F.ATTEMPT}),
    (R.DISARMED_SEEN, A.REFEREE): frozenset({F.STATE, F.NAME, F.XP_WON, F.ATTEMPT}) | _STAFF,
    (R.DISARMED_SEEN, A.LOG): frozenset({F.STATE, F.NAME, F.XP_WON, F.ATTEMPT, F.FINDINGS}),
    (R.CLEAR_PUBLIC, A.KNOWS): _LOUD | {F.FACE},
    (R.CLEAR_PUBLIC, A.OTHER): _LOUD | {F.FACE},
    (R.CLEAR_PUBLIC, A.PUBLIC): _LOUD,
    (R.CLEAR_PUBLIC, A.REFEREE): _LOUD | _STAFF,
    (R.CLEAR_PUBLIC, A.LOG): _LOUD | {F.FINDINGS},
}
"""(situation, audience) -> the facts that it may see. A pair that is not listed may see nothing."""

del A, F, R

_SITUATIONS: Final = {
    SquareState.CONCEALED: Situation.CONCEALED,
    SquareState.EXPOSED: Situation.EXPOSED,
    SquareState.TRIGGERED: Situation.TRIGGERED,
    SquareState.WITHDRAWN: Situation.WITHDRAWN,
    SquareState.CLEAR_PUBLIC: Situation.CLEAR_PUBLIC,
}


def situation(square: Square) -> Situation:
    """The square's row of VISIBLE."""
    if square.state is SquareState.DISARMED:
        return Situation.DISARMED_SEEN if square.was_triggered or square.shared else Situation.DISARMED_UNSEEN
    if square.state is SquareState.EXPOSED and square.shared:
        return Situation.SHARED
    return _SITUATIONS[square.state]


@dataclass(frozen=True)
class Viewer:
    """A seat (`seat` set) or one of the three common viewers."""

    audience: Audience
    seat: str | None = None

    @cached_property
    def name(self) -> str:
        """The name in front of its lines: `seat ANN`, `public`, `referee`, `log`."""
        return f"{SEAT}{self.seat}" if self.seat is not None else _COMMON_NAMES[self.audience]


SEAT: Final = "seat "
"""Begins the name of a seat's viewer."""

_COMMON_NAMES: Final = {Audience.PUBLIC: "public", Audience.REFEREE: "referee", Audience.LOG: "log"}
PUBLIC: Final = Viewer(Audience.PUBLIC)
REFEREE: Final = Viewer(Audience.REFEREE)
LOG: Final = Viewer(Audience.LOG)
COMMON: Final = (PUBLIC.name, REFEREE.name, LOG.name)
"""Names of the common viewers."""


def viewers(game: Game) -> tuple[Viewer, ...]:
    """All viewers of this game: its seats, then public, referee and log."""
    return _viewers(tuple(game.seats))


@lru_cache(maxsize=16)
def _viewers(seats: tuple[str, ...]) -> tuple[Viewer, ...]:
    return (*(Viewer(Audience.OTHER, seat) for seat in seats), PUBLIC, REFEREE, LOG)


def may_see(square: Square, viewer: Viewer) -> frozenset[Fact]:
    """The facts of this square that this viewer may see now."""
    return seen_as(square, audience(square, viewer))


def seen_as(square: Square, who: Audience) -> frozenset[Fact]:
    return VISIBLE.get((situation(square), who), frozenset())


def audience(square: Square, viewer: Viewer) -> Audience:
    """The viewer's relation to this square now."""
    return Audience.KNOWS if viewer.seat in square.readers else viewer.audience


def language_of(game: Game, viewer: Viewer) -> str:
    """A seat's own language; the table's for the common viewers."""
    return game.language if viewer.seat is None else game.seats[viewer.seat].language
