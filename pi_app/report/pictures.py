"""What a seat's screen is asked to show: frozen values that go from report to displays, and hold no more.

Finished texts in them are already in the seat's language. A face prints as `(sealed)`: log lines, tracebacks
and pretty printers are viewers too (S-6).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from pi_app.text.sealed import Sealed


@dataclass(frozen=True, slots=True)
class Dark:
    """Nothing at all."""


@dataclass(frozen=True, slots=True)
class Say:
    """Neutral words: nothing in them depends on what lies under a square.

    `lines` are finished texts, one short line each; `label` is the square's label or None.
    """

    lines: tuple[str, ...]
    label: str | None = None
    again: bool = False
    """The lamp says "look again" with it: the dial rests between two clicks, or cannot be read."""


@dataclass(frozen=True, slots=True, repr=False)
class ShowDie(Sealed):
    """What the device rolled for a seat, in finished words like those of `Say`. As secret as a face."""

    lines: tuple[str, ...]
    label: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class ShowFace(Sealed):
    """One face, for a seat that may read it (S-2, S-3). Prints as `(sealed)`.

    `trap` is one of the eight trap ids, present exactly when `kind` is `trap`; `disarm` is `7`, `6+`, or
    `6+ = 9` once the plus is rolled (T-DIS-6); chances count the 36 rolls of two dice that succeed (T-DIS-4),
    None while unknown; `effect` and `note` are finished texts, or the English message to look up. A `note`
    tells the reader something about the turn itself, such as its direction.
    """

    label: str
    kind: Literal["trap", "clear", "other"]
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


SeatPicture = Dark | Say | ShowDie | ShowFace
"""What one seat's screen shows."""

SECRETS: Final = (ShowDie, ShowFace)
"""What is for one seat's eyes alone."""
