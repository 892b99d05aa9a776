"""Simulated play as text: what every viewer is told, and what every seat's screen shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pi_app.displays.describe import ON_SCREEN, describe
from pi_app.report.pictures import Dark, SeatPicture
from pi_app.report.seat_screen import Attention, seat_says
from pi_app.report.visibility import LOG, REFEREE
from pi_app.settings.model import Settings
from pi_app.text.language import N_, words

LEFT_OUT: Final = N_("{count} more screens that waited for the disk are not printed.")


class TextOutput:
    """Sends every viewer's lines and every seat's pictures to one function, as text. While the disk refuses what
    happens, each seat's screen says so once."""

    def __init__(
        self,
        settings: Settings,
        write: Callable[[str, str, int], None],
        pause: Callable[[int], None] = lambda now_ns: None,
    ) -> None:
        self._settings, self._write, self.pause = settings, write, pause
        self._waiting: set[str] = set()
        """The seats whose screen said that they wait for the disk since anything was recorded."""
        self._hidden: set[str] = set()
        """Those whose screen says that again now."""
        self._left_out = self._at_ns = 0

    def told(self, viewer: str, line: str, at_ns: int) -> None:
        """Write a viewer's line. The log has one of each event, and of nothing else."""
        if viewer == LOG.name:
            self._waiting.clear()
        self._write(viewer, line, at_ns)

    def shown(self, seat: str, picture: SeatPicture, at_ns: int) -> None:
        """Describe a seat's new picture in that seat's language."""
        self._at_ns = at_ns
        translated = words(self._settings.seats[seat].language)
        waits = picture == seat_says(Attention.NOT_RECORDED, translated)
        hides, hidden = waits and seat in self._waiting, seat in self._hidden
        (self._hidden.add if hides else self._hidden.discard)(seat)
        if hides or (hidden and isinstance(picture, Dark)):
            self._left_out += hides
            return
        if waits:
            self._waiting.add(seat)
        self._write(f"seat {seat}", translated(ON_SCREEN).format(shown=describe(picture, translated)), at_ns)

    def count_left_out(self) -> None:
        """Write to the referee how many screens were not described, if there are any."""
        if self._left_out:
            translated = words(self._settings.table.language)
            self._write(REFEREE.name, translated(LEFT_OUT).format(count=self._left_out), self._at_ns)
