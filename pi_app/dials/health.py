"""What a dial's encoder says about its own state, told once and not every second. Pure.

A magnet at the edge of good is now and then too weak. So what was told as bad is told as good only after some looks in
a row that say so, and each time after twice as many.
"""

from __future__ import annotations

from typing import Final

from hardware.readings import Magnet
from pi_app.text.language import N_

GOOD_LOOKS: Final = 2
MOST_GOOD_LOOKS: Final = 64

TOO_WEAK: Final = N_(
    "{square}: the magnet of its dial is too far from the chip. Its angle still counts. Bring it closer, 0.5 to 3 mm "
    "above the chip; if it is there, check that it is magnetised across its diameter."
)
TOO_STRONG: Final = N_(
    "{square}: the magnet of its dial is too near to the chip. Its angle still counts. Move it away, 0.5 to 3 mm above "
    "the chip."
)
MAGNET_GOOD: Final = N_("{square}: the magnet of its dial is good now.")
HOPS: Final = N_(
    "{square}: the angle of its dial hops although no hand turns it. What it seems to do is recorded as an unknown "
    "path, and nobody is shown it until it is back or a hand turns it. On an AS5600 check that DIR is wired, to GND or "
    "to 3.3 V, and VDD5V to 3.3 V; then that the magnet sits firmly."
)
STILL_AGAIN: Final = N_("{square}: its dial stands still again.")
READ_AGAIN: Final = N_("{square}: its dial is read again.")
ALL_READ_AGAIN: Final = N_("{squares}: their dials are read again.")
ALL_PLUGGED_IN: Final = N_(
    "{squares}: their dials are read again. Check that each lead is on its own tile: if two were exchanged, "
    "each square shows the other's dial."
)


class Care:
    """What was told about one dial, and what is news. `hops`: it was told last that its angle hops."""

    def __init__(self) -> None:
        self._magnet = Magnet.GOOD
        self._good = 0
        self._needed = GOOD_LOOKS
        self.hops = False

    def magnet(self, seen: Magnet) -> str | None:
        """The sentence to tell, if this look at the magnet is news. `{square}` is still to be filled in."""
        if seen is Magnet.GOOD and self._magnet is not Magnet.GOOD:
            self._good += 1
            if self._good < self._needed:
                return None
            self._magnet, self._good = seen, 0
            self._needed = min(2 * self._needed, MOST_GOOD_LOOKS)
            return MAGNET_GOOD
        if seen not in (Magnet.TOO_WEAK, Magnet.TOO_STRONG):
            return None
        self._good = 0
        news = seen is not self._magnet
        self._magnet = seen
        return (TOO_WEAK if seen is Magnet.TOO_WEAK else TOO_STRONG) if news else None

    def hopping(self, hops: bool) -> str | None:
        """The same for an angle that hops."""
        news = hops is not self.hops
        self.hops = hops
        return (HOPS if hops else STILL_AGAIN) if news else None
