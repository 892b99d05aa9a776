"""`python -m tests.crash`: cut the power many times; exit code 1 if anything was lost, misreported, or not resumed."""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from tests.crash.points import TABLE, Lane, Tally, strike

POINTS_PER_SEED = 1500


def main(lane: Lane = TABLE, name: str = "python -m tests.crash") -> int:
    """Cut the power of what a lane says; return 1 if something was wrong."""
    parser = argparse.ArgumentParser(prog=name, description=__doc__)
    parser.add_argument("--points", type=int, default=100_000, help="power cuts (default 100000)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--seed", type=int, default=0, help="number of the first journal (default 0)")
    parser.add_argument("--each", type=int, default=POINTS_PER_SEED, help="of each journal at most so many")
    parser.add_argument("--progress", action="store_true", help="print the counts after each journal")
    given = parser.parse_args()
    each = min(given.each, -(-given.points // given.jobs))
    seeds = range(given.seed, given.seed - (-given.points // each))
    whole = Tally()
    with ProcessPoolExecutor(given.jobs) as pool:
        for tally in pool.map(partial(strike, points=each, lane=lane), seeds):
            whole.places += tally.places
            whole.points += tally.points
            whole.folders |= tally.folders
            whole.wrong += tally.wrong
            for wrong in tally.wrong[:5]:
                print(wrong, flush=True)
            if given.progress:
                print(f"{whole.points} power cuts, {len(whole.wrong)} wrong", flush=True)
    print(
        f"{whole.points} power cuts at {whole.places} places of {len(seeds)} journals "
        f"(seeds {seeds[0]} to {seeds[-1]}), {len(whole.folders)} different folders left: {len(whole.wrong)} wrong."
    )
    return 1 if whole.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
