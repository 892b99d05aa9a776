"""How much a centre takes: hundreds of tables in play, and hundreds that come back at once, with what they cost it.

The centre is the real program over a real database, in a process of its own; the tables are in this one.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pi_app.journal.record.sha import in_bulk
from pi_app.settings.model import Settings
from pi_app.workshop.bench import Bench, Figure, Progress, machine, no_progress, p50, percentile
from pi_app.workshop.bench.centre.centre_process import CentreProcess
from pi_app.workshop.bench.centre.checker import Checked, check
from pi_app.workshop.bench.centre.copied_record import Original, original
from pi_app.workshop.bench.centre.load import Fleet, a_centre, come_back, enrol, live_supplies, play, prepared_supplies
from pi_app.workshop.bench.centre.load_table import HandedOver

MOST_P99_MS: Final = 1_000.0
MOST_CPU: Final = 25.0
MOST_MB: Final = 200.0
LEAST_BACKLOG: Final = 50_000.0
MOST_LIVE_MS: Final = 5_000.0
MOST_CONNECTS: Final = 50
PER_S: Final = 2.0
SETTLES_S: Final = 10.0
"""Tables come in over so long before their waits count as those of a centre at work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CentreAmounts:
    """How much is measured. `seconds`: of play. `back` tables come back with `entries` each while `live` others
    play."""

    tables: int = 500
    seconds: float = 60.0
    back: int = 500
    entries: int = 10_000
    live: int = 50


@dataclass(frozen=True, slots=True)
class InPlay:
    """What tables in play saw, and what they cost the centre."""

    seen: HandedOver
    checked: Checked
    cpu_percent: float
    client_percent: float
    most_mb: float
    requests_hz: float


@dataclass(frozen=True, slots=True)
class CameBack:
    """What tables that came back took. `waits_s`: of the others, which played."""

    took_s: float
    entries: int
    waits_s: Sequence[float]
    checked: Checked
    cpu_s: float
    most_mb: float
    connects: int
    bad_cosignatures: int


def run(
    settings: Settings,
    folder: Path | None,
    amounts: CentreAmounts,
    *,
    sqlite: bool = False,
    progress: Progress = no_progress,
) -> Bench:
    """Measure both. `folder`: for the bytes that tables come back with; None for memory. Raises StoreError."""
    in_bulk()
    progress("a record")
    played = original(settings)
    figures: list[Figure] = []
    if amounts.tables:
        progress(f"{amounts.tables} tables in play")
        with a_centre(sqlite=sqlite) as centre:
            figures += _of_play(in_play(centre, played, amounts), amounts)
    if amounts.back:
        progress(f"{amounts.back} tables come back")
        with a_centre(sqlite=sqlite) as centre:
            figures += _of_return(came_back(centre, played, amounts, folder, progress), amounts)
    return Bench("centre", machine(), tuple(figures), EXPLAINS)


EXPLAINS: Final = (
    "The centre is the real program in a process of its own, over HTTP on loopback; its database syncs every commit.",
    "The tables are SIMULATED in one other process: one record is played and copied under a key for each table, with "
    "its own hashes and real signatures. Their pauses are the sender's own.",
    "A wait is from the moment of an entry to its cosignature; a table's pause between two hand-overs is in it.",
    "PostgreSQL, the centre and all tables share this machine's cores.",
    "A checker then compares every row with the tables' own records.",
)


def in_play(centre: CentreProcess, played: Original, amounts: CentreAmounts) -> InPlay:
    """Let tables play. Raises StoreError."""
    supplies = live_supplies(played, amounts.tables, PER_S)
    enrol(centre, [each.origin for each in supplies])
    fleet = Fleet(centre.key.verifier, centre.host, centre.port)
    for supply in supplies:
        fleet.add(supply, spread_s=min(SETTLES_S, amounts.seconds / 3))
    cpu_s, own_s, began_s = centre.cpu_s(), time.process_time(), time.monotonic()
    asyncio.run(play(fleet, amounts.seconds, supplies))
    took_s = time.monotonic() - began_s
    return InPlay(
        fleet.seen,
        _checked(centre, fleet),
        100 * (centre.cpu_s() - cpu_s) / took_s,
        100 * (time.process_time() - own_s) / took_s,
        centre.most_mb(),
        sum(fleet.seen.statuses.values()) / took_s,
    )


