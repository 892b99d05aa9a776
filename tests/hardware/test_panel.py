"""Lamps and buttons above gpiozero's mock pins, and the words for a Pi whose pins cannot be used."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import gpiozero
import pytest
from gpiozero.pins.mock import MockFactory

from hardware import panel
from hardware.errors import NoPins
from hardware.panel import COLOURS, Button, ColourLamp, Lamp, PowerSwitch, bus_line, real_pins


@pytest.fixture
def pins() -> Iterator[MockFactory]:
    before = gpiozero.Device.pin_factory
    factory = MockFactory()
    yield factory
    factory.close()
    assert gpiozero.Device.pin_factory is before, "the global default is nobody's to change"


def test_a_lamp_is_dark_until_told_and_dark_when_closed(pins: MockFactory) -> None:
    lamp = Lamp(pins, 17)
    pin = pins.pin(17)
    assert pin.function == "output"
    seen = [pin.state]
    for do in (lamp.on, lamp.on, lamp.off, lamp.on, lamp.close, lamp.close):
        do()
        seen.append(pin.state)
    assert seen == [False, True, True, False, True, False, False]
    Lamp(pins, 17).close()  # the pin was given back


def test_a_closed_lamp_was_switched_off_before_the_pin_was_given_back(pins: MockFactory) -> None:
    lamp = Lamp(pins, 17)
    lamp.on()
    lamp.close()
    assert [state.state for state in pins.pin(17).states] == [False, True, False]


@pytest.mark.parametrize("active_high", [True, False])
def test_a_power_switch_is_on_until_told_and_on_when_closed(pins: MockFactory, active_high: bool) -> None:
    switch = PowerSwitch(pins, 17, active_high=active_high)
    pin = pins.pin(17)
    seen = [pin.state]
    for do in (switch.off, switch.on, switch.off, switch.close, switch.close):
        do()
        seen.append(pin.state)
    on = active_high
    assert [bool(state) for state in seen[:4]] == [on, not on, on, not on]
    assert [bool(state.state) for state in pin.states][-1] is on


def test_a_line_of_a_bus_is_never_driven_high(pins: MockFactory) -> None:
    line = bus_line(pins, 3)
    pin = pins.pin(3)
    assert (pin.function, line.is_high()) == ("input", True)
    line.pull_low()
    assert (pin.function, line.is_high()) == ("output", False)
    line.let_go()
    assert (pin.function, line.is_high()) == ("input", True)


def test_a_taken_pin_is_no_power_switch(pins: MockFactory) -> None:
    lamp = Lamp(pins, 17)
    with pytest.raises(NoPins, match=r"power switch \(GPIO17\) could not have its pin"):
        PowerSwitch(pins, 17)
    lamp.close()


@pytest.mark.parametrize("colour", COLOURS)
@pytest.mark.parametrize("active_high", [True, False])
def test_a_lamp_of_three_colours_is_on_in_one_and_dark_in_all(
    pins: MockFactory, colour: str, active_high: bool
) -> None:
    lamp = ColourLamp(pins, (5, 6, 13), colour, active_high=active_high)

    def shines() -> tuple[bool, ...]:
        return tuple(pins.pin(gpio).state is active_high for gpio in (5, 6, 13))

    dark = (False, False, False)
    assert any(COLOURS[colour])
    seen = [shines()]
    for do in (lamp.on, lamp.on, lamp.off, lamp.on):
        do()
        seen.append(shines())
    assert seen == [dark, COLOURS[colour], COLOURS[colour], dark, COLOURS[colour]]
    lamp.off()
    lamp.close()
    lamp.close()
    ColourLamp(pins, (5, 6, 13), "white").close()  # the pins were given back


def test_a_lamp_of_three_colours_is_dark_before_its_pins_are_given_back(pins: MockFactory) -> None:
    lamp = ColourLamp(pins, (5, 6, 13), "white")
    lamp.on()
    lamp.close()
    for gpio in (5, 6, 13):
        assert [state.state for state in pins.pin(gpio).states] == [False, True, False]


def test_a_lamp_of_three_colours_that_lacks_one_pin_keeps_none(pins: MockFactory) -> None:
    taken = Lamp(pins, 13)
    with pytest.raises(NoPins, match=r"^lamp \(GPIO13\) could not have its pin \(pin GPIO13 is already in use by "):
        ColourLamp(pins, (5, 6, 13), "white")
    taken.close()
    ColourLamp(pins, (5, 6, 13), "white").close()


def test_a_colour_that_no_lamp_has(pins: MockFactory) -> None:
    with pytest.raises(KeyError):
        ColourLamp(pins, (5, 6, 13), "beige")


def test_a_button_is_read_as_a_level_and_pulled_up(pins: MockFactory) -> None:
    button = Button(pins, 27)
    pin = pins.pin(27)
    assert (pin.function, pin.pull) == ("input", "up")
    seen = [button.pressed]
    for drive in (pin.drive_low, pin.drive_high, pin.drive_low):
        drive()
        seen.append(button.pressed)
    assert seen == [False, True, False, True]
    button.close()
    button.close()


def test_a_button_watches_no_edges(pins: MockFactory) -> None:
    button = Button(pins, 27)
    assert pins.pin(27).when_changed is None
    button.close()


@pytest.mark.parametrize("part", [Lamp, Button])
def test_a_pin_with_two_jobs_is_refused_in_words(pins: MockFactory, part: type[Lamp | Button]) -> None:
    first = Lamp(pins, 5)
    with pytest.raises(NoPins) as refused:
        part(pins, 5)
    first.close()
    assert str(refused.value) == (
        f"{part.__name__.lower()} (GPIO5) could not have its pin (pin GPIO5 is already in use by "
        f"{refused.value.__cause__.__str__().split(' by ')[1]}). "
        "Check the pin's number in the settings, and that nothing else uses it."
    )


@pytest.mark.parametrize("part", [Lamp, Button])
def test_a_pin_that_no_pi_has_is_refused_in_words(pins: MockFactory, part: type[Lamp | Button]) -> None:
    with pytest.raises(NoPins) as refused:
        part(pins, 99)
    assert str(refused.value) == (
        f"{part.__name__.lower()} (GPIO99) could not have its pin (99 is not a valid pin name). "
        "Check the pin's number in the settings, and that nothing else uses it."
    )


# ------------------------------------------------------------------------------------------ the real pins

PYTHON = f"Python {sys.version_info.major}.{sys.version_info.minor}"
TAKE_LGPIO = (
    "Take lgpio from the system: `sudo apt install python3-lgpio`, and make the virtual environment with "
    "`python3 -m venv --system-site-packages`."
)


def stand_in(monkeypatch: pytest.MonkeyPatch, **names: object) -> ModuleType:
    """An lgpio that can be imported and holds just these names."""
    module = ModuleType("lgpio")
    module.__spec__ = ModuleSpec("lgpio", None)
    for name, value in names.items():
        setattr(module, name, value)
    monkeypatch.setitem(sys.modules, "lgpio", module)
    # Set and deleted, so that a gpiozero module bound to this stand-in does not outlive the test.
    monkeypatch.setitem(sys.modules, "gpiozero.pins.lgpio", module)
    del sys.modules["gpiozero.pins.lgpio"]
    return module


def refusal() -> str:
    with pytest.raises(NoPins) as refused:
        real_pins()
    return str(refused.value)


def test_no_lgpio_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert refusal() == f"the Pi's pins ({PYTHON}) found no lgpio library. {TAKE_LGPIO}"


def test_the_wheel_whose_lgpio_is_an_empty_file(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch)
    assert refusal() == (
        f"the Pi's pins ({PYTHON}) found an lgpio library that is empty (a wheel of version 0.0.0.2). {TAKE_LGPIO}"
    )


def test_a_directory_in_which_lgpio_cannot_make_its_pipes(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch)
    monkeypatch.setenv("LG_WD", "/no/such/place")
    assert refusal() == (
        "lgpio's working directory (/no/such/place) cannot be written by this user. "
        "Start in another directory, or set LG_WD to one that can be written."
    )


def test_a_machine_without_pins(tmp_path: Path) -> None:
    with pytest.raises(NoPins) as refused:
        panel._check_chip_may_be_opened(tmp_path)
    assert str(refused.value) == (
        f"the Pi's pins ({tmp_path}/gpiochip*) have no device file. "
        "Real lamps and buttons need a Raspberry Pi; `trapdial demo` plays without one."
    )


def test_a_user_who_may_not_open_the_pins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gpiochip0").touch()
    monkeypatch.setattr("os.access", lambda path, mode: False)
    with pytest.raises(NoPins) as refused:
        panel._check_chip_may_be_opened(tmp_path)
    assert str(refused.value) == (
        f"the Pi's pins ({tmp_path}/gpiochip0) may not be opened by this user. "
        "Join the group: `sudo usermod -a -G gpio $USER`, then log in again."
    )


class LgpioError(Exception):
    """What lgpio raises for everything."""


def working_stand_in(monkeypatch: pytest.MonkeyPatch, revision: int | None) -> list[int]:
    opened: list[int] = []

    def gpiochip_open(chip: int) -> int:
        opened.append(chip)
        return 7

    stand_in(
        monkeypatch,
        error=LgpioError,
        SET_PULL_NONE=0,
        SET_PULL_UP=1,
        SET_PULL_DOWN=2,
        BOTH_EDGES=3,
        RISING_EDGE=1,
        FALLING_EDGE=2,
        gpiochip_open=gpiochip_open,
        gpiochip_close=lambda handle: None,
    )
    from gpiozero.exc import PinUnknownPi
    from gpiozero.pins.lgpio import LGPIOFactory

    def seen_revision(self: object) -> int:
        if revision is None:
            raise PinUnknownPi("unable to locate Pi revision")
        return revision

    monkeypatch.setattr(LGPIOFactory, "_get_revision", seen_revision)
    monkeypatch.setattr(panel, "_check_chip_may_be_opened", lambda: None)
    return opened


def test_real_pins_are_lgpio_pins_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = working_stand_in(monkeypatch, revision=0xC03114)  # a Pi 4
    before = gpiozero.Device.pin_factory
    pins = real_pins()
    assert type(pins).__name__ == "LGPIOFactory"
    assert opened == [0]
    assert gpiozero.Device.pin_factory is before
    pins.close()


def test_a_machine_that_is_no_pi(monkeypatch: pytest.MonkeyPatch) -> None:
    working_stand_in(monkeypatch, revision=None)
    assert refusal() == (
        "the Pi's pins (this machine) were not recognised (unable to locate Pi revision). "
        "Real lamps and buttons need a Raspberry Pi; `trapdial demo` plays without one."
    )


def test_pins_that_lgpio_cannot_open(monkeypatch: pytest.MonkeyPatch) -> None:
    working_stand_in(monkeypatch, revision=0xC03114)

    def fails(chip: int) -> int:
        raise LgpioError("can not open gpiochip")

    monkeypatch.setattr(sys.modules["lgpio"], "gpiochip_open", fails)
    assert refusal() == (
        "the Pi's pins (/dev/gpiochip*) could not be opened (can not open gpiochip). "
        "Look for another program that holds them, then start again."
    )
