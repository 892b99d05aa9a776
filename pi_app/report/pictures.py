"""The pictures on a seat's screen, as frozen values from report to displays.

Their texts are already in the seat's language. A face prints as `(sealed)`: log lines, tracebacks and pretty printers
are viewers too (S-6).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from pi_app.text.sealed import Sealed

ShownKind = Literal["trap", "clear", "other"]


@dataclass(frozen=True, slots=True)
class Dark:
    """A dark screen."""


@dataclass(frozen=True, slots=True)
class Say:
    """Neutral words that do not depend on what lies under a square: one short text per line, and the square's label."""

    lines: tuple[str, ...]
    label: str | None = None
    again: bool = False
    """Whether the lamp also signals "look again": the dial rests between two clicks, or cannot be read."""
    phone: tuple[str, ...] = ()
    """The lines for a phone, where they name its buttons; empty where they are the same."""


@dataclass(frozen=True, slots=True, repr=False)
class ShowDie(Sealed):
    """The device's roll for a seat, in words like those of `Say`. As secret as a face."""

    lines: tuple[str, ...]
    label: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class ShowFace(Sealed):
    """One face, for a seat that may read it (S-2, S-3). Prints as `(sealed)`.

    `trap` is one of the eight trap ids, present exactly when `kind` is `trap`; `disarm` is `7`, `6+`, or
    `6+ = 9` once the plus is rolled (T-DIS-6); chances count the 36 rolls of two dice that succeed (T-DIS-4),
    None while unknown; `effect` and `note` are translated texts, or the English message to translate. A `note` is
    about the turn itself, such as its direction.
    """

    label: str
    kind: ShownKind
    trap: str | None
    click_number: int | None
    disarm: str | None
    xp: int | None
    quick_of_36: int | None
    slow_of_36: int | None
    effect: str
    sample: bool
    simulated: bool
    note: str | None = None

    def __post_init__(self) -> None:
        if (self.trap is not None) != (self.kind == "trap"):
            raise ValueError("a face names its trap exactly when its kind is trap")


@dataclass(frozen=True, slots=True, repr=False)
class ShowCard(Sealed):
    """One page of the card of a seat's dealt lamp code: the flashes of each word, True for long, with its meaning in
    the seat's language. As secret as a face. `page` is such as `1/4`."""

    title: str
    page: str
    rows: tuple[tuple[tuple[bool, ...], str], ...]


@dataclass(frozen=True, slots=True, repr=False)
class ShowCode(Sealed):
    """The code with which a phone takes this seat: whoever reads it can read the seat's secrets. `modules`: the rows of
    the QR code of `link`, True for dark; `address`: what a person can type, without the code."""

    lines: tuple[str, ...]
    address: str
    link: str
    modules: tuple[tuple[bool, ...], ...]


@dataclass(frozen=True, slots=True)
class Drift:
    """A few words for whoever passes by, at a place of their own: pixels from the left and from the top. Without words
    the screen is lit and black, and holds nothing of what it has shown."""

    text: str = ""
    across: int = 0
    down: int = 0


@dataclass(frozen=True, slots=True)
class ShowHead:
    """The head of the record as a QR code, for everybody: `modules` are its rows, True for dark. `lines` are beside
    it."""

    lines: tuple[str, ...]
    modules: tuple[tuple[bool, ...], ...]


SeatPicture = Dark | Say | ShowDie | ShowFace | ShowCard | ShowCode | Drift | ShowHead

SECRETS: Final = (ShowDie, ShowFace, ShowCard, ShowCode)
"""Pictures for one seat alone."""
