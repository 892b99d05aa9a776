"""Checks that a seat's screen answers, or has the other address."""

from __future__ import annotations

from collections.abc import Iterator

from hardware.bus import Read
from hardware.errors import NoAnswer, with_article
from pi_app.plans.check import Check, Sign, Symptom
from pi_app.play.wires import TableWires
from pi_app.workshop.doctor.bus_wiring import BusWiring, SeatScreen, answers
from pi_app.workshop.doctor.encoders import SCREEN_ADDRESSES


def examine_screen(wiring: BusWiring, wires: TableWires, screen: SeatScreen) -> Iterator[Check]:
    """Check one screen; nothing is drawn on it. Raises HardwareError."""
    wanted = screen.wanted
    bus = (
        wires.buses[wiring.name]
        if wanted.mux is None or wanted.channel is None
        else (wires.muxes[wiring.name, wanted.mux].channel(wanted.channel))
    )
    part, place = screen.part, f"{bus.name} 0x{wanted.address:02X}"
    try:
        bus.transfer((Read(wanted.address, 1),))
    except NoAnswer as error:
        other = next(address for address in SCREEN_ADDRESSES if address != wanted.address)
        advice, elsewhere = "Check its plug, then its power, then SDA and SCL.", False
        if answers(bus, other) and other not in [each.wanted.address for each in wiring.screens]:
            advice = f"A screen answers at 0x{other:02X}: change the settings, or its solder bridge."
            elsewhere = True
        found, address = (Symptom.ELSEWHERE, other) if elsewhere else (Symptom.SILENT, None)
        yield Check(Sign.FAILS, part, place, error.seen, advice, found=found, address=address)
        return
    yield Check(Sign.GOOD, part, place, f"answers; that it is {with_article(wanted.chip)} cannot be checked")
