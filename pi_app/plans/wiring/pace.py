"""How many samples of its dials each bus can deliver per second, and how many are needed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

from pi_app.plans.check import Sign
from pi_app.plans.wiring import electrical
from pi_app.plans.wiring.check import LimitKind, WiringCheck
from pi_app.plans.wiring.header import PICO_SPEED_HZ
from pi_app.plans.wiring.jobs import settings_chips, settings_wires
from pi_app.plans.wiring.values import BusLine, PartKind, Wiring
from pi_app.settings import wiring as known
from pi_app.settings.model import Settings

FASTER: Final = "Use a faster bus, a second bus, or a hub for some of the dials."
SECOND_HUB: Final = "Connect some of its dials to a second hub."


def pace(wiring: Wiring, settings: Settings) -> Iterator[WiringCheck]:
    """Every bus with dials, including those of hubs."""
    wires, chips = settings_wires(settings), settings_chips(settings)
    for line in wiring.buses:
        check = _of_hub(wiring, line, settings) if line.device == "" else _of_bus(line, wires, chips, settings)
        if check is not None:
            yield check


def _of_bus(
    line: BusLine, wires: dict[str, known.WiredBus], chips: Sequence[known.WiredChip], settings: Settings
) -> WiringCheck | None:
    work = known.scan_work(wires[line.name], chips)
    if not work.dials:
        return None
    wire_us = 1e6 * work.bits / line.speed_hz
    fast, slow = (1e6 / (wire_us + work.transfers * each) for each in electrical.TRANSFER_US)
    source = "UM10204's bits and 60 to 150 us a transfer"
    return _said(f"bus {line.name}", (slow, fast), work.dials, line.speed_hz, settings, source, FASTER)


def _of_hub(wiring: Wiring, line: BusLine, settings: Settings) -> WiringCheck:
    dials = sum(part.host == line.host for part in wiring.of(PartKind.TILE))
    wire_us = 1e6 * electrical.HUB_BITS / PICO_SPEED_HZ
    fast, slow = (1e6 / (dials * (wire_us + each)) for each in electrical.HUB_DIAL_US)
    source = "UM10204's bits and 245 to 340 us a dial"
    return _said(line.host, (slow, fast), dials, line.speed_hz, settings, source, SECOND_HUB)


def _said(
    place: str, rates: tuple[float, float], dials: int, speed_hz: int, settings: Settings, source: str, advice: str
) -> WiringCheck:
    """Fail if the best case is too slow to track a dial; be unsure if the worst case is slower than the settings."""
    slow, fast = rates
    asked = max(settings.table.scan_hz, electrical.ALARM_HZ)
    limit: float = asked
    sign = Sign.GOOD
    if fast < electrical.ALARM_HZ:
        sign, limit = Sign.FAILS, electrical.ALARM_HZ
    elif slow < asked:
        sign = Sign.UNSURE
    many = "1 dial" if dials == 1 else f"{dials} dials"
    how = f" to {fast:.0f} for {many} at {speed_hz / 1000:g} kHz"
    advice = "" if sign is Sign.GOOD else advice
    return WiringCheck(
        sign, "samples per second", place, math.floor(slow), LimitKind.AT_LEAST, limit, "", source, how, advice
    )
