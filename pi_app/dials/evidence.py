"""A hand or a glitching encoder: the evidence about a dial that moved between two samples. Pure.

A hand leaves the dial in a detent, and everything else as it was: the chip still has its settings, its magnet is as
strong as before, the angle stays. A glitching encoder differs in at least one of these (wiring_docs/traces.md has the
reports and the figures for both errors):

- it jumps back, mostly within some samples: `pi_app.dials.jumps` counts quick returns, and the dial must hold its place
  for ACCEPT_NS;
- it jumps anywhere: only a place in the seat of a detent is accepted;
- a chip that lost its power has forgotten its settings, and a mux that opened two channels reports it: a full read
  (pointer set again, STATUS, CONF, the mux's register) fails, and there is no angle at all;
- a stray field strong enough to turn the angle by a click changes AGC or MAGNITUDE: a full read must fit the ones
  before.

A dial whose encoder glitched must hold its place longer for the next SUSPECT_NS.
"""

from __future__ import annotations

from typing import Final

from hardware.readings import Proof

ACCEPT_NS: Final = 300_000_000
"""How long a place must be held. A glitch that returns after 30 ms on average passes once in 20,000 times."""

SUSPECT_NS: Final = 60_000_000_000
SUSPECT_TIMES: Final = 4

FEWEST: Final = 4
"""This many samples must agree on the place."""

AGC_TOP_3V3: Final = 128
AGC_APART: Final = 24 / 128
MAGNITUDE_APART: Final = 0.3
"""A turning dial whose magnet is a little tilted or eccentric changes the field by up to a fifth; to turn the angle by
30 degrees, a stray field needs at least half of the magnet's own strength."""


class Evidence:
    """The full reads of one dial, and until when its encoder is suspected of glitching."""

    __slots__ = ("_before", "_suspect_until_ns", "contradicts", "has_proof", "verified")

    def __init__(self) -> None:
        self._before: Proof | None = None
        self._suspect_until_ns = 0
        self.has_proof = False
        """Whether this chip was ever read in full: a jump then needs a full read."""
        self.verified = self.contradicts = False
        """Whether a full read since the jump fits the ones before it, or does not."""

    def rested(self, proof: Proof) -> None:
        """Take a full read of the dial at its rest."""
        self._before, self.has_proof = proof, True

    def jumped(self) -> None:
        """Forget the verdict of earlier reads: they belong to the place before the jump."""
        self.verified = self.contradicts = False

    def read(self, proof: Proof) -> None:
        """Take a full read of the dial away from its rest."""
        self.has_proof = True
        if self._before is None or fits(self._before, proof):
            self.verified = not self.contradicts
        else:
            self.verified, self.contradicts = False, True

    def caught(self, at_ns: int) -> None:
        """Suspect the encoder: it moved as no hand does."""
        self._suspect_until_ns = at_ns + SUSPECT_NS

    def needed_ns(self, at_ns: int) -> int:
        """Return how long the dial must hold a place that it reached between two samples."""
        return ACCEPT_NS * (SUSPECT_TIMES if at_ns < self._suspect_until_ns else 1)

    @property
    def suffices(self) -> bool:
        """Whether no full read is missing and none speaks against a hand."""
        return not self.contradicts and (self.verified or not self.has_proof)


def fits(before: Proof, now: Proof) -> bool:
    """Whether the same magnet is over the chip: gain and field strength are unchanged, as far as the chip says."""
    if before.agc is not None and now.agc is not None:
        top = AGC_TOP_3V3 if max(before.agc, now.agc) <= AGC_TOP_3V3 else 2 * AGC_TOP_3V3
        if abs(now.agc - before.agc) > top * AGC_APART:
            return False
    if before.magnitude and now.magnitude is not None:
        return abs(now.magnitude - before.magnitude) <= before.magnitude * MAGNITUDE_APART
    return True
