"""Sound dials, drawn at random."""

from __future__ import annotations

import math
import random

from pi_app.dials.calibration import Calibration


def centres_of(
    draw: random.Random, clicks: int, turn: int, *, printed_deg: float = 1.0, invert: bool = False
) -> list[int]:
    """A sound dial: eccentricity up to 4 degrees, tilt up to 1.5, every detent printed within `printed_deg`, glued on
    anyhow. Dials of many detents are printed finer."""
    sign = -1 if invert else 1
    once, twice, first = draw.uniform(0, 4), draw.uniform(0, 1.5), draw.uniform(0, 360)
    phase, tilted = draw.uniform(0, math.tau), draw.uniform(0, math.tau)
    fine = printed_deg * min(1.0, 12 / clicks)
    angles = [
        360 * k / clicks
        + once * math.sin(math.tau * k / clicks + phase)
        + twice * math.sin(2 * math.tau * k / clicks + tilted)
        + draw.uniform(-fine, fine)
        for k in range(clicks)
    ]
    return [round((first + sign * angle) * turn / 360) % turn for angle in angles]


TURN = 4096


def dial(draw: random.Random, *, keyed_within_deg: float = 3.0, clicks: int = 12) -> Calibration:
    """A sound dial, its magnet glued to the mark as well as hands can."""
    centres = centres_of(draw, clicks, TURN)
    turned = round(draw.uniform(-keyed_within_deg, keyed_within_deg) * TURN / 360) - centres[0]
    return Calibration.of_centres(
        [(centre + turned) % TURN for centre in centres], [3] * clicks, counts_per_turn=TURN, invert=False
    )
