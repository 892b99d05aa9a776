"""What is known of a dial's clicks, as figures: `pi_app.workshop.bench.known_turns`, `faulty`, `hands` and `hops`
together."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pi_app.workshop.bench import Bench, Figure, Matrix, faulty, hands, hops, machine
from pi_app.workshop.bench import known_turns as clicks_bench
from pi_app.workshop.bench.faulty import FaultsReport
from pi_app.workshop.bench.hand_wires import Rig
from pi_app.workshop.bench.hands import HandsReport
from pi_app.workshop.bench.hops import AVERAGE_MS, HopsReport
from pi_app.workshop.bench.known_turns import ClicksReport

MOST_TAKEN_IN_A_DETENT: Final = 1e-4
LEAST_ACCEPTED: Final = 99.99
"""Percent of ordinary turns."""


@dataclass(frozen=True, slots=True)
class Amounts:
    """How much of everything: true clicks, samples under faults, ordinary turns, hops. 0 leaves that part out."""

    clicks: int = 100_000
    samples: int = 200_000
    turns: int = 8_000
    hops: int = 4_000


def run(amounts: Amounts, seed: int, jobs: int, *, wired: bool = False) -> Bench:
    """Play all of it, spread over `jobs` processes, and count what was told wrong. `wired`: ordinary turns through the
    real scan above twins, ten times as slow."""
    figures: list[Figure] = []
    examples: list[str] = []
    matrix = None
    if amounts.clicks:
        began_ns = time.perf_counter_ns()
        report = clicks_bench.run(amounts.clicks, seed, jobs=jobs)
        figures += figures_of_clicks(report, (time.perf_counter_ns() - began_ns) / 1e9)
        examples += report.examples
    if amounts.turns:
        by_rig = hands.run(amounts.turns, seed, jobs=jobs, wired=wired)
        figures += figures_of_hands(by_rig)
        examples += _sum(by_rig).examples
        matrix = by_hand(by_rig)
    if amounts.hops:
        figures += figures_of_hops(hops.run(amounts.hops, seed, jobs=jobs))
    if amounts.samples:
        under = faulty.run(amounts.samples, seed, jobs=jobs)
        figures += figures_under_faults(under)
        examples += under.examples
    return Bench("clicks", machine(), tuple(figures), (*EXPLAINS, *examples), matrix)


EXPLAINS: Final = (
    "Hands, magnets, noise, spikes, hops and lost samples are SIMULATED; what follows the dial is the real code.",
    "A turn is right, or said to be unknown; wrong, unreported and invented ones must not be.",
    "Ordinary turns: 1 to 6 clicks by up to four hands at once; screens on the dials' bus are quiet in one half of "
    "them, and always busy in the other. wiring_docs/hands.md says what each hand does.",
)


def figures_of_clicks(report: ClicksReport, took_s: float) -> list[Figure]:
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


def _sum(by_rig: Mapping[Rig, HandsReport]) -> HandsReport:
    whole = HandsReport()
    for report in by_rig.values():
        whole = whole.plus(report)
    return whole


def figures_of_hands(by_rig: Mapping[Rig, HandsReport]) -> list[Figure]:
    """What became of ordinary turns."""
    whole = _sum(by_rig)
    name, wrong = "ordinary turns", "told as certain"
    return [
        Figure(
            f"{name}, claimed: accepted at the first hold",
            whole.accepted,
            "%",
            LEAST_ACCEPTED,
            at_most=False,
            note=f"of {whole.claimed}, 0.7 s after the last click; {whole.held_on} more while the button was held on",
        ),
        Figure(
            f"{name}, unclaimed: ended within 1.0 s",
            whole.ended,
            "%",
            LEAST_ACCEPTED,
            at_most=False,
            note=f"of {whole.unclaimed}",
        ),
        Figure(f"{name}: path said to be unknown", whole.unknown, "turns"),
        Figure(f"{name}: wrong clicks {wrong}", whole.wrong_clicks, "turns", 0, note=f"in {whole.samples} samples"),
        Figure(f"{name}: wrong position {wrong}", whole.wrong_position, "turns", 0),
        Figure(f"{name}: turns that nobody made", whole.invented, "turns", 0),
    ]


def by_hand(by_rig: Mapping[Rig, HandsReport]) -> Matrix:
    """What a stiffer flexure costs: the turns of every hand on every encoder and wire that were accepted or ended in
    time, in percent."""
    columns = list(dict.fromkeys(rig.column for rig in hands.rigs()))
    rows = []
    for hand in dict.fromkeys(rig.hand for rig in hands.rigs()):
        cells = []
        for column in columns:
            cell = _sum({rig: report for rig, report in by_rig.items() if (rig.hand, rig.column) == (hand, column)})
            cells.append(f"{100 * (cell.at_first_hold + cell.in_time) / max(1, cell.turns):.6g}")
        rows.append((hand, *cells))
    return Matrix("ordinary turns in time, % by hand, encoder and wire", ("hand", *columns), tuple(rows))


def figures_of_hops(report: HopsReport) -> list[Figure]:
    """What became of claims that were open while an angle hopped."""
    share = report.taken_in_a_detent / max(1, report.into_a_detent)
    return [
        Figure(
            "claims taken by hops that no hand could have made",
            report.taken_by_no_hand,
            "claims",
            0,
            note=f"of {report.no_hand} hops",
        ),
        Figure(
            "claims taken by hops into the next detent",
            share,
            "of all",
            MOST_TAKEN_IN_A_DETENT,
            note=f"{report.taken_in_a_detent} of {report.into_a_detent}, which stay {AVERAGE_MS} ms on average",
        ),
    ]


def figures_under_faults(report: FaultsReport) -> list[Figure]:
    """What became of a bus of twins whose parts fail at random."""
    under = f"of {report.turns} turns in {report.samples} samples under {report.faults} faults"
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