def came_back(
    centre: CentreProcess,
    played: Original,
    amounts: CentreAmounts,
    folder: Path | None,
    progress: Progress = no_progress,
) -> CameBack:
    """Let tables come back while others play. Raises StoreError."""
    live = live_supplies(played, amounts.live, PER_S, first=amounts.back)
    with prepared_supplies(played, amounts.back, amounts.entries, folder=folder) as back:
        progress(f"{amounts.back} tables hand over {amounts.entries:,} entries each")
        enrol(centre, [*(each.origin for each in back), *(each.origin for each in live)])
        fleet, others = Fleet(centre.key.verifier, centre.host, centre.port), HandedOver()
        for each in back:
            fleet.add(each, amounts.entries)
        for supply in live:
            fleet.add(supply, seen=others, spread_s=1.0)
        cpu_s = centre.cpu_s()
        took_s = asyncio.run(come_back(fleet, live))
        cpu_s = centre.cpu_s() - cpu_s
        progress("comparing")
        checked = _checked(centre, fleet)
    return CameBack(
        took_s,
        amounts.back * amounts.entries,
        others.waits_s,
        checked,
        cpu_s,
        centre.most_mb(),
        fleet.log.most_per_second(),
        fleet.seen.bad_cosignatures + others.bad_cosignatures,
    )


def _checked(centre: CentreProcess, fleet: Fleet) -> Checked:
    fleet.check_cosignatures()
    with contextlib.closing(centre.opened()) as store:
        return check(store, fleet.truths(), fleet.centre, whole=True, halves=False)


def _of_play(found: InPlay, amounts: CentreAmounts) -> list[Figure]:
    waits_ms = [1_000 * each for each in found.seen.waits_s]
    busy = f"{os.getloadavg()[0]:.1f} programs ran on {os.cpu_count()} cores"
    note = f"{amounts.tables} tables, {len(waits_ms):,} entries; {busy}"
    return [
        Figure("entry to cosignature, p50", p50(waits_ms), "ms", note=note),
        Figure("entry to cosignature, p99", percentile(waits_ms, 99), "ms", MOST_P99_MS, note=note),
        Figure("hand-overs", found.requests_hz, "/s"),
        Figure("the centre's share of a core", found.cpu_percent, "%", MOST_CPU, note="beside its database"),
        Figure("the tables' share of a core", found.client_percent, "%"),
        Figure("memory of the centre, peak", found.most_mb, "MB", MOST_MB, note="beside its database"),
        Figure("hand-overs without an answer", found.seen.unanswered, "", 0),
        *_of_check("in play", found.checked, found.seen.bad_cosignatures),
    ]


def _of_return(found: CameBack, amounts: CentreAmounts) -> list[Figure]:
    waits_ms = [1_000 * each for each in found.waits_s]
    note = f"{amounts.back} tables with {amounts.entries:,} entries each in {found.took_s:.1f} s"
    cpu = f"of the centre; {1e6 * found.cpu_s / found.entries:.1f} µs an entry"
    return [
        Figure("entries of tables that come back", found.entries / found.took_s, "/s", LEAST_BACKLOG, False, note),
        Figure("processor time meanwhile", found.cpu_s, "s", note=cpu),
        *(
            [Figure("entry to cosignature meanwhile, p99", percentile(waits_ms, 99), "ms", MOST_LIVE_MS)]
            if waits_ms
            else []
        ),
        Figure("connections within one second", found.connects, "", MOST_CONNECTS),
        Figure("memory of the centre meanwhile, peak", found.most_mb, "MB", MOST_MB),
        *_of_check("that came back", found.checked, found.bad_cosignatures),
    ]


def _of_check(what: str, found: Checked, bad: int) -> list[Figure]:
    compared = f"{found.entries:,} rows of {found.tables} tables compared; {'; '.join(found.wrong[:3])}".rstrip("; ")
    return [
        Figure(f"entries {what}: lost", found.lost, "", 0, note=compared),
        Figure(f"entries {what}: double", found.double, "", 0),
        Figure(f"entries {what}: different or of no table", found.different + found.unknown, "", 0),
        Figure(f"cosignatures {what}: without their rows or wrong", found.bad_cosignatures + bad, "", 0),
    ]
