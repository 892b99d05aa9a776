"""Refuse settings that are valid but cannot be wired."""

from __future__ import annotations

from collections.abc import Iterator

from pi_app.plans.wiring import header
from pi_app.settings.model import Settings
from pi_app.text.errors import UserFileError
from pi_app.text.user_file import Complaints, seen_as


def insist(settings: Settings) -> None:
    """Raises UserFileError with every problem: a bus with unknown pins, or a pin with two jobs."""
    complaints = Complaints(settings.where)
    jobs: dict[int, str] = {}
    for gpio, place, key in _jobs(settings, complaints):
        first = jobs.setdefault(gpio, f"{key} of {place}")
        if first != f"{key} of {place}":
            reason = f"GPIO {gpio} is already {first}; move one"
            complaints.error(place, f"{key} = {gpio}", reason)
    if complaints.found:
        raise UserFileError([str(problem) for problem in complaints.found])


def _jobs(settings: Settings, complaints: Complaints) -> Iterator[tuple[int, str, str]]:
    """Every wired GPIO: its number, the section, the key or line."""
    model = settings.wiring.pi
    for name, bus in settings.buses.items():
        place, number = f"[bus.{name}]", header.bus_number(bus.device)
        pins = header.bus_pins(model, number, bus.sda_gpio, bus.scl_gpio)
        if pins is None:
            reason = (
                f"the pins of this bus on a {header.PI_NAMES[model]} are not known; set sda_gpio and scl_gpio, or the "
                "right `pi` in [wiring]"
            )
            complaints.error(place, seen_as("device", bus.device), reason)
        else:
            yield pins[0], place, "SDA"
            yield pins[1], place, "SCL"
        resets: set[int] = set()
        for mux in bus.mux:
            if mux.reset_gpio is not None and mux.reset_gpio not in resets:
                resets.add(mux.reset_gpio)  # muxes of one bus may share a RESET wire
                yield mux.reset_gpio, f"[[bus.{name}.mux]] 0x{mux.address:02X}", "reset_gpio"
        if bus.power_gpio is not None:
            yield bus.power_gpio, place, "power_gpio"
    for key, seat in settings.seats.items():
        yield seat.button_gpio, f"[seat.{key}]", "button_gpio"
        if seat.lamp_gpio is not None:
            yield seat.lamp_gpio, f"[seat.{key}]", "lamp_gpio"
        if seat.lamp is not None:
            for colour, gpio in zip(("red", "green", "blue"), seat.lamp.gpios, strict=True):
                yield gpio, f"[seat.{key}.lamp]", f"{colour}_gpio"
