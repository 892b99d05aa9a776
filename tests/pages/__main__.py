"""The evidence for phones as private screens: `python -m tests.pages LANE...` prints figures, and fails on a miss.

Without a lane it runs all of them. `--short` is what CI runs. Where a lane cannot run it says why, and fails only with
`--strict`.
"""

from __future__ import annotations

import sys
from typing import Final

from tests.lanes import run_lanes
from tests.programs import CannotRun

LANES: Final = ("off", "captures", "timing", "canaries", "hammer", "loss", "memory")

if __name__ == "__main__":
    sys.exit(run_lanes("tests.pages", __doc__, LANES, sys.argv[1:], (CannotRun, ModuleNotFoundError)))
