"""Lamps and buttons above gpiozero's mock pins, and the messages about a Pi whose pins cannot be used."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import gpiozero
import pytest
from gpiozero.pins.mock import MockFactory

from hardware.errors import NoPins
from hardware.panel import COLOURS, Button, ColourLamp, Lamp, PowerSwitch, bus_line, header_chip, real_pins
from hardware.sims.clock import VirtualClock
from hardware.sims.pins import SimPins


@pytest.fixture
def pins() -> Iterator[MockFactory]:
    before = gpiozero.Device.pin_factory
    factory = MockFactory()
    yield factory
    factory.close()
    assert gpiozero.Device.pin_factory is before, "the global default must not change"


def test_a_lamp_is_off_until_switched_on_and_off_when_closed(pins: MockFactory) -> None:
    lamp = Lamp(pins, 17)
    pin = pins.pin(17)
    assert pin.function == "output"
    seen = [pin.state]
    for do in (lamp.on, lamp.on, lamp.off, lamp.on, lamp.close, lamp.close):
        do()
        seen.append(pin.state)
    assert seen == [False, True, True, False, True, False, False]
    Lamp(pins, 17).close()  # the pin was released


def test_a_closed_lamp_was_switched_off_before_its_pin_was_released(pins: MockFactory) -> None:
    lamp = Lamp(pins, 17)
    lamp.on()
    lamp.close()
    assert [state.state for state in pins.pin(17).states] == [False, True, False]


@pytest.mark.parametrize("active_high", [True, False])
def test_a_power_switch_is_on_until_switched_off_and_on_when_closed(pins: MockFactory, active_high: bool) -> None:
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
    line.release()
    assert (pin.function, line.is_high()) == ("input", True)


def test_a_pin_in_use_is_no_power_switch(pins: MockFactory) -> None:
    lamp = Lamp(pins, 17)
    with pytest.raises(NoPins, match=r"power switch \(GPIO17\) could not get its pin"):
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
    ColourLamp(pins, (5, 6, 13), "white").close()  # the pins were released


def test_a_lamp_of_three_colours_is_off_before_its_pins_are_released(pins: MockFactory) -> None:
    lamp = ColourLamp(pins, (5, 6, 13), "white")
    lamp.on()
    lamp.close()
    for gpio in (5, 6, 13):
        assert [state.state for state in pins.pin(gpio).states] == [False, True, False]


def test_a_lamp_of_three_colours_that_lacks_one_pin_keeps_none(pins: MockFactory) -> None:
    taken = Lamp(pins, 13)
    with pytest.raises(NoPins, match=r"^lamp \(GPIO13\) could not get its pin \(pin GPIO13 is already in use by "):
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


def test_a_button_uses_no_edges(pins: MockFactory) -> None:
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
        f"{part.__name__.lower()} (GPIO5) could not get its pin (pin GPIO5 is already in use by "
        f"{refused.value.__cause__.__str__().split(' by ')[1]}). "
        "Check the pin's number in the settings, and that nothing else uses it."
    )


@pytest.mark.parametrize("part", [Lamp, Button])
def test_a_pin_that_no_pi_has_is_refused_in_words(pins: MockFactory, part: type[Lamp | Button]) -> None:
    with pytest.raises(NoPins) as refused:
        part(pins, 99)
    assert str(refused.value) == (
        f"{part.__name__.lower()} (GPIO99) could not get its pin (99 is not a valid pin name). "
        "Check the pin's number in the settings, and that nothing else uses it."
    )


# ------------------------------------------------------------------------------------------ the real pins

PYTHON = f"Python {sys.version_info.major}.{sys.version_info.minor}"
ENVIRONMENT = "/home/pi/trapdial/.venv"
TAKE_LGPIO = (
    "sudo apt install python3-lgpio && python3 -m venv --system-site-packages /home/pi/trapdial/.venv`. "
    "Raspberry Pi OS has this package; Debian does not."
)


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.prefix", ENVIRONMENT)


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


def a_pi(root: Path, model: str = "Raspberry Pi 4 Model B Rev 1.4", **chips: str) -> Path:
    """A machine with these gpiochips, by their names in the device tree."""
    files = {"proc/device-tree/model": f"{model}\0"}
    for name, compatible in (chips or {"gpiochip0": "brcm,bcm2711-gpio"}).items():
        files |= {f"dev/{name}": "", f"sys/bus/gpio/devices/{name}/of_node/compatible": f"{compatible}\0"}
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


def refusal(root: Path) -> str:
    with pytest.raises(NoPins) as refused:
        real_pins(root)
    return str(refused.value)


def test_no_lgpio_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert refusal(tmp_path) == f"the Pi's pins ({PYTHON}) found no lgpio library. Type `{TAKE_LGPIO}"


def test_the_wheel_whose_lgpio_is_an_empty_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch)
    assert refusal(tmp_path) == (
        f"the Pi's pins ({PYTHON}) found an lgpio library that is empty (a wheel of version 0.0.0.2). "
        f"Type `{ENVIRONMENT}/bin/python -m pip uninstall -y lgpio && {TAKE_LGPIO}"
    )


@pytest.mark.parametrize("version", ["2.0.1.post1", "2.0.1.post2"])
def test_a_gpiozero_without_support_for_a_pi_5(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    monkeypatch.setattr("importlib.metadata.version", lambda package: version)
    assert refusal(tmp_path) == (
        f"the Pi's pins (gpiozero {version}) would be mapped wrongly on a Pi 5. "
        "Type `/home/pi/trapdial/.venv/bin/python -m pip install --upgrade gpiozero`: "
        "2.0.1.post3 is the first with the fix."
    )


def test_a_directory_in_which_lgpio_cannot_make_its_pipes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch)
    monkeypatch.setenv("LG_WD", "/no/such/place")
    assert refusal(tmp_path) == (
        "lgpio's working directory (/no/such/place) cannot be written by this user. "
        "Set LG_WD to a writable folder, or unset it."
    )


def test_a_machine_without_room_for_the_pipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch)
    monkeypatch.delenv("LG_WD", raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
    before = Path.cwd()
    assert refusal(tmp_path) == (
        "lgpio's working directory (the folder for temporary files) could not be made (No such file or directory). "
        "Set LG_WD to a writable folder, or make room on the disk."
    )
    assert Path.cwd() == before


LITTERING = (
    "import os\n"
    "if os.environ.get('LG_WD'):\n"
    "    os.chdir(os.environ['LG_WD'])\n"
    "os.mkfifo('.lgd-nfy0')\n"
    "made_in = os.getcwd()\n"
)
"""An lgpio that does at its import what version 0.2.2.0 does with the working directory."""


@pytest.mark.parametrize("chosen", [False, True])
def test_the_working_directory_stays_the_same_and_clean(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chosen: bool
) -> None:
    for name in ("library", "stands", "wanted"):
        (tmp_path / name).mkdir()
    (tmp_path / "library/lgpio.py").write_text(LITTERING, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path / "library"))
    monkeypatch.setitem(sys.modules, "lgpio", ModuleType("lgpio"))
    del sys.modules["lgpio"]
    monkeypatch.chdir(tmp_path / "stands")
    monkeypatch.delenv("LG_WD", raising=False)
    if chosen:
        monkeypatch.setenv("LG_WD", str(tmp_path / "wanted"))
    assert "an lgpio library that is empty" in refusal(tmp_path)
    assert Path.cwd() == tmp_path / "stands"
    assert list((tmp_path / "stands").iterdir()) == []
    assert (tmp_path / "wanted/.lgd-nfy0").exists() is chosen
    assert Path(sys.modules["lgpio"].made_in).exists() is chosen


def test_a_machine_without_pins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    working_stand_in(monkeypatch, revision=None)
    assert refusal(tmp_path) == (
        f"the Pi's pins ({tmp_path}/dev/gpiochip0) have no device file. "
        "Real lamps and buttons need a Raspberry Pi; `trapdial demo` plays without one."
    )


def test_a_user_who_may_not_open_the_pins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    working_stand_in(monkeypatch, revision=0xC03114)
    a_pi(tmp_path)
    monkeypatch.setattr("os.access", lambda path, mode: False)
    assert refusal(tmp_path) == (
        f"the Pi's pins ({tmp_path}/dev/gpiochip0) cannot be opened: permission denied. "
        "Join the group: `sudo usermod -a -G gpio $USER`, then log in again."
    )


class LgpioError(Exception):
    """lgpio's only exception."""


