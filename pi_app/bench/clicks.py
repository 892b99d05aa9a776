"""The evidence of `pi_app.clicks_bench` as figures."""

from __future__ import annotations

import time
from typing import Final

from pi_app import clicks_bench
from pi_app.bench import Bench, Figure, faulty, machine
from pi_app.bench.faulty import FaultsReport
from pi_app.clicks_bench import ClicksReport


def run(clicks: int, seed: int, jobs: int, samples: int) -> Bench:
    """Play at least so many true clicks, and take so many looks under every fault, spread over `jobs` processes, and
    count what was told wrong."""
    began_ns = time.perf_counter_ns()
    report = clicks_bench.run(clicks, seed, jobs=jobs)
    took_s = (time.perf_counter_ns() - began_ns) / 1e9
    under = faulty.run(samples, seed, jobs=jobs)
    both = (*figures(report, took_s), *figures_under_faults(under))
    return Bench("clicks", machine(), both, (*EXPLAINS, *report.examples, *under.examples))


EXPLAINS: Final = (
    "Hands, magnets, noise, spikes, repeats and lost looks are SIMULATED; what follows the dial is the real code.",
    "A turn is right, or said to be unknown; wrong, unreported and invented ones must not be.",
)


def figures(report: ClicksReport, took_s: float) -> list[Figure]:
    """What a report says, one figure each."""
    turns = f"of {report.turns} turns, {report.clicks} clicks"
    return [
        Figure("turns told wrong", report.wrong, "turns", 0, note=turns),
        Figure("turns not reported", report.unreported, "turns", 0),
        Figure("turns that nobody made", report.invented, "turns", 0),
        Figure("turns told right", report.right, "turns"),
        Figure(
            "turns said to be unknown",
            report.unknown,
            "turns",
            note=f"{100 * report.unknown / max(1, report.turns):.2f} % of all",
        ),
        Figure("turns that nobody can know of", report.unseen, "turns", note="whole turns inside one gap"),
        Figure(
            "samples followed",
            report.samples / took_s,
            "samples/s",
            note=f"{report.samples} samples, making them included",
        ),
    ]


def figures_under_faults(report: FaultsReport) -> list[Figure]:
    """What became of a bus of twins whose parts fail at random."""
    under = f"of {report.turns} turns in {report.samples} looks under {report.faults} faults"
    return [
        Figure("under faults: turns told wrong", report.wrong, "turns", 0, note=under),
        Figure("under faults: turns not reported", report.unreported, "turns", 0),
        Figure("under faults: turns that nobody made", report.invented, "turns", 0),
        Figure("under faults: wrong faces shown", report.wrong_faces, "faces", 0),
        Figure("under faults: claims taken by a dial that nobody turned", report.claims_taken, "claims", 0),
        Figure("under faults: dials that did not come back", report.never_back, "dials", 0),
        Figure("under faults: turns told right", report.right, "turns"),
        Figure("under faults: turns said to be unknown", report.unknown, "turns"),
        Figure(
            "under faults: dials at rest said to have moved, path unknown",
            report.startled,
            "times",
            note="swapped leads among them",
        ),
        Figure("under faults: turns that nobody can know of", report.unseen, "turns"),
        Figure(
            "under faults: slowest to be read again", report.slowest_ms, "ms", note="after the last fault had ended"
        ),
    ]
