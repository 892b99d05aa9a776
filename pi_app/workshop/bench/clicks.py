"""The evidence for clicks as figures: `pi_app.workshop.bench.known_turns`, `hands`, `jumps` and `faulty` together."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Final

from pi_app.workshop.bench import (
    Bench,
    Figure,
    Matrix,
    Progress,
    faulty,
    hands,
    jumps,
    known_turns,
    machine,
    no_progress,
)
from pi_app.workshop.bench.faulty import FaultsReport
from pi_app.workshop.bench.hand_bus import Rig
from pi_app.workshop.bench.hands import HandsReport
from pi_app.workshop.bench.jumps import AVERAGE_MS, JumpsReport
from pi_app.workshop.bench.known_turns import ClicksReport

MOST_CLAIMED_IN_A_DETENT: Final = 1e-4
LEAST_ACCEPTED: Final = 99.99
"""Percent of ordinary turns."""


@dataclass(frozen=True, slots=True)
class Amounts:
    """True clicks, samples under faults, ordinary turns, jumps of each sort. 0 leaves that part out."""

    clicks: int = 100_000
    samples: int = 200_000
    turns: int = 8_000
    jumps: int = 4_000


def run(amounts: Amounts, seed: int, jobs: int, *, wired: bool = False, progress: Progress = no_progress) -> Bench:
    """Play all parts in `jobs` processes. `wired`: ordinary turns through the real scan above twins."""
    figures: list[Figure] = []
    examples: list[str] = []
    matrix = None
    if amounts.clicks:
        progress(f"{amounts.clicks} clicks of known turns")
        began_ns = time.perf_counter_ns()
        report = known_turns.run(amounts.clicks, seed, jobs=jobs)
        figures += figures_of_clicks(report, (time.perf_counter_ns() - began_ns) / 1e9)
        examples += report.examples
    if amounts.turns:
        progress(f"{amounts.turns} ordinary turns of each kind of hand")
        by_rig = hands.run(amounts.turns, seed, jobs=jobs, wired=wired)
        figures += figures_of_hands(by_rig)
        examples += _sum(by_rig).examples
        matrix = by_hand(by_rig)
    if amounts.jumps:
        progress(f"{amounts.jumps} jumps of each kind")
        figures += figures_of_jumps(jumps.run(amounts.jumps, seed, jobs=jobs))
    if amounts.samples:
        progress(f"{amounts.samples} samples with faults")
        under = faulty.run(amounts.samples, seed, jobs=jobs)
        figures += figures_under_faults(under)
        examples += under.examples
    return Bench("clicks", machine(), tuple(figures), (*EXPLAINS, *examples), matrix)


EXPLAINS: Final = (
    "Hands, magnets, noise, spikes, jumps and lost samples are SIMULATED; the dial code is the real one.",
    "A turn must be reported right or as unknown; wrong, unreported and invented turns must be 0.",
    "Ordinary turns: 1 to 6 clicks by up to four hands at once; screens on the dials' bus are quiet in one half of "
    "them, and always busy in the other. `trapdial docs hands` describes each hand.",
)


def figures_of_clicks(report: ClicksReport, took_s: float) -> list[Figure]:
    turns = f"of {report.turns} turns, {report.clicks} clicks"
    return [
        Figure("turns reported wrong", report.wrong, "turns", 0, note=turns),
        Figure("turns not reported", report.unreported, "turns", 0),
        Figure("turns reported but not made", report.invented, "turns", 0),
        Figure("turns reported right", report.right, "turns"),
        Figure(
            "turns reported as unknown",
            report.unknown,
            "turns",
            note=f"{100 * report.unknown / max(1, report.turns):.2f} % of all",
        ),
        Figure("turns that cannot be detected", report.unseen, "turns", note="whole revolutions inside one gap"),
        Figure(
            "samples processed",
            report.samples / took_s,
            "samples/s",
            note=f"{report.samples} samples, with the time to make them",
        ),
    ]


def _sum(by_rig: Mapping[Rig, HandsReport]) -> HandsReport:
    return reduce(HandsReport.plus, by_rig.values(), HandsReport())


def figures_of_hands(by_rig: Mapping[Rig, HandsReport]) -> list[Figure]:
    whole = _sum(by_rig)
    name, wrong = "ordinary turns", "reported as certain"
    return [
        Figure(
            f"{name}, claimed: accepted at the first hold",
            whole.accepted,
            "%",
            LEAST_ACCEPTED,
            at_most=False,
            note=f"of {whole.claimed}, 0.7 s after the last click; {whole.held_on} more while the button stayed held",
        ),
        Figure(
            f"{name}, unclaimed: ended within 1.0 s",
            whole.ended,
            "%",
            LEAST_ACCEPTED,
            at_most=False,
            note=f"of {whole.unclaimed}",
        ),
        Figure(f"{name}: path reported as unknown", whole.unknown, "turns"),
        Figure(f"{name}: wrong clicks {wrong}", whole.wrong_clicks, "turns", 0, note=f"in {whole.samples} samples"),
        Figure(f"{name}: wrong position {wrong}", whole.wrong_position, "turns", 0),
        Figure(f"{name}: turns reported but not made", whole.invented, "turns", 0),
    ]


def by_hand(by_rig: Mapping[Rig, HandsReport]) -> Matrix:
    """The cost of a stiffer flexure: the turns accepted or ended in time, in percent, by hand, encoder and wire."""
    columns = list(dict.fromkeys(rig.column for rig in hands.rigs()))
    rows = []
    for hand in dict.fromkeys(rig.hand for rig in hands.rigs()):
        cells = []
        for column in columns:
            cell = _sum({rig: report for rig, report in by_rig.items() if (rig.hand, rig.column) == (hand, column)})
            cells.append(f"{100 * (cell.at_first_hold + cell.in_time) / max(1, cell.turns):.6g}")
        rows.append((hand, *cells))
    return Matrix("ordinary turns in time, % by hand, encoder and wire", ("hand", *columns), tuple(rows))


def figures_of_jumps(report: JumpsReport) -> list[Figure]:
    share = report.into_a_detent_claimed / max(1, report.into_a_detent)
    return [
        Figure(
            "claims satisfied by jumps that no hand can make",
            report.impossible_claimed,
            "claims",
            0,
            note=f"of {report.impossible} jumps",
        ),
        Figure(
            "claims satisfied by jumps into the next detent",
            share,
            "of all",
            MOST_CLAIMED_IN_A_DETENT,
            note=f"{report.into_a_detent_claimed} of {report.into_a_detent}, of {AVERAGE_MS} ms on average",
        ),
    ]


def figures_under_faults(report: FaultsReport) -> list[Figure]:
    under = f"of {report.turns} turns in {report.samples} samples under {report.faults} faults"
    return [
        Figure("under faults: turns reported wrong", report.wrong, "turns", 0, note=under),
        Figure("under faults: turns not reported", report.unreported, "turns", 0),
        Figure("under faults: turns reported but not made", report.invented, "turns", 0),
        Figure("under faults: wrong faces shown", report.wrong_faces, "faces", 0),
        Figure("under faults: claims satisfied by a dial that was not turned", report.claims_taken, "claims", 0),
        Figure("under faults: dials that did not recover", report.never_back, "dials", 0),
        Figure("under faults: turns reported right", report.right, "turns"),
        Figure("under faults: turns reported as unknown", report.unknown, "turns"),
        Figure(
            "under faults: dials at rest reported as moved, path unknown",
            report.startled,
            "times",
            note="among them swapped leads",
        ),
        Figure("under faults: turns that cannot be detected", report.unseen, "turns"),
        Figure("under faults: slowest recovery", report.slowest_ms, "ms", note="after the end of the last fault"),
    ]
