"""`python -m tests.station.cuts`: cut a station's power many times; exit code 1 if anything is lost or needs a hand."""

from __future__ import annotations

import sys

from tests.crash.__main__ import main
from tests.station.cuts.lane import STATION

if __name__ == "__main__":
    sys.exit(main(STATION, "python -m tests.station.cuts"))
