"""Checks each part that the settings name: what answered, what did not, and what to try.

A part that cannot be checked is reported so, and the next part is checked. Chips are probed by reads, never by an empty
write, which some controllers acknowledge for an absent chip (raspberrypi/linux#5464). The report holds no angle and no
position, so anyone may read it.

A `Check` is one line of the report. `machine` checks the Pi itself, `config_txt` its kernel's buses and pins,
`keys` the folder of the journal's keys, `calibration` that file, `pages` what brings phones to their pages, `panel`
lamps and buttons, `bus` one bus, `hubs` the hubs. On a bus, `bus_wiring` holds the settings; `muxes`, `strangers`,
`encoders` and `screens` check what answers, and `pace` how fast it is.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from hardware.host import Host
from hardware.kernel_mux import I2cTree
from pi_app.plans.check import Check, Sign, Symptom, failing
from pi_app.plans.config_txt import spi_pins
from pi_app.play.parts import Parts
from pi_app.play.wires import kernel_problems
from pi_app.settings.model import Settings
from pi_app.workshop.doctor.bus import BusDoctor
from pi_app.workshop.doctor.calibration import examine_calibration
from pi_app.workshop.doctor.hubs import examine_hubs
from pi_app.workshop.doctor.keys import examine_keys
from pi_app.workshop.doctor.machine import disk, examine_machine
from pi_app.workshop.doctor.panel import Panel

SCAN_S: Final = 1.0


def examine(settings: Settings, parts: Parts, host: Host, *, seconds: float = SCAN_S) -> Iterator[Check]:
    """Yield a Check for each part as soon as it is known. `seconds`: how long each bus is scanned.

    A part that fails raises nothing; the caller closes `parts`.
    """
    found = []
    for check in _parts(settings, parts, host, seconds):
        found.append(check)
        yield check
    if settings.station is not None:
        from pi_app.workshop.doctor.station import examine_station  # nothing of it is loaded for another table

        yield from examine_station(settings, host, found)


def _parts(settings: Settings, parts: Parts, host: Host, seconds: float) -> Iterator[Check]:
    if not parts.simulated:
        yield from examine_machine(host)
        yield from spi_pins(host, [pin for seat in settings.seats.values() for pin in seat.gpios])
    yield disk(host, settings.beside(settings.table.journal).parent)
    yield from examine_keys(settings)
    yield from examine_calibration(settings)
    if settings.pages is not None:
        from pi_app.workshop.doctor.pages import examine_pages  # nothing of pages is loaded for a table without

        yield from examine_pages(settings, host, simulated=parts.simulated)
    with contextlib.ExitStack() as closing:
        panel = Panel(settings, parts, closing)
        yield from panel.pins_and_lamps()
        panel.note_pressed()
        for name in settings.buses:
            yield from BusDoctor(settings, name, parts, host, panel.usable, seconds).examine()
        yield from examine_hubs(settings, parts, seconds)
        yield from panel.buttons()


def before_play(settings: Settings, parts: Parts, host: Host) -> Iterator[Check]:
    """Check what must be right before a game: the pins, the buses and their parts; quicker than `examine`, since
    nothing is timed. The caller closes `parts`."""
    yield from examine_calibration(settings)
    tree = I2cTree(host.root / "sys/bus/i2c/devices")
    unsafe = [] if parts.simulated else kernel_problems(settings, tree)
    for problem in unsafe:
        yield replace(failing(problem), refuses=True)
    shared = {problem.place for problem in unsafe}
    with contextlib.ExitStack() as closing:
        panel = Panel(settings, parts, closing)
        yield from panel.pins_and_lamps()
        for name, bus in settings.buses.items():
            if bus.device not in shared:
                yield from BusDoctor(settings, name, parts, host, panel.usable, None).examine()
        yield from examine_hubs(settings, parts, None)


def failed(checks: Sequence[Check]) -> bool:
    return any(check.sign is Sign.FAILS for check in checks)


__all__ = ["Check", "Host", "Sign", "Symptom", "before_play", "examine", "failed"]
