"""A seat's pictures, sent to where its player asked for them: to the lamp and screen of the seat, or to its phone.

A secret goes to one of the two, and the other is dark meanwhile. Neutral sentences go to both. The lamp blinks only for
what was asked for at the seat itself (S-6): its glow is never about what a phone shows.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from pi_app.game.lamp_deal import Pick
from pi_app.report.pictures import SECRETS, Dark, Say, SeatPicture, ShowCode
from pi_app.text.language import Words


class Display(Protocol):
    """A seat's lamp and screen, drawn from a picture alone."""

    def deal(self, lamp: str, pick: Pick) -> None:
        """Blink in this `LampCode` from now on."""

    def show(self, picture: SeatPicture, now_ns: int) -> None:
        """Show this until the next call."""

    def tick(self, now_ns: int) -> None:
        """Update the lamp, which blinks."""

    def speak(self, words: Words) -> None:
        """Draw the next pictures in another language."""

    def stand_by(self, light: Callable[[int], bool] | None) -> None:
        """Light the lamp by the time alone while it has no word to blink."""


class GesturePlace(enum.Enum):
    """Where a gesture was made. The values are grades of claims."""

    BUTTON = "button"
    PHONE = "phone"


class RoutedDisplay:
    """The lamp and screen of a seat, and what the phone that holds it shows. `on_phone` is the phone's picture, and
    `shows` counts the changes to it: how often, and never which, decides when phones get frames."""

    def __init__(self, own: Display) -> None:
        self._own = own
        self.has_phone = False
        self.source: GesturePlace | None = None
        """Where the player made the last gesture; None before the first one."""
        self.now: SeatPicture = Dark()
        """The picture that was shown last, wherever its player asked for it."""
        self.on_phone: SeatPicture = Dark()
        self.shows = 0

    def deal(self, lamp: str, pick: Pick) -> None:
        """Blink in this `LampCode` from now on."""
        self._own.deal(lamp, pick)

    def tick(self, now_ns: int) -> None:
        """Update the lamp."""
        self._own.tick(now_ns)

    def speak(self, words: Words) -> None:
        """Draw the next pictures in another language."""
        self._own.speak(words)

    def stand_by(self, light: Callable[[int], bool] | None) -> None:
        """Light the lamp by the time alone while it has no word to blink."""
        self._own.stand_by(light)

    def show(self, picture: SeatPicture, now_ns: int) -> None:
        """Show this until the next call, where its player asked for it."""
        self.now = picture
        by_phone = self.has_phone and self.source is GesturePlace.PHONE and not isinstance(picture, ShowCode)
        secret = isinstance(picture, SECRETS)
        if by_phone and secret:
            self._own.show(Dark(), now_ns)
        elif by_phone and isinstance(picture, Say):
            self._own.show(replace(picture, again=False), now_ns)
        else:
            self._own.show(picture, now_ns)
        self._to_phone(picture if self.has_phone and (by_phone or not secret) else Dark())

    def is_shown(self, picture: SeatPicture) -> bool:
        """Return whether this was shown last, and still is."""
        return self.now == picture and (not self.has_phone or self.on_phone == picture)

    def joined(self) -> None:
        """A phone holds the seat from now on, dark at first."""
        self.has_phone, self.source = True, GesturePlace.PHONE
        self._to_phone(Dark(), always=True)

    def left(self) -> None:
        """No phone holds the seat."""
        self.has_phone, self.source = False, None
        self._to_phone(Dark(), always=True)

    def _to_phone(self, picture: SeatPicture, *, always: bool = False) -> None:
        if always or not (isinstance(picture, Dark) and isinstance(self.on_phone, Dark)):
            self.shows += 1
        self.on_phone = picture
