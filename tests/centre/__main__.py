"""The evidence for the centre: `python -m tests.centre LANE...` prints figures, and fails on a miss.

Without a lane it runs all of them. `--short` is what CI runs. Where a lane cannot run it says why, and fails only with
`--strict`.
"""

from __future__ import annotations

import sys
from typing import Final

from tests.lanes import run_lanes

LANES: Final = ("attacks", "canaries", "restore", "kills", "cuts", "foreign", "own_log", "partitions", "page", "load")

if __name__ == "__main__":
    sys.exit(run_lanes("tests.centre", __doc__, LANES, sys.argv[1:]))
