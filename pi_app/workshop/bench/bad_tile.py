"""The cost of one bad tile to the others: dead (no answer) or hung (its channel holds the bus).

The tile goes bad while the simulated bus is scanned flat out, and the count begins at once, so the time until the scan
notices is part of the cost. The others are compared with a table that never had the bad tile, which is a stricter
comparison than with the full table: a scan of fewer dials is faster.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pi_app.simulated.table import faults
from pi_app.workshop.bench import Figure, Progress, no_progress
from pi_app.workshop.bench.bench_bus import BenchBus, BusSetup

DIALS: Final = 8
BAD_ONE: Final = DIALS - 1
"""The last channel: the table without it is one dial shorter."""

MOST_DEAD_PERCENT: Final = 2.0
MOST_HUNG_PERCENT: Final = 10.0
LEAST_OF_LIMIT_PERCENT: Final = 90.0

SHORTEST_S: Final = 4.0
"""Probes of a hung tile are two thirds of a second apart; a shorter run would count one more or less."""

FAULTS: Final = {"dead": ("unplugged", MOST_DEAD_PERCENT), "hung": ("stuck-low", MOST_HUNG_PERCENT)}


@dataclass(frozen=True, slots=True)
class Cost:
    """Scans per second of the other dials: without the bad tile, with it, and at the wire's limit."""

    without_per_s: float
    with_per_s: float
    limit_per_s: float
    longest_gap_ms: float

    @property
    def percent(self) -> float:
        """The share of the others' scan rate that the bad tile takes."""
        return 100 * (1 - self.with_per_s / self.without_per_s)

    @property
    def of_limit_percent(self) -> float:
        """The scan rate as a share of the wire's limit for the others."""
        return 100 * self.with_per_s / self.limit_per_s


def figures(speeds_hz: Sequence[int], seconds: float, progress: Progress = no_progress) -> Iterator[Figure]:
    """Both kinds of bad tile at every speed, screens on a bus of their own."""
    for speed_hz in speeds_hz:
        for word, (fault, most) in FAULTS.items():
            name = f"{DIALS} dials, {speed_hz // 1000} kHz, one {word} tile"
            progress(name)
            cost = measure(speed_hz, fault, max(seconds, SHORTEST_S))
            note = (
                f"{cost.with_per_s:.1f} scans/s, {cost.without_per_s:.1f} without that tile; "
                f"longest gap {cost.longest_gap_ms:.1f} ms"
            )
            yield Figure(f"{name}: cost to the others", cost.percent, "%", most, note=note)
            if word == "dead":
                yield Figure(
                    f"{name}: share of the wire's limit",
                    cost.of_limit_percent,
                    "%",
                    LEAST_OF_LIMIT_PERCENT,
                    at_most=False,
                    note=f"{cost.limit_per_s:.1f} scans/s of the other dials",
                )


def measure(speed_hz: int, fault: str, seconds: float) -> Cost:
    """Inject a fault by name into one tile of eight, and count for so many virtual seconds from then on."""
    whole = _awake(DIALS, speed_hz)
    fewer = _awake(DIALS - 1, speed_hz)
    faults.strike(whole.tiles[BAD_ONE], fault)
    without_per_s, _ = _rate(fewer, seconds)
    with_per_s, gap_ms = _rate(whole, seconds)
    return Cost(without_per_s, with_per_s, 1e9 / fewer.limit_ns, gap_ms)


def _awake(dials: int, speed_hz: int) -> BenchBus:
    bus = BenchBus(BusSetup(dials, speed_hz, screens=0))
    bus.wake()
    bus.flat_out(0.3)
    return bus


def _rate(bus: BenchBus, seconds: float) -> tuple[float, float]:
    """Return samples per second of the least sampled dial, and the longest gap, of all but the bad one.

    Raises RuntimeError if one of them is lost: then a bad tile costs more than time.
    """
    others = list(bus.scan.dials)[:BAD_ONE]
    bus.scan.reset_counts()
    began_ns = bus.clock.now_ns()
    bus.flat_out(seconds)
    took_s = (bus.clock.now_ns() - began_ns) / 1e9
    counts = [bus.scan.counts(dial) for dial in others]
    if any(count.losses for count in counts):
        raise RuntimeError("a sound dial was lost beside a bad one, which must not happen")
    return min(count.reads for count in counts) / took_s, max(count.longest_gap_ns for count in counts) / 1e6