def working_stand_in(monkeypatch: pytest.MonkeyPatch, revision: int | None) -> list[tuple[str, int]]:
    """An lgpio that opens chips, and a log of what was opened and closed."""
    told: list[tuple[str, int]] = []

    def gpiochip_open(chip: int) -> int:
        told.append(("open", chip))
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
        gpiochip_close=lambda handle: told.append(("close", handle)),
    )
    from gpiozero.exc import PinUnknownPi
    from gpiozero.pins.lgpio import LGPIOFactory

    def seen_revision(self: object) -> int:
        if revision is None:
            raise PinUnknownPi("unable to locate Pi revision")
        return revision

    monkeypatch.setattr(LGPIOFactory, "_get_revision", seen_revision)
    return told


def test_real_pins_are_lgpio_pins_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = working_stand_in(monkeypatch, revision=0xC03114)  # a Pi 4
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    before = gpiozero.Device.pin_factory
    pins = real_pins(a_pi(tmp_path))
    assert type(pins).__name__ == "LGPIOFactory"
    assert gpiozero.Device.pin_factory is before
    pins.close()
    assert told == [("open", 0), ("close", 7)]


PI_5 = "Raspberry Pi 5 Model B Rev 1.0"
RP1 = "raspberrypi,rp1-gpio"


