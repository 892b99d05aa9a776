"""The lane of a station's power cuts."""

from __future__ import annotations

from typing import Final

from tests.crash.points import Lane
from tests.station.cuts.judge import faults
from tests.station.cuts.lives import life

STATION: Final = Lane(life, faults, thinned=True)
"""A station's whole state folder."""
