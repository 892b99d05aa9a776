"""Checks the seats' lamps and buttons, and their pins."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hardware.errors import HardwareError
from pi_app.plans.check import Check, Sign, failing, not_tried
from pi_app.play.parts import Parts
from pi_app.play.wires import seat_lamp
from pi_app.settings.model import SeatSettings, Settings

if TYPE_CHECKING:
    from hardware.panel import Button


class Panel:
    """A lamp and a button per seat. Buttons are read before and after the scans."""

    def __init__(self, settings: Settings, parts: Parts, closing: contextlib.ExitStack) -> None:
        self._seats, self._parts, self._closing = settings.seats, parts, closing
        self._buttons: dict[str, Button] = {}
        self._pressed: dict[str, bool] = {}
        self._pins: Any = None

    @property
    def usable(self) -> bool:
        """Whether the Pi's pins can be used."""
        return self._pins is not None

    def pins_and_lamps(self) -> Iterator[Check]:
        """Check the pins themselves and each lamp's pin; report buttons whose pin cannot be used."""
        try:
            self._pins = self._parts.pins()
        except HardwareError as error:
            yield failing(error)
        else:
            yield Check(Sign.GOOD, "pins", "GPIO", _which_pins(self._pins, self._parts.simulated))
        for key, seat in self._seats.items():
            if seat.lamp_gpio is not None or seat.lamp is not None:
                yield replace(self._lamp(key, seat), about=f"lamp {key}")
            for check in self._button(key, seat.button_gpio):
                yield replace(check, about=_button_id(key))

    def _lamp(self, key: str, seat: SeatSettings) -> Check:
        pins = [gpio for gpio in seat.gpios if gpio != seat.button_gpio]
        part, place = f"lamp of seat {key}", ", ".join(f"GPIO{gpio}" for gpio in pins)
        if self._pins is None:
            return not_tried(part, place, "the pins cannot be used")
        try:
            lamp = seat_lamp(self._pins, seat)
        except HardwareError as error:
            return failing(error, part)
        if lamp is not None:
            lamp.close()
        usable = "its pin is usable" if len(pins) == 1 else "its pins are usable"
        return Check(Sign.GOOD, part, place, f"{usable}; check by eye that it lights")

    def _button(self, key: str, gpio: int) -> Iterator[Check]:
        from hardware.panel import Button

        part = f"button of seat {key}"
        if self._pins is None:
            yield not_tried(part, f"GPIO{gpio}", "the pins cannot be used")
            return
        try:
            button = Button(self._pins, gpio)
        except HardwareError as error:
            yield failing(error, part)
            return
        self._closing.callback(button.close)
        self._buttons[key] = button

    def note_pressed(self) -> None:
        """Note which buttons are pressed now."""
        self._pressed = {key: button.pressed for key, button in self._buttons.items()}

    def buttons(self) -> Iterator[Check]:
        """Check each button: one that was pressed and still is, is stuck."""
        for key, button in self._buttons.items():
            part, place = f"button of seat {key}", f"GPIO{self._seats[key].button_gpio}"
            if self._pressed[key] and button.pressed:
                yield Check(
                    Sign.FAILS,
                    part,
                    place,
                    "was pressed all the time",
                    "Release it; if it is not held, its two wires touch, or it is wired to the wrong pin.",
                    about=_button_id(key),
                )
            else:
                yield Check(Sign.GOOD, part, place, "is not pressed", about=_button_id(key))


def _button_id(seat: str) -> str:
    return f"button {seat}"


def _which_pins(pins: Any, simulated: bool) -> str:
    if simulated:
        return "SIMULATED"
    chip = getattr(pins, "chip", None)
    return "can be used, by lgpio" if chip is None else f"can be used, by lgpio, on gpiochip{chip}"
