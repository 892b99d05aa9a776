"""What visitors do, as plain values. The station's table observes it; the visit and the guide follow it.

They are structs, as the table's commands are: Python makes a class of that kind thirty times as fast as a data class,
and a station's start makes them all."""

from __future__ import annotations

import msgspec


class Tapped(msgspec.Struct, frozen=True):
    """A tap at a seat's button or phone."""

    seat: str


class Held(msgspec.Struct, frozen=True):
    """A seat's button or phone is held."""

    seat: str


class LetGo(msgspec.Struct, frozen=True):
    """A seat's button or phone that was held was let go."""

    seat: str


class Clicked(msgspec.Struct, frozen=True):
    """A dial came to another click."""

    square: str


class DialBetween(msgspec.Struct, frozen=True):
    """A dial moves, within a click too."""

    square: str


class PhoneSeen(msgspec.Struct, frozen=True):
    """A phone knocked, or did something that is no gesture. `seat` is empty until it holds one."""

    seat: str = ""


class DieRolled(msgspec.Struct, frozen=True):
    """The device rolled for a seat that tapped: it is about to turn a dial."""

    seat: str


class ClaimGone(msgspec.Struct, frozen=True):
    """A seat took its tap back, or it ran out."""

    seat: str


class LookShown(msgspec.Struct, frozen=True):
    """A seat was shown what lies under the square that it turned."""

    seat: str


class ResetDone(msgspec.Struct, frozen=True):
    """Nothing of the last group is left."""


class HoursSay(msgspec.Struct, frozen=True):
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
