"""Reads a lamp as a person does: whether it is on, how many flashes it gave, and the card that explains them. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from pi_app.displays.lamp import GAP_MS, LONG_MS, SHORT_MS
from pi_app.game.lamp_deal import LampCode
from pi_app.report.lamp_code import PATTERNS, card_code, spoken
from pi_app.settings.model import SeatSettings

FLASHES: Final = len(PATTERNS[0])

_NS_PER_MS: Final = 1_000_000
LONG_FROM_NS: Final = (LONG_MS + SHORT_MS) // 2 * _NS_PER_MS
PAUSE_FROM_NS: Final = 2 * GAP_MS * _NS_PER_MS
"""Longer darkness than this lies between two words."""


@dataclass(slots=True)
class FlashCounter:
    """The flashes of one word so far; True is long. They stay until the next word begins."""

    flashes: tuple[bool, ...] = ()
    _lit: bool = False
    _since_ns: int = 0

    def see(self, lit: bool, now_ns: int) -> None:
        """Look at the lamp. Call it much more often than a lamp flashes."""
        if lit is self._lit:
            return
        passed_ns = now_ns - self._since_ns
        self._lit, self._since_ns = lit, now_ns
        if not lit:
            self.flashes = (*self.flashes, passed_ns >= LONG_FROM_NS)
        elif passed_ns > PAUSE_FROM_NS:
            self.flashes = ()

    def forget(self, now_ns: int) -> None:
        """Begin again, unless the lamp is in the middle of a word."""
        if not self._lit and now_ns - self._since_ns > PAUSE_FROM_NS:
            self.flashes = ()


def is_lit(seat: SeatSettings, level: Callable[[int], float]) -> bool | None:
    """Return whether a seat's lamp is on; None if it has none."""
    if seat.lamp is not None:
        shines_at = seat.lamp.common == "cathode"
        return any((level(gpio) > 0) is shines_at for gpio in seat.lamp.gpios)
    return None if seat.lamp_gpio is None else level(seat.lamp_gpio) > 0


def card_rows(code: LampCode) -> tuple[tuple[tuple[bool, ...], str], ...]:
    """Return each pattern of a card, with the msgid of what it means; nothing if only a screen explains them."""
    patterns = card_code(code)
    return () if patterns is None else tuple((flashes, spoken(word)) for word, flashes in patterns.items())
