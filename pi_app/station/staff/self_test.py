"""The self-test of a station: all buttons of its seats are held for five seconds; then each seat's screen says one
line, and all lamps blink what the station needs. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from pi_app.station.troubles.lamp_patterns import LampPattern
from pi_app.station.troubles.troubles import StationTrouble, TroubleFound, lamp
from pi_app.text.language import N_, Words

HOLD_NS: Final = 5_000_000_000
"""So long all buttons are held."""

SHOWN_NS: Final = 20_000_000_000
"""So long the result stays on screens and lamps."""

NUMBER: Final = N_("Number for the staff page: {number}")
"""In place of the result, on all screens, while too many PINs were wrong or strangers keep the door busy."""
GOOD: Final = N_("Self-test: all is well.")


class AllHeld:
    """Finds when all buttons have been held for HOLD_NS: once, until one was let go."""

    def __init__(self) -> None:
        self._since_ns: int | None = None
        self._told = False

    def feed(self, pressed: Iterable[bool], now_ns: int) -> bool:
        """Take the levels of all buttons; return whether the self-test begins now. A table without buttons has none."""
        levels = tuple(pressed)
        if not levels or not all(levels):
            self._since_ns, self._told = None, False
            return False
        if self._since_ns is None:
            self._since_ns = now_ns
        if self._told or now_ns - self._since_ns < HOLD_NS:
            return False
        self._told = True
        return True


@dataclass(frozen=True, slots=True)
class SelfTest:
    """The result. `found`: the troubles at that moment, the one that matters most first; `at_ns`: when."""

    found: tuple[TroubleFound, ...]
    at_ns: int

    @property
    def pattern(self) -> LampPattern:
        """What all lamps blink."""
        return lamp(self.found)

    def is_shown(self, now_ns: int) -> bool:
        """Whether screens and lamps show it now."""
        return self.at_ns <= now_ns < self.at_ns + SHOWN_NS

    def line(self, number: int, seat: str, words: Words) -> str:
        """Return the line for the screen of a seat, the `number`-th of the table from 0. With several troubles each
        seat says another one, its own first."""
        if not self.found:
            return words(GOOD)
        own = [each for each in self.found if _is_about(each, seat)]
        return (own[0] if own else self.found[number % len(self.found)]).seen(words)

    def lines(self, languages: Mapping[str, Words]) -> Mapping[str, str]:
        """Return the line of each seat. `languages`: the words of each seat, in the table's order."""
        return {seat: self.line(number, seat, words) for number, (seat, words) in enumerate(languages.items())}


def _is_about(found: TroubleFound, seat: str) -> bool:
    return found.trouble is StationTrouble.SCREEN_OUT and seat in found.places
