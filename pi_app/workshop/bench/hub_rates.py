"""The sampling rate of a hub and the bytes that it sends: the firmware on a simulated wire, in virtual time."""

from __future__ import annotations

from collections import Counter
from typing import Final

from firmware_host.hub import wire
from firmware_host.reports import parse_report
from firmware_host.sims.wire_hub import WireHub
from pi_app.workshop.bench import Figure

DIALS: Final = 8
SIZES: Final = (1, 8, 16)
"""Dials on a hub."""
WIRE_S: Final = 3.0


def sampled(hub: WireHub, seconds: float = WIRE_S) -> tuple[list[int], int]:
    """Count good samples of each dial, and bytes of the lines, in so many seconds after the first half second."""
    hub.run(0.5)
    bodies = hub.run(seconds)
    reads: Counter[int] = Counter()
    for body in bodies:
        report = parse_report(body)
        for record in report.records if report is not None else ():
            reads[record.dial] += record.reads if record.has_angle else 0
    sent = sum(len(wire.line(wire.REPORT, 0, body)) + 2 * wire.SEAL_BYTES for body in bodies)
    return [reads[dial] for dial in sorted(reads)], sent


def rate_figure(dials: int) -> Figure:
    """Measure the samples of each dial of a hub, at rest and while one moves."""
    resting, _ = sampled(WireHub(dials))
    turned = WireHub(dials)
    turned.angles[0] = lambda at_ns: at_ns / 1e6 * 12 % wire.COUNTS_PER_TURN
    moving, _ = sampled(turned)
    note = f"at rest; a moving one has {moving[0] / WIRE_S:.0f}/s. {ESTIMATED}"
    return Figure(f"a hub of {dials}: samples of each dial", min(resting) / WIRE_S, "/s", note=note)


def bytes_figures() -> tuple[Figure, Figure]:
    """Measure the bytes that eight dials send over USB, at rest and all moving."""
    _, resting = sampled(WireHub(DIALS))
    turned = WireHub(DIALS)
    for dial in range(DIALS):
        turned.angles[dial] = lambda at_ns: at_ns / 1e6 * 12 % wire.COUNTS_PER_TURN
    _, moving = sampled(turned)
    note = "hex lines of one hub over USB, which carries some 800 kB/s"
    return (
        Figure("sent by 8 dials at rest", resting / WIRE_S / 1000, "kB/s", note=note),
        Figure("sent by 8 moving dials", moving / WIRE_S / 1000, "kB/s", note="every sample of each"),
    )


ESTIMATED: Final = "SIMULATED wire; the time of Python is estimated"