@pytest.mark.parametrize(
    ("model", "chips", "number"),
    [
        ("Raspberry Pi 3 Model B Rev 1.2", {"gpiochip0": "brcm,bcm2835-gpio", "gpiochip1": "rpi,firmware"}, 0),
        ("Raspberry Pi 4 Model B Rev 1.4", {"gpiochip0": "brcm,bcm2711-gpio"}, 0),
        (PI_5, {"gpiochip0": "brcm,bcm7445-gpio", "gpiochip4": RP1}, 4),
        (PI_5, {"gpiochip0": RP1, "gpiochip10": "brcm,bcm7445-gpio"}, 0),
        ("Raspberry Pi Compute Module 5 Rev 1.0", {"gpiochip0": "brcm,bcm7445-gpio", "gpiochip4": RP1}, 4),
        # the kernel describes nothing: gpiozero's rule
        (PI_5, {"gpiochip0": "", "gpiochip4": ""}, 4),
        (PI_5, {"gpiochip0": ""}, 0),
        ("Raspberry Pi 500 Rev 1.0", {"gpiochip0": "", "gpiochip4": ""}, 4),
        ("Raspberry Pi 4 Model B Rev 1.4", {"gpiochip0": "", "gpiochip4": ""}, 0),
    ],
)
def test_the_header_is_found_on_every_pi_and_kernel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str, chips: dict[str, str], number: int
) -> None:
    told = working_stand_in(monkeypatch, revision=0xC04170)  # a Pi 5
    root = a_pi(tmp_path, model, **chips)
    assert header_chip(root) == number
    real_pins(root).close()
    assert told[0] == ("open", number)


def test_a_machine_that_is_no_pi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = working_stand_in(monkeypatch, revision=None)
    assert refusal(a_pi(tmp_path, "A big one", gpiochip0="intel,some")) == (
        "the Pi's pins (this machine) were not recognised (unable to locate Pi revision). "
        "Real lamps and buttons need a Raspberry Pi; `trapdial demo` plays without one."
    )
    assert told == [("open", 0), ("close", 7)]


def test_pins_that_lgpio_cannot_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    working_stand_in(monkeypatch, revision=0xC03114)

    def fails(chip: int) -> int:
        raise LgpioError("can not open gpiochip")

    monkeypatch.setattr(sys.modules["lgpio"], "gpiochip_open", fails)
    assert refusal(a_pi(tmp_path)) == (
        "the Pi's pins (/dev/gpiochip0) could not be opened (can not open gpiochip). "
        "Stop the other program that holds them, then start again."
    )


# ------------------------------------------------------------------------------------ edges that lgpio does not report


def test_buttons_work_where_lgpio_reports_no_edges_at_all() -> None:
    """Control: gpiozero's own buttons fail under both faults. Ours are polled."""
    pins = SimPins(VirtualClock(), lgpio_faults=True)
    pressed: list[int] = []

    def listens(gpio: int) -> gpiozero.Button:
        told = gpiozero.Button(gpio, pin_factory=pins.factory)
        told.when_pressed = lambda: pressed.append(gpio)
        return told

    def tap(gpio: int) -> None:
        pins.press(gpio)
        pins.release(gpio)

    alone = listens(5)
    tap(5)
    assert pressed == [], "the first watcher gets no edges"
    second, newest = listens(6), listens(13)
    tap(5)
    tap(6)
    assert pressed == [5, 6], "a second watcher wakes it"
    newest.close()
    tap(5)
    tap(6)
    assert pressed == [5, 6], "and when the newest stops, all stop"

    ours = {gpio: Button(pins.factory, gpio) for gpio in (16, 20, 21)}
    assert not pins.watchers.awake
    for gpio, button in ours.items():
        pins.press(gpio)
        assert [other for other, each in ours.items() if each.pressed] == [gpio]
        pins.release(gpio)
        assert not button.pressed
    ours.pop(21).close()
    pins.press(16)
    assert ours[16].pressed
    for each in (*ours.values(), alone, second):
        each.close()
    pins.close()
