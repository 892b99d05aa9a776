"""The headers of the Pi and the Pico, and the pins of each bus by model."""

from __future__ import annotations

import pytest

from pi_app.plans.wiring import header
from pi_app.settings.wiring import BUS_PINS, LIKELY_BUS_PINS

# Pin of the header -> GPIO, from Raspberry Pi's own drawing, odd pins first.
LEFT = {3: 2, 5: 3, 7: 4, 11: 17, 13: 27, 15: 22, 19: 10, 21: 9, 23: 11, 27: 0, 29: 5, 31: 6, 33: 13, 35: 19, 37: 26}
RIGHT = {8: 14, 10: 15, 12: 18, 16: 23, 18: 24, 22: 25, 24: 8, 26: 7, 28: 1, 32: 12, 36: 16, 38: 20, 40: 21}


def test_every_gpio_has_the_pin_of_the_drawing() -> None:
    assert {pin: gpio for gpio, pin in header.BOARD_PIN.items()} == {**LEFT, **RIGHT}


def test_the_header_has_forty_pins_and_each_is_one_thing() -> None:
    pins = [*header.BOARD_PIN.values(), *header.V33_PINS, *header.V5_PINS, *header.GROUND_PINS]
    assert sorted(pins) == list(range(1, 41))


def test_pins_of_a_pico_are_each_one_thing() -> None:
    pins = [*header.PICO_PIN.values(), *header.PICO_V33_PINS, *header.PICO_GROUND_PINS]
    assert len(pins) == len(set(pins))
    assert set(pins).isdisjoint({39, 40}), "VSYS and VBUS carry 5 V"
    assert set(range(1, 41)) - set(pins) == {30, 35, 37, 39, 40}
    assert (header.PICO_PIN[4], header.PICO_PIN[5], header.PICO_PIN[9]) == (6, 7, 12)


@pytest.mark.parametrize(
    ("model", "number", "pins"),
    [
        *((model, 1, (2, 3)) for model in ("zero2", "3", "4", "5")),
        *((model, 0, (0, 1)) for model in ("zero2", "3", "4", "5")),
        ("4", 3, (4, 5)),
        ("4", 4, (8, 9)),
        ("4", 5, (12, 13)),
        ("4", 6, (22, 23)),
        ("5", 2, (4, 5)),
        ("5", 3, (6, 7)),
        ("5", 6, None),
        ("3", 6, None),
        ("zero2", 3, None),
        ("4", 11, None),
    ],
)
def test_a_bus_has_the_pins_of_its_overlay(model: str, number: int, pins: tuple[int, int] | None) -> None:
    assert header.bus_pins(model, number, None, None) == pins


def test_the_settings_override_the_models_pins() -> None:
    assert header.bus_pins("5", 3, 22, 23) == (22, 23)
    assert header.bus_pins("3", 8, 23, 24) == (23, 24)
    assert header.bus_pins("4", 6, None, 25) == (22, 25)
    assert header.bus_pins("3", 8, 23, None) is None


def test_the_settings_warn_of_the_same_pins() -> None:
    """`pi_app.settings.wiring` warns of all pins that can belong to a bus."""
    likely = {**BUS_PINS, **LIKELY_BUS_PINS}
    for model in ("zero2", "3", "4", "5"):
        for number in range(7):
            if pins := header.bus_pins(model, number, None, None):
                assert set(pins) <= set(likely[f"/dev/i2c-{number}"]), (model, number)


@pytest.mark.parametrize(
    ("model", "number", "pins", "speed_hz", "line"),
    [
        ("4", 1, (2, 3), 100_000, "dtparam=i2c_arm=on,i2c_arm_baudrate=100000"),
        ("5", 1, (2, 3), 400_000, "dtparam=i2c_arm=on,i2c_arm_baudrate=400000"),
        ("4", 6, (22, 23), 400_000, "dtoverlay=i2c6,baudrate=400000"),
        ("4", 4, (8, 9), 100_000, "dtoverlay=i2c4,baudrate=100000"),
        ("4", 0, (0, 1), 100_000, "dtparam=i2c_vc=on,i2c_vc_baudrate=100000"),
        ("5", 3, (6, 7), 400_000, "dtoverlay=i2c3-pi5,baudrate=400000"),
        ("5", 3, (22, 23), 400_000, "dtoverlay=i2c3-pi5,pins_22_23,baudrate=400000"),
        ("5", 2, (12, 13), 400_000, "dtoverlay=i2c2-pi5,pins_12_13,baudrate=400000"),
        (
            "3",
            8,
            (23, 24),
            100_000,
            "dtoverlay=i2c-gpio,bus=8,i2c_gpio_sda=23,i2c_gpio_scl=24,i2c_gpio_delay_us=2",
        ),
        (
            "4",
            6,
            (16, 20),
            400_000,
            "dtoverlay=i2c-gpio,bus=6,i2c_gpio_sda=16,i2c_gpio_scl=20,i2c_gpio_delay_us=1",
        ),
    ],
)
def test_the_line_of_config_txt(model: str, number: int, pins: tuple[int, int], speed_hz: int, line: str) -> None:
    assert header.config_line(model, number, pins, speed_hz) == line
