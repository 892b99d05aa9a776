"""The evidence of `pi_app.clicks_bench` as figures."""

from __future__ import annotations

import time
from typing import Final

from pi_app import clicks_bench
from pi_app.bench import Bench, Figure, machine
from pi_app.clicks_bench import ClicksReport


def run(clicks: int, seed: int, jobs: int) -> Bench:
    """Play at least so many true clicks, spread over `jobs` processes, and count what was told wrong."""
    began_ns = time.perf_counter_ns()
    report = clicks_bench.run(clicks, seed, jobs=jobs)
    took_s = (time.perf_counter_ns() - began_ns) / 1e9
    return Bench("clicks", machine(), tuple(figures(report, took_s)), (*EXPLAINS, *report.examples))


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
