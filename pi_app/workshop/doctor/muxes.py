"""Checks that a mux answers, switches, and reacts to its RESET."""

from __future__ import annotations

from collections.abc import Iterator

from hardware.bus import Bus
from hardware.chips.tca9548a import ADVICE, ALL_CLOSED, Tca9548a
from hardware.errors import NoAnswer
from pi_app.plans.check import Check, Sign
from pi_app.play.wires import TableWires
from pi_app.workshop.doctor.bus_wiring import BusWiring, mux_part
from pi_app.workshop.doctor.strangers import known_at


def examine_mux(wiring: BusWiring, wires: TableWires, address: int) -> Iterator[Check]:
    """Check one mux and leave it with all channels closed. Raises HardwareError."""
    mux = wires.muxes[wiring.name, address]
    part, place = mux_part(address), wiring.place(address)
    bus = wires.buses[wiring.name]
    try:
        bus.transfer((mux.read_back,))
    except NoAnswer as error:
        raise NoAnswer(part, error.place, error.seen, ADVICE) from error
    mux.put(ALL_CLOSED)
    mux.verify()
    spare = wiring.spare_channel(address)
    if not _switches(bus, mux, spare):
        yield Check(
            Sign.FAILS,
            part,
            place,
            "answers, but does not switch as a TCA9548A does",
            f"Check for another chip with this address: {known_at(address)}.",
            refuses=True,
        )
        return
    if not any(each.address == address and each.reset_gpio is not None for each in wiring.bus.mux):
        yield Check(Sign.GOOD, part, place, "answers and switches; its RESET is not wired")
    elif not wiring.pins:
        yield Check(Sign.UNSURE, part, place, "answers and switches; RESET was not tested, since there are no pins")
    elif _resets(bus, mux, spare):
        yield Check(Sign.GOOD, part, place, "answers and switches; RESET works")
    else:
        yield Check(
            Sign.FAILS,
            part,
            place,
            "answers and switches, but RESET does not reach it",
            "Check the wire from its RESET to the GPIO that the settings name.",
        )
    mux.put(ALL_CLOSED)


def _switches(bus: Bus, mux: Tca9548a, channel: int) -> bool:
    """Whether the register keeps what is written to it. The channel is open for a moment; nothing is sent to it."""
    mux.put(1 << channel)
    return bus.transfer((mux.read_back,)) == bytes((1 << channel,))


def _resets(bus: Bus, mux: Tca9548a, channel: int) -> bool:
    mux.put(1 << channel)
    mux.pulse_reset()
    return bus.transfer((mux.read_back,)) == b"\x00"
