"""The interface between a journal and a game: one `Play` for each game.

The journal depends on no game. A `Play` has the types of a game's events, and computes the moment after each.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final, Generic, Protocol, Self, TypeVar

import msgspec

from pi_app.journal.record.entry import SquareContent
from pi_app.journal.record.happenings import ClockCorrected, Event

LOG: Final = "log"
"""The viewer who reads the record during a game."""

RULESET: Final = "ruleset"
STANDS: Final = "stands"
SQUARE: Final = "square "
"""The names of the commitments and their salts; the last one is followed by the square's label."""


class RecordedMoment(Protocol):
    """A game after some events. One digest is over what everybody may see, the other over what each seat may see."""

    @property
    def common_digest(self) -> str: ...

    @property
    def seats_digest(self) -> str: ...

    def news(self, viewer: str, before: Self) -> tuple[str, ...]:
        """Return the sentences that are new for this viewer since an earlier moment."""


M = TypeVar("M", bound=RecordedMoment)
E = TypeVar("E", bound=Event)


@dataclass(frozen=True, eq=False)
class Play(Generic[M, E]):
    """One kind of game. `name` is its name in the public halves; None for Mage Knight's, which have none.

    `nothing` is the moment before a game, `advance` computes the one after an event. `events` is the type of the
    events. `square_of`: the square of an event that the log viewer may know. `promises`: the values that an event
    commits to, by name. `shown`: the content of its square afterwards.

    Of the event that starts a game, `room` says how long its own sealed text may get, and `lengths` how long the one of
    each kind of later event may get, so that no length reveals a secret. `longest_shown`: the bytes of the longest
    content that `shown` could have now, whichever square it is about; 0 if it has none.
    """

    name: str | None
    nothing: M
    advance: Callable[[M, E | ClockCorrected], M]
    events: Any
    square_of: Callable[[E | ClockCorrected], str | None]
    promises: Callable[[E | ClockCorrected], Mapping[str, object]]
    shown: Callable[[E | ClockCorrected, M], SquareContent | None]
    room: Callable[[E | ClockCorrected], int]
    lengths: Callable[[E | ClockCorrected], Mapping[str, int]]
    longest_shown: Callable[[M], int]


def kind_of(event: Event) -> str:
    """Return the name of an event in the record."""
    return str(event.__struct_config__.tag)


_HOMES: Final[Mapping[str | None, str]] = {
    None: "pi_app.play.mage_knight:MAGE_KNIGHT",
    "rooms": "pi_app.rooms.report:ROOMS",
}
"""The `Play` of each name, imported when a record needs it."""


def read_event(play: str | None, data: bytes) -> None:
    """Decode an event; accept any event of an unknown game. Raises msgspec.MsgspecError."""
    if play in _HOMES:
        _decoder(play).decode(data)


@functools.cache
def _decoder(play: str | None) -> msgspec.json.Decoder[object]:
    module, name = _HOMES[play].split(":")
    return msgspec.json.Decoder(getattr(import_module(module), name).events)
