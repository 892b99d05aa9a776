"""Robot visitors who learn a turn: how long the guide takes them, in every language.

    python -m tests.station.guided --visitors 20

Each reads for 2 to 6 s before each step, taps through to a language, turns by as many clicks as its screen says, looks
for 2 to 4 s, and types nothing. The time runs from the tap that wakes the station to free play, on a virtual clock. The
processor time of each reset is measured too.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from pi_app.settings.station_section import StationSettings
from pi_app.station.visits.visit import State
from tests.pi_app.station.at_station import AtStation, a_station

LANGUAGES: Final = StationSettings().languages


def one(at: AtStation, draw: random.Random, language: int) -> float:
    """Return the seconds that the guide took one visitor."""
    at.tap("ANN")
    began_s = at.now_s
    for _ in range(language):
        at.wait(draw.uniform(0.8, 2))
        at.tap("ANN")
    at.until(State.GUIDED)
    assert at.station.language == LANGUAGES[language], "it speaks another language than the one that was chosen"
    at.wait(draw.uniform(2, 6))
    clicks = draw.randint(1, 6)
    at.rolls.append(clicks)
    at.tap("ANN")
    at.wait(draw.uniform(2, 6))
    at.turn(draw.choice(["T01", "T02"]), clicks)
    at.wait(draw.uniform(2, 6))
    at.press("ANN", draw.uniform(2, 4))
    at.let_go("ANN")
    at.until(State.FREE)
    return at.now_s - began_s


def run(visitors: int, seed: int = 0) -> tuple[list[float], list[float], list[float]]:
    """Return the seconds of each guide, the seconds on the virtual clock of each reset, and its wall seconds."""
    draw = random.Random(f"guided {seed}")
    took: list[float] = []
    resets: list[float] = []
    forgot: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        at = AtStation(Path(folder) / "journal.db", a_station(station=StationSettings(idle_s=30)))
        at.run(1.5)
        for number in range(visitors):
            took.append(one(at, draw, number % len(LANGUAGES)))
            at.until(State.THANKS)
            while at.state is State.THANKS:
                before = time.perf_counter()
                at.table.clock.advance(20_000_000)
                at.station.step()
            forgot.append(time.perf_counter() - before)
            began_s = at.now_s
            while at.state is State.RESET:
                at.station.step()
            resets.append(at.now_s - began_s)
            at.wait(1)
        at.close()
    return took, resets, forgot


def main() -> None:
    """Print the figures."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--visitors", type=int, default=20)
    given.add_argument("--seed", type=int, default=0)
    asked = given.parse_args()
    took, resets, forgot = run(asked.visitors, asked.seed)
    medians = {
        language: statistics.median(took[number :: len(LANGUAGES)])
        for number, language in enumerate(LANGUAGES[: len(took)])
    }
    each = ", ".join(f"{language} {median:.1f}" for language, median in medians.items())
    sys.stdout.write(
        f"{len(took)} visitors in {len(medians)} languages: the guide took {min(took):.1f} to {max(took):.1f} s, "
        f"median {statistics.median(took):.1f} s ({each}), 0 typed letters; a reset {max(resets):.2f} s at most on the "
        f"virtual clock, and its round {max(forgot) * 1e3:.0f} ms at most on this machine\n"
    )
    raise SystemExit(max(medians.values()) > 90 or max(resets) > 1)


if __name__ == "__main__":
    main()
