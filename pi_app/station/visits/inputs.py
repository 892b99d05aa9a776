"""What visitors do, as plain values. The station's table observes it; the visit and the guide follow it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tapped:
    """A tap at a seat's button or phone."""

    seat: str


@dataclass(frozen=True, slots=True)
class Held:
    """A seat's button or phone is held."""

    seat: str


@dataclass(frozen=True, slots=True)
class LetGo:
    """A seat's button or phone that was held was let go."""

    seat: str


@dataclass(frozen=True, slots=True)
class Clicked:
    """A dial came to another click."""

    square: str


@dataclass(frozen=True, slots=True)
class DialBetween:
    """A dial moves, within a click too."""

    square: str


@dataclass(frozen=True, slots=True)
class PhoneSeen:
    """A phone knocked, or did something that is no gesture. `seat` is empty until it holds one."""

    seat: str = ""


@dataclass(frozen=True, slots=True)
class DieRolled:
    """The device rolled for a seat that tapped: it is about to turn a dial."""

    seat: str


@dataclass(frozen=True, slots=True)
class ClaimGone:
    """A seat took its tap back, or it ran out."""

    seat: str


@dataclass(frozen=True, slots=True)
class LookShown:
    """A seat was shown what lies under the square that it turned."""

    seat: str


@dataclass(frozen=True, slots=True)
class ResetDone:
    """Nothing of the last group is left."""


@dataclass(frozen=True, slots=True)
class HoursSay:
    """The opening hours say whether the shop is open."""

    open: bool


Input = (
    Tapped | Held | LetGo | Clicked | DialBetween | PhoneSeen | DieRolled | ClaimGone | LookShown | ResetDone | HoursSay
)

NOT_OF_A_HAND = (ResetDone, HoursSay, DieRolled, ClaimGone)
"""Inputs that do not come from visitors: they do not count against the idle time."""


def source(given: Input) -> str:
    """Return what a hand used: a seat, a dial, or a phone that holds no seat; empty for what no hand makes."""
    match given:
        case Tapped(seat) | Held(seat) | LetGo(seat) | LookShown(seat):
            return f"seat {seat}"
        case Clicked(square) | DialBetween(square):
            return f"dial {square}"
        case PhoneSeen(seat):
            return f"seat {seat}" if seat else "phone"
        case _:
            return ""
