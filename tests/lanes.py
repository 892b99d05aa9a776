"""Runs lanes of evidence from the command line: each prints figures with their limits, and fails on a miss."""

from __future__ import annotations

import argparse
import importlib
import platform
import time
from collections.abc import Sequence

from tests.pages.figures import Figures
from tests.programs import CannotRun

Excuses = tuple[type[Exception], ...]


def run_lanes(
    package: str, about: str | None, lanes: Sequence[str], words: list[str], excuses: Excuses = (CannotRun,)
) -> int:
    """Run the lanes that `words` name, or all of them; return the exit code. `package`: such as `tests.pages`, with a
    module for each lane in `lanes/`. `about`: for the help. `excuses`: why a lane cannot run on a machine."""
    parser = argparse.ArgumentParser(prog=f"python -m {package}", description=about)
    parser.add_argument("lanes", nargs="*", metavar="LANE", help=", ".join(lanes))
    parser.add_argument("--short", action="store_true", help="few samples: what CI runs")
    parser.add_argument("--strict", action="store_true", help="a lane that cannot run here is a failure")
    asked, what = parser.parse_args(words), package.rpartition(".")[2]
    if unknown := set(asked.lanes) - set(lanes):
        parser.error(f"no lane is named {', '.join(sorted(unknown))}; there are {', '.join(lanes)}")
    print(f"{what}: {platform.node()}, {platform.machine()}, Linux {platform.release()}", flush=True)
    failed = [
        lane
        for lane in asked.lanes or lanes
        if not _passes(package, lane, excuses, short=asked.short, strict=asked.strict)
    ]
    print(f"{what}: {'FAILED: ' + ', '.join(failed) if failed else 'passed'}", flush=True)
    return bool(failed)


def _passes(package: str, lane: str, excuses: Excuses, *, short: bool, strict: bool) -> bool:
    figures, began = Figures(lane), time.monotonic()
    try:
        importlib.import_module(f"{package}.lanes.{lane}").run(figures, short=short)
    except excuses as reason:
        print(f"{lane}: NOT RUN HERE, because {reason}", flush=True)
        return not strict
    print(f"{lane}: {time.monotonic() - began:.0f} s", flush=True)
    return figures.misses == 0
