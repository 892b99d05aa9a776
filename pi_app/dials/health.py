"""What a dial's encoder says about its own state, reported once and not every second. Pure.

A magnet near the limit is too weak now and then. A magnet that was reported as bad is reported as good only after
several good readings in a row, and after twice as many each time.
"""

from __future__ import annotations

from typing import Final

from hardware.readings import Magnet
from pi_app.text.language import N_

GOOD_READINGS: Final = 2
MOST_GOOD_READINGS: Final = 64

TOO_WEAK: Final = N_(
    "{square}: the magnet of its dial is too far from the chip. Its angle still counts. Bring it closer, 0.5 to 3 mm "
    "above the chip; if it is there, check that it is magnetised across its diameter."
)
TOO_STRONG: Final = N_(
    "{square}: the magnet of its dial is too near to the chip. Its angle still counts. Move it away, 0.5 to 3 mm above "
    "the chip."
)
MAGNET_GOOD: Final = N_("{square}: the magnet of its dial is good now.")
GLITCHES: Final = N_(
    "{square}: the angle of its dial jumps although nobody turns it. Its moves are recorded with an unknown path, and "
    "it shows no trap until it is back or a hand turns it. On an AS5600 check that DIR is wired, to GND or to 3.3 V, "
    "and VDD5V to 3.3 V; then that the magnet sits firmly."
)
STABLE_AGAIN: Final = N_("{square}: its readings are stable again.")
FLAPS: Final = N_(
    "{square}: its readings come and go. Check the plugs at both ends of its lead. The record notes that the dial is "
    "back when they stay for {seconds} s."
)
FLAPPED: Final = N_("{square}: lost and found again {times} times in {minutes} min. Check its lead and its plugs.")
TOO_OFTEN: Final = N_(
    "{square}: its parts fail and recover too often. The record counts that, and has an entry about it now and then."
)
READ_AGAIN: Final = N_("{square}: its dial is responding again.")
ALL_READ_AGAIN: Final = N_("{squares}: their dials are responding again.")
ALL_PLUGGED_IN: Final = N_(
    "{squares}: their dials are responding again. Check that each lead is on its own tile: if two were exchanged, "
    "each square shows the other's dial."
)


class DialHealth:
    """What was last reported about one dial. `glitching`: it was last reported as glitching."""

    def __init__(self) -> None:
        self._magnet = Magnet.GOOD
        self._good = 0
        self._needed = GOOD_READINGS
        self.glitching = False

    def magnet(self, seen: Magnet, *, steady: bool = True) -> str | None:
        """Return the sentence to report if this reading of the magnet is new; `{square}` is still to be filled in.
        While it is not `steady`, a magnet that was reported as bad stays reported so."""
        if seen is Magnet.GOOD and self._magnet is not Magnet.GOOD:
            self._good += 1
            if self._good < self._needed or not steady:
                return None
            self._magnet, self._good = seen, 0
            self._needed = min(2 * self._needed, MOST_GOOD_READINGS)
            return MAGNET_GOOD
        if seen not in (Magnet.TOO_WEAK, Magnet.TOO_STRONG):
            return None
        self._good = 0
        if self._magnet is not Magnet.GOOD and not steady:
            return None
        changed = seen is not self._magnet
        self._magnet = seen
        return (TOO_WEAK if seen is Magnet.TOO_WEAK else TOO_STRONG) if changed else None

    def glitches(self, now: bool) -> str | None:
        """Return the same for an encoder that glitches, or no longer does."""
        changed = now is not self.glitching
        self.glitching = now
        return (GLITCHES if now else STABLE_AGAIN) if changed else None
