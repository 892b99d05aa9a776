"""Checks the speed of a bus, and its dials' sampling rates while idle and at full speed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from hardware.bus import Read, Write
from hardware.chips.as5600 import RAW_ANGLE, As5600
from hardware.clock import Clock
from hardware.errors import HardwareError
from hardware.host import Host
from hardware.readings import Reading
from hardware.scan import Scan
from pi_app.dials.sampling import LEAST_PERIOD_NS
from pi_app.plans.check import Check, Sign, Symptom
from pi_app.plans.config_txt import follows_the_core
from pi_app.plans.wiring.electrical import ALARM_HZ
from pi_app.play.wires import TableWires
from pi_app.settings.model import TableSettings
from pi_app.text.language import count_of
from pi_app.workshop.doctor.bus_wiring import PI, BusWiring

WAKING_S: Final = 0.3
SETTLING_S: Final = 0.7
"""After a start each dial is read in full a few times, which is slower than later reads."""


def examine_pace(
    wiring: BusWiring, wires: TableWires, answering: Sequence[str], clock: Clock, seconds: float, *, failing: bool
) -> Iterator[Check]:
    """Check the bus's real speed, the sampling rate of its dials, and which wire needs retries.

    `answering`: the labels of dials that answer, at least one. `seconds`: how long they are scanned. `failing`: whether
    any part of the bus fails.
    """
    repeating = [chip for label in answering if isinstance(chip := wires.chips[label], As5600)]
    for chip in repeating[:1]:
        yield from _speed(wiring, chip, clock)
    (scan,) = wires.scans
    yield _rate(wiring, scan, answering, clock, seconds, failing=failing)
    for label in answering:
        counts = scan.counts(label)
        if counts.retries or counts.losses:
            yield Check(
                Sign.UNSURE,
                f"wire of {label}",
                wires.chips[label].bus.name,
                f"{count_of(counts.retries, 'retry', 'retries')} and {count_of(counts.losses, 'loss', 'losses')} in "
                f"{count_of(counts.reads, 'sample')}",
                "A wire that needs retries today is broken next month: check its plug and lead.",
                about=label,
                found=Symptom.FLAKY,
            )


def unmeasured(wiring: BusWiring, host: Host) -> Iterator[Check]:
    """Report a bus that may not have the settings' speed and could not be measured."""
    if follows_the_core(host):
        yield Check(
            Sign.UNSURE,
            f"speed of bus {wiring.name}",
            wiring.device,
            "was not measured, and on this model it is often half of the speed in config.txt",
            "Run the doctor again when a dial answers.",
        )


def _speed(wiring: BusWiring, chip: As5600, clock: Clock) -> Iterator[Check]:
    """Check the speed: Pi 3 and 4 often run their bus slower than asked (raspberrypi/firmware#1281)."""
    try:
        real_hz = speed_hz(chip, clock)
    except HardwareError:
        return
    asked_hz = wiring.bus.speed_hz
    if real_hz < 0.8 * asked_hz:
        yield Check(
            Sign.UNSURE,
            f"speed of bus {wiring.name}",
            wiring.device,
            f"runs at about {real_hz / 1000:.0f} kHz, not at {asked_hz / 1000:.0f} kHz",
            "On a Pi 3 or 4 the bus follows the core's clock: write core_freq=250 into config.txt.",
            about=PI,
        )


def _rate(
    wiring: BusWiring, scan: Scan, answering: Sequence[str], clock: Clock, seconds: float, *, failing: bool
) -> Check:
    _settle(scan, clock)
    scan.reset_counts()
    began_ns = clock.now_ns()
    scans, read = scans_for(scan, clock, seconds)
    per_s = scans * 1e9 / (clock.now_ns() - began_ns)
    wanted = wiring.settings.table.scan_hz
    gap_ms = max(scan.counts(label).longest_gap_ns for label in answering) / 1e6
    limit_ms = wiring.settings.table.gap_limit_ms
    seen = (
        f"{_rates(per_s, wiring.settings.table)}, {read} of {len(wiring.squares)} dials read, "
        f"longest gap {gap_ms:.0f} ms"
    )
    part, advice = scan_part(wiring), "Use a faster or a second bus."
    if failing:
        advice = "First fix the failures above; then use a faster or a second bus."
    if per_s < ALARM_HZ:
        return Check(Sign.FAILS, part, wiring.device, seen, advice, about=PI)
    if per_s < wanted or gap_ms > limit_ms:
        return Check(Sign.UNSURE, part, wiring.device, seen, advice, about=PI)
    return Check(Sign.GOOD, part, wiring.device, seen)


def _settle(scan: Scan, clock: Clock) -> None:
    scans_for(scan, clock, WAKING_S)
    until_ns = clock.now_ns() + round(SETTLING_S * 1e9)
    while not scan.settled and clock.now_ns() < until_ns:
        scan.scan()


def _rates(per_s: float, table: TableSettings) -> str:
    """Describe the rates in play, if the scan reaches `per_s` flat out."""
    if per_s < table.scan_hz:
        return f"{per_s:.0f} samples a second at most, where scan_hz asks for {table.scan_hz} while idle"
    densest = min(per_s, max(table.scan_hz, 1e9 / LEAST_PERIOD_NS))
    return (
        f"{table.scan_hz} samples a second while idle, up to {densest:.0f} while a claim is open "
        f"(within max_cpu = {table.max_cpu:g})"
    )


def scan_part(wiring: BusWiring) -> str:
    return f"scan of bus {wiring.name}"


LONG_READ: Final = 34
SHORT_READ: Final = 2
BITS_BETWEEN: Final = 9 * (LONG_READ - SHORT_READ)
TRIES: Final = 5


def speed_hz(chip: As5600, clock: Clock) -> float:
    """Measure the bus's real speed: a long read and a short one differ only by bits, whatever a call costs.

    The chip repeats RAW ANGLE for as long as it is read (AS5600 datasheet v1-06 p.13). Raises HardwareError.
    """

    def took_ns(length: int) -> int:
        began_ns = clock.now_ns()
        chip.bus.transfer((Write(chip.address, bytes((RAW_ANGLE,))), Read(chip.address, length)))
        return clock.now_ns() - began_ns

    chip.invalidate()
    took_ns(SHORT_READ)
    longer_ns = min(took_ns(LONG_READ) for _ in range(TRIES)) - min(took_ns(SHORT_READ) for _ in range(TRIES))
    return BITS_BETWEEN * 1e9 / max(1, longer_ns)


def scans_for(scan: Scan, clock: Clock, seconds: float) -> tuple[int, int]:
    """Scan flat out for so long; return the number of scans, and of dials that answered in the last one."""
    until_ns = clock.now_ns() + round(seconds * 1e9)
    scans = answered = 0
    while clock.now_ns() < until_ns:
        answered = sum(isinstance(sample, Reading) for sample in scan.scan())
        scans += 1
    return scans, answered
