"""The evidence for the centre: `python -m tests.centre LANE...` prints figures, and fails on a miss.

Without a lane it runs all of them. `--short` is what CI runs. Where a lane cannot run it says why, and fails only with
`--strict`.
"""

from __future__ import annotations

import argparse
import importlib
import platform
import sys
import time
from typing import Final

from tests.pages.figures import Figures
from tests.programs import CannotRun

LANES: Final = ("attacks", "canaries", "restore", "kills", "cuts", "foreign", "own_log", "partitions", "page", "load")


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.centre", description=__doc__)
    parser.add_argument("lanes", nargs="*", metavar="LANE", help=", ".join(LANES))
    parser.add_argument("--short", action="store_true", help="few samples: what CI runs")
    parser.add_argument("--strict", action="store_true", help="a lane that cannot run here is a failure")
    asked = parser.parse_args(words)
    if unknown := set(asked.lanes) - set(LANES):
        parser.error(f"no lane is named {', '.join(sorted(unknown))}; there are {', '.join(LANES)}")
    print(f"centre: {platform.node()}, {platform.machine()}, Linux {platform.release()}", flush=True)
    failed = [lane for lane in asked.lanes or LANES if not _passes(lane, short=asked.short, strict=asked.strict)]
    print(f"centre: {'FAILED: ' + ', '.join(failed) if failed else 'passed'}", flush=True)
    return bool(failed)


def _passes(lane: str, *, short: bool, strict: bool) -> bool:
    figures, began = Figures(lane), time.monotonic()
    try:
        importlib.import_module(f"tests.centre.lanes.{lane}").run(figures, short=short)
    except CannotRun as reason:
        print(f"{lane}: NOT RUN HERE, because {reason}", flush=True)
        return not strict
    print(f"{lane}: {time.monotonic() - began:.0f} s", flush=True)
    return figures.misses == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
