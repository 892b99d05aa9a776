"""The strip of dials on `/demo`: hands that its buttons move, and what it shows of a simulated table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from pi_app.pages.messages import DemoShown
from pi_app.simulated.actions import TurnDial
from pi_app.simulated.demo_pages import DemoLink
from pi_app.simulated.table import SimulatedTable

SHOWN_EVERY_NS: Final = 50_000_000
SHOWN_AGAIN_NS: Final = 1_000_000_000
"""What does not change is sent again after this time: a page process that was started again knows nothing."""

MOST_AHEAD_NS: Final = 10_000_000_000
"""A dial that still turns for this long takes no more hands."""

HUMAN_GAP_MS: Final = 220.0
"""The time between two clicks of a hand on `/demo`."""


class DialStrip:
    """The dials of one table on the page `/demo`."""

    def __init__(self, table: SimulatedTable, link: DemoLink) -> None:
        self._table, self._link = table, link
        self._shown, self._shown_ns = "", -SHOWN_AGAIN_NS

    def take_hands(self) -> Iterator[TurnDial]:
        """Yield the turns that the page asked for since the last call, to be done one by one. A stranger on this
        machine cannot make a dial turn for long."""
        hands, self._link.hands[:] = tuple(self._link.hands), ()
        for hand in hands:
            tile, latest_ns = self._table.tiles.get(hand.square), self._table.clock.now_ns() + MOST_AHEAD_NS
            if tile is not None and hand.clicks and tile.hand.at_rest_from_ns < latest_ns:
                yield TurnDial(hand.square, hand.clicks, (HUMAN_GAP_MS,) * (abs(hand.clicks) - 1))

    def show(self, text: Callable[[], str]) -> None:
        """Show this on the page, if it is time to."""
        now_ns = self._table.clock.now_ns()
        if now_ns - self._shown_ns < SHOWN_EVERY_NS:
            return
        with self._table.hands:
            made = text()
        if made != self._shown or now_ns - self._shown_ns >= SHOWN_AGAIN_NS:
            self._shown, self._shown_ns = made, now_ns
            self._link.send(DemoShown(made))
