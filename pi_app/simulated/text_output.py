"""Simulated play as text: what every viewer is told, and what every seat's screen shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pi_app.displays.describe import ON_SCREEN, describe
from pi_app.report.pictures import SeatPicture
from pi_app.settings.model import Settings
from pi_app.text.language import words


@dataclass(frozen=True, slots=True)
class TextOutput:
    """Sends every viewer's lines and every seat's pictures to one function, as text."""

    settings: Settings
    write: Callable[[str, str, int], None]
    pause: Callable[[int], None] = lambda now_ns: None

    def told(self, viewer: str, line: str, at_ns: int) -> None:
        self.write(viewer, line, at_ns)

    def shown(self, seat: str, picture: SeatPicture, at_ns: int) -> None:
        """Describe a seat's new picture in that seat's language."""
        translated = words(self.settings.seats[seat].language)
        self.write(f"seat {seat}", translated(ON_SCREEN).format(shown=describe(picture, translated)), at_ns)
