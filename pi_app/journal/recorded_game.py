"""What a record asks of the game that is played into it: one `Play` for each game, handed to the journal.

The journal, the record and the dials know no game. A game is a value that knows its events, and gives the moment after
each.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final, Generic, Protocol, Self, TypeVar

import msgspec

from pi_app.journal.record.entry import Shown
from pi_app.journal.record.happenings import ClockCorrected, Event

LOG: Final = "log"
"""Name of the viewer who reads the record during a game."""

RULESET: Final = "ruleset"
STANDS: Final = "stands"
SQUARE: Final = "square "
"""Names of what is promised, and of its salts; behind the last one stands the square's label."""


class Moment(Protocol):
    """A game after some events. The digests are over what everybody may see, and over what each seat may see."""

    @property
    def common_digest(self) -> str: ...

    @property
    def seats_digest(self) -> str: ...

    def news(self, viewer: str, before: Self) -> tuple[str, ...]:
        """The sentences that are new for this viewer since an earlier moment."""


M = TypeVar("M", bound=Moment)
E = TypeVar("E", bound=Event)


@dataclass(frozen=True, eq=False)
class Play(Generic[M, E]):
    """One game for the record. `name` is what its entries call it in public; None for Mage Knight's, which do not.

    `nothing` is the moment before a game, `advance` gives the one after an event. `events` is the type that an event is
    decoded as. `square_of`: the square that the log viewer is told with an event. `promises`: what an event commits to,
    by name. `shown`: what its square holds afterwards. `room`: how many bytes the first event may take in JSON, by what
    everybody knows of the game, so that the length of what is sealed tells no secret.
    """

    name: str | None
    nothing: M
    advance: Callable[[M, E | ClockCorrected], M]
    events: Any
    square_of: Callable[[E | ClockCorrected], str | None]
    promises: Callable[[E | ClockCorrected], Mapping[str, object]]
    shown: Callable[[E | ClockCorrected, M], Shown | None]
    room: Callable[[M], int]


def kind_of(event: Event) -> str:
    """The name of what happened, as the record writes it."""
    return str(event.__struct_config__.tag)


_HOMES: Final[Mapping[str | None, str]] = {
    None: "pi_app.play.mage_knight:MAGE_KNIGHT",
    "rooms": "pi_app.rooms.report:ROOMS",
}
"""Where the play of each name is, imported when a record speaks of it."""


def read_event(play: str | None, data: bytes) -> None:
    """Raises msgspec.MsgspecError for an event that its game does not know. Of a game that nobody here knows, any
    passes."""
    if play in _HOMES:
        _decoder(play).decode(data)


@functools.cache
def _decoder(play: str | None) -> msgspec.json.Decoder[object]:
    module, name = _HOMES[play].split(":")
    return msgspec.json.Decoder(getattr(import_module(module), name).events)
