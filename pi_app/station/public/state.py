"""What everybody may see of a station, as one value, and as a line of JSON.

All texts are finished sentences, in the languages of the station. Nothing in it depends on what a seat alone may know
(S-6): it is built from the visit, the guide and the public report.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

VERSION: Final = 1
"""Of the JSON form. A reader ignores fields that it does not know; a change of meaning has another number."""

MOST_BYTES: Final = 64_000
"""The longest line of JSON that a reader takes."""

StateName = Literal["closed", "attract", "joining", "guided", "free", "thanks", "reset"]
"""The values of `pi_app.station.visits.visit.State`."""

SquareStateName = Literal["concealed", "exposed", "triggered", "withdrawn", "disarmed", "clear for all"]
"""The values of `pi_app.game.rules.SquareState`. An exposed trap and an exposed clear square are one state (S-6)."""


class PublicSeat(msgspec.Struct, frozen=True, kw_only=True):
    """A seat: `name` is P1 to P4 and so on; `phone`: whether a phone holds it; `xp`: its experience; `active`: whether
    it is its turn, from its tap to its look."""

    name: str
    phone: bool = False
    xp: int = 0
    active: bool = False


class PublicSquare(msgspec.Struct, frozen=True, kw_only=True):
    """A trap square: `text` is its public line in the language of the visit, without the label."""

    label: str
    state: SquareStateName
    text: str


class PublicResult(msgspec.Struct, frozen=True, kw_only=True):
    """The counts of a finished visit: how many seats did anything, and how many squares they exposed, set off and
    disarmed. `head`: the text of the record's head."""

    seats: int = 0
    exposed: int = 0
    triggered: int = 0
    disarmed: int = 0
    xp: int = 0
    head: str = ""


class PublicFlag(msgspec.Struct, frozen=True, kw_only=True):
    """A flag of words: a language's code, its own name, and a few words in it that say how it is chosen."""

    language: str
    name: str
    says: str


class PublicGuide(msgspec.Struct, frozen=True, kw_only=True):
    """The guided steps: `steps` are all sentences in order, each in every language; `step` is the one that is due,
    from 0, and `len(steps)` once all are done; `seat` is the name of the seat that does them, empty before the first
    tap."""

    steps: tuple[dict[str, str], ...]
    step: Annotated[int, Meta(ge=0)] = 0
    seat: str = ""


class PublicState(msgspec.Struct, frozen=True, kw_only=True):
    """What everybody may see.

    `language`: of the visit, the first of the station before one is chosen; `languages`: all that can be chosen.
    `visit`: a number that grows with each visit. `says`: what the station tells everybody now, in every language: how
    to begin, the guided step, the warning, thanks. `warning_s`: the seconds left before the visit ends, from 15 to 0;
    None outside a warning. `lines`: the lines of the public report in the language of the visit, in reading order,
    without empty ones; empty while no game is on. `results`: of the last visits, the newest first. `join`: the address
    that a phone opens, empty without pages. `head`: of the record after the last visit. `trouble`: the gravest trouble
    in every language, empty without one. `seq` grows by one with each state that is sent."""

    version: int = VERSION
    seq: int = 0
    state: StateName
    visit: int = 0
    language: str
    languages: tuple[str, ...]
    simulated: bool = False
    says: dict[str, str] = {}
    flags: tuple[PublicFlag, ...] = ()
    guide: PublicGuide | None = None
    warning_s: int | None = None
    seats: tuple[PublicSeat, ...] = ()
    squares: tuple[PublicSquare, ...] = ()
    lines: tuple[str, ...] = ()
    results: tuple[PublicResult, ...] = ()
    join: str = ""
    head: str = ""
    trouble: dict[str, str] = {}


_DECODER: Final = msgspec.json.Decoder(PublicState)


def encoded(state: PublicState) -> bytes:
    """Return a state as one line of JSON, with its line feed."""
    return msgspec.json.encode(state) + b"\n"


def decoded(line: bytes) -> PublicState:
    """Return the state that a line of JSON holds. Raises ValueError if it is too long or is no such state."""
    if len(line) > MOST_BYTES:
        raise ValueError(f"a public state of {len(line)} bytes is longer than {MOST_BYTES}")
    try:
        return _DECODER.decode(line)
    except msgspec.MsgspecError as error:
        raise ValueError(f"no public state: {error}") from error
