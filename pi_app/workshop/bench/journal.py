"""How fast the journal appends events, and how fast a game is replayed from it.

The events are those of real play: claims, moving dials, turns, second looks, in games of 8 squares and 4 seats.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from hardware.host import memory_folder
from pi_app.audit.replay import rebuild, replay
from pi_app.journal import read, verify
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.settings.model import Settings
from pi_app.simulated.written_games import fill
from pi_app.workshop.bench import Bench, Figure, Progress, machine, no_progress, p50, percentile
from pi_app.workshop.bench.latency import file_system

MS_NS: Final = 1_000_000


def run(settings: Settings, folder: Path, *, appends: int, events: int, progress: Progress = no_progress) -> Bench:
    """Append `appends` events on the disk of `folder`, each synced; then build a journal of `events` in memory, and
    read and replay it. Raises RuntimeError if events are missing."""
    progress(f"{appends} events on disk")
    with tempfile.TemporaryDirectory(prefix="trapdial-bench-", dir=folder) as inside:
        synced_ns = fill(Path(inside) / "journal.db", settings, appends)
    with tempfile.TemporaryDirectory(prefix="trapdial-bench-", dir=memory_folder()) as inside:
        path = Path(inside) / "journal.db"
        progress(f"{events} events in memory")
        unsynced_ns = fill(path, settings, events)
        progress(f"reading {events} events")
        read_s = _median(lambda: sum(1 for _ in read(path, MAGE_KNIGHT)), events)
        progress(f"rebuilding {events} events")
        rebuild_s = _median(lambda: sum(1 for _ in rebuild(path)), events)
        progress(f"replaying {events} events")
        replay_s = _median(lambda: sum(game.entries for game in replay(path)), events)
        progress(f"verifying {events} events")
        check_s = _median(lambda: verify(path, opens=False).size, events)
        verify_s = timed(lambda: verify(path).size, events)
        size = path.stat().st_size
    figures = (
        _per_second("append and sync on this disk", synced_ns),
        Figure("append and sync, p50", p50(synced_ns) / MS_NS, "ms"),
        Figure("append and sync, p99", percentile(synced_ns, 99) / MS_NS, "ms"),
        _per_second("append in memory, where a sync costs nothing", unsynced_ns),
        Figure("read and decode", events / read_s, "events/s", note=f"{size / events:.0f} bytes per event"),
        Figure(
            "replay: from the file to the game after every event",
            events / rebuild_s,
            "events/s",
            target=50_000,
            at_most=False,
            note="every sealed half opened, no report made; median of three runs",
        ),
        Figure(
            "replay with every report compared",
            events / replay_s,
            "events/s",
            note="each viewer's report made and hashed again where it changed",
        ),
        Figure(
            "verify chain, tree, signature, public halves",
            events / check_s,
            "events/s",
            target=100_000,
            at_most=False,
            note=f"by {os.cpu_count()} cores; median of three runs",
        ),
        Figure("verify, with every sealed half opened and compared", events / verify_s, "events/s"),
    )
    return Bench(
        "journal", machine(), figures, (f"{folder} is on {file_system(folder) or 'an unknown file system'}.", *EXPLAINS)
    )


EXPLAINS: Final = (
    "The events follow those of a SIMULATED table; journal and disk are real.",
    "The journal is read and replayed from memory, so that the program is measured and not the card.",
)


def _per_second(name: str, took_ns: list[int]) -> Figure:
    return Figure(name, len(took_ns) * 1e9 / sum(took_ns), "events/s", note=f"{len(took_ns)} events")


def timed(count: Callable[[], int], expected: int) -> float:
    began_ns = time.perf_counter_ns()
    found = count()
    took_s = (time.perf_counter_ns() - began_ns) / 1e9
    if found != expected:
        raise RuntimeError(f"{expected} events were written, and {found} were read")
    return took_s


def _median(count: Callable[[], int], expected: int) -> float:
    """Take the median of three runs, so that one disturbed run does not count."""
    return statistics.median(timed(count, expected) for _ in range(3))
