"""Lamps and buttons on the Pi's own pins, through gpiozero: the only file that knows it.

The pin factory is always passed in and `gpiozero.Device.pin_factory` is never touched, so that no call can
fall through gpiozero's chain of factories to one that simulates pins or does not support this Pi.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import importlib.util
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any, Final

from hardware.errors import NoPins
from hardware.host import own_environment, pip, take_lgpio

if TYPE_CHECKING:
    from gpiozero.pins import Factory

    from hardware.bus_clear import OpenDrainLine

_GPIO = "the Pi's pins"


def real_pins(root: Path = Path("/")) -> Factory:
    """The pins of this Pi, through lgpio, the only library that supports every model to the 5.

    The caller closes them. Raises NoPins with advice. `root` is the root of the file system.
    """
    _check_gpiozero()
    lgpio = _lgpio()
    chip = header_chip(root)
    _check_chip_may_be_opened(root / "dev", chip)
    from gpiozero.exc import GPIOZeroError
    from gpiozero.pins.lgpio import LGPIOFactory

    try:
        factory = LGPIOFactory(chip=chip)
    except lgpio.error as error:
        raise NoPins(
            _GPIO,
            f"/dev/gpiochip{chip}",
            f"could not be opened ({error})",
            "Stop the other program that holds them, then start again.",
        ) from error
    try:
        factory.board_info  # noqa: B018 - gpiozero reads the Pi's revision at the first access
    except GPIOZeroError as error:
        factory.close()
        raise NoPins(_GPIO, "this machine", f"were not recognised ({error})", _TAKE_A_PI) from error
    return factory


HEADER_CHIPS: Final = frozenset({"raspberrypi,rp1-gpio", "brcm,bcm2711-gpio", "brcm,bcm2835-gpio"})
"""The device tree's names of the chip behind the 40-pin header: of a Pi 5, a Pi 4, and all before."""


def header_chip(root: Path = Path("/")) -> int:
    """The number of the header's gpiochip: 0, but 4 on a Pi 5 with a kernel from before the middle of 2024.

    The kernel's own description decides. Without one, gpiozero's rule since 2.0.1.post3 applies: 4 if
    this is a Pi 5 and that chip exists. (gpiozero's rule alone misses the Pi 500 and the Compute Module 5.)
    """
    for chip in sorted((root / "sys/bus/gpio/devices").glob("gpiochip*")):
        if HEADER_CHIPS & set(_text(chip / "of_node/compatible").split("\0")):
            return int(chip.name.removeprefix("gpiochip"))
    is_pi_5 = _text(root / "proc/device-tree/model").startswith(_WITH_RP1)
    return 4 if is_pi_5 and (root / "dev/gpiochip4").exists() else 0


_WITH_RP1: Final = ("Raspberry Pi 5", "Raspberry Pi Compute Module 5")  # 500 begins like 5


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


_TAKE_A_PI = "Real lamps and buttons need a Raspberry Pi; `trapdial demo` plays without one."


def _check_gpiozero() -> None:
    """Two releases mistake a Pi 5 for another model and then drive the wrong pins (gpiozero#1229)."""
    version = importlib.metadata.version("gpiozero")
    if version in ("2.0.1.post1", "2.0.1.post2"):
        raise NoPins(
            _GPIO,
            f"gpiozero {version}",
            "would be mapped wrongly on a Pi 5",
            f"Type `{pip(own_environment())} install --upgrade gpiozero`: 2.0.1.post3 is the first with the fix.",
        )


def _lgpio() -> ModuleType:
    """The lgpio library. Raises NoPins if it is missing or empty."""
    python = f"Python {sys.version_info.major}.{sys.version_info.minor}"
    if importlib.util.find_spec("lgpio") is None:
        raise NoPins(_GPIO, python, "found no lgpio library", take_lgpio(own_environment()))
    with _folder_for_lgpio():
        import lgpio
    if not hasattr(lgpio, "gpiochip_open"):
        seen = "found an lgpio library that is empty (a wheel of version 0.0.0.2)"
        raise NoPins(_GPIO, python, seen, take_lgpio(own_environment(), empty=True))
    found: ModuleType = lgpio
    return found


@contextlib.contextmanager
def _folder_for_lgpio() -> Iterator[None]:
    """Import lgpio in a temporary working directory, and change back.

    At its import lgpio makes a pipe named .lgd-nfy0 in the working directory, fails with its own error if it
    cannot, and leaves the pipe behind; or it changes to the folder LG_WD, where relative file names are then resolved.
    The pipe is open after the import and its name no longer needed; it carries only edges, which are not used here.
    """
    chosen = os.environ.get("LG_WD")
    if chosen and not os.access(chosen, os.W_OK | os.X_OK):
        raise NoPins(
            "lgpio's working directory",
            chosen,
            "cannot be written by this user",
            "Set LG_WD to a writable folder, or unset it.",
        )
    with contextlib.ExitStack() as after:
        before = os.open(".", os.O_RDONLY)
        after.callback(os.close, before)
        after.callback(os.fchdir, before)
        if not chosen:
            os.chdir(after.enter_context(_temporary_folder()))
        yield


def _temporary_folder() -> tempfile.TemporaryDirectory[str]:
    try:
        return tempfile.TemporaryDirectory(prefix="trapdial-")
    except OSError as error:
        raise NoPins(
            "lgpio's working directory",
            "the folder for temporary files",
            f"could not be made ({error.strerror})",
            "Set LG_WD to a writable folder, or make room on the disk.",
        ) from error


def _check_chip_may_be_opened(devices: Path, chip: int) -> None:
    device = devices / f"gpiochip{chip}"
    if not device.exists():
        raise NoPins(_GPIO, str(device), "have no device file", _TAKE_A_PI)
    if not os.access(device, os.R_OK | os.W_OK):
        raise NoPins(
            _GPIO,
            str(device),
            "cannot be opened: permission denied",
            "Join the group: `sudo usermod -a -G gpio $USER`, then log in again.",
        )


def _pin_errors() -> tuple[type[Exception], ...]:
    """The errors that gpiozero raises for an unusable pin: its own, and those of lgpio if in use."""
    from gpiozero.exc import GPIOZeroError

    lgpio_error = getattr(sys.modules.get("lgpio"), "error", None)
    return (GPIOZeroError, OSError) if lgpio_error is None else (GPIOZeroError, OSError, lgpio_error)


def _refused(part: str, gpio: int, error: Exception) -> NoPins:
    return NoPins(
        part,
        f"GPIO{gpio}",
        f"could not get its pin ({error})",
        "Check the pin's number in the settings, and that nothing else uses it.",
    )


class Lamp:
    """One lamp on one pin, off at first. On and off only: its brightness carries no information."""

    def __init__(self, pin_factory: Factory, gpio: int) -> None:
        """Claim the pin. Raises NoPins."""
        from gpiozero import OutputDevice

        try:
            self._device = OutputDevice(gpio, initial_value=False, pin_factory=pin_factory)
        except _pin_errors() as error:
            raise _refused("lamp", gpio, error) from error

    def on(self) -> None:
        self._device.on()

    def off(self) -> None:
        self._device.off()

    def close(self) -> None:
        """Turn off and release the pin; closing twice is harmless."""
        if not self._device.closed:
            self._device.off()
        self._device.close()


COLOURS: Final[Mapping[str, tuple[bool, bool, bool]]] = MappingProxyType(
    {
        "white": (True, True, True),
        "red": (True, False, False),
        "green": (False, True, False),
        "blue": (False, False, True),
        "yellow": (True, True, False),
        "cyan": (False, True, True),
        "magenta": (True, False, True),
    }
)
"""The colours of a lamp with three: which of red, green and blue are lit."""


class ColourLamp:
    """One lamp of three colours on three pins, off at first. Like `Lamp` it is on or off: its colour is fixed, since a
    colour that carried information would be visible across the room, and not to everyone."""

    def __init__(
        self, pin_factory: Factory, gpios: tuple[int, int, int], colour: str, *, active_high: bool = True
    ) -> None:
        """Claim the pins of red, green and blue; `active_high` is False for a lamp with a common anode.

        Raises NoPins, and then keeps no pin; KeyError for a colour that is not in COLOURS.
        """
        from gpiozero import OutputDevice

        self._lit = COLOURS[colour]
        self._devices: list[OutputDevice] = []
        for gpio in gpios:
            try:
                device = OutputDevice(gpio, active_high=active_high, initial_value=False, pin_factory=pin_factory)
            except _pin_errors() as error:
                self.close()
                raise _refused("lamp", gpio, error) from error
            self._devices.append(device)

    def on(self) -> None:
        for device, lit in zip(self._devices, self._lit, strict=True):
            if lit:
                device.on()

    def off(self) -> None:
        for device in self._devices:
            device.off()

    def close(self) -> None:
        """Turn off and release the pins; closing twice is harmless."""
        for device in self._devices:
            if not device.closed:
                device.off()
            device.close()


class ResetLine:
    """The RESET line of a mux: active low, inactive until it is pulsed."""

    def __init__(self, pin_factory: Factory, gpio: int) -> None:
        """Claim the pin. Raises NoPins."""
        from gpiozero import OutputDevice

        try:
            self._device = OutputDevice(gpio, active_high=False, initial_value=False, pin_factory=pin_factory)
        except _pin_errors() as error:
            raise _refused("mux reset line", gpio, error) from error

    def pulse(self) -> None:
        """Reset once. A TCA9548A needs 6 ns (SCPS207F p.7); two calls into the kernel are far longer."""
        self._device.on()
        self._device.off()

    def close(self) -> None:
        """Release the pin; closing twice is harmless."""
        self._device.close()


class PowerSwitch:
    """The supply of everything on a bus, switched by one pin; on at first."""

    def __init__(self, pin_factory: Factory, gpio: int, *, active_high: bool = True) -> None:
        """Claim the pin. Raises NoPins. `active_high`: a high pin means power."""
        from gpiozero import OutputDevice

        try:
            self._device = OutputDevice(gpio, active_high=active_high, initial_value=True, pin_factory=pin_factory)
        except _pin_errors() as error:
            raise _refused("power switch", gpio, error) from error

    def on(self) -> None:
        self._device.on()

    def off(self) -> None:
        self._device.off()

    def close(self) -> None:
        """Release the pin, with the power on; closing twice is harmless."""
        if not self._device.closed:
            self._device.on()
        self._device.close()


class _OpenDrain:
    """A line of a bus: an output that is low, or an input that leaves it to its pull-up. Never driven high."""

    def __init__(self, pin: Any) -> None:
        self._pin = pin

    def pull_low(self) -> None:
        self._pin.output_with_state(False)

    def release(self) -> None:
        self._pin.function = "input"

    def is_high(self) -> bool:
        return bool(self._pin.state)


def bus_line(pin_factory: Factory, gpio: int) -> OpenDrainLine:
    """A pin of a bus, to be driven by software. Raises NoPins."""
    try:
        line = _OpenDrain(pin_factory.pin(gpio))
        line.release()
    except _pin_errors() as error:
        raise _refused("bus line", gpio, error) from error
    return line


class Button:
    """One button between its pin and ground, pulled up inside the Pi.

    The loop polls its level and uses no edges: lgpio 0.2.2 stops reporting
    edges when the newest of several watchers closes, and at times from the first one on. A level that is
    polled again cannot be lost, and a held button stays down for many polls.
    """

    def __init__(self, pin_factory: Factory, gpio: int) -> None:
        """Claim the pin. Raises NoPins."""
        from gpiozero import InputDevice

        try:
            self._device = InputDevice(gpio, pull_up=True, pin_factory=pin_factory)
        except _pin_errors() as error:
            raise _refused("button", gpio, error) from error

    @property
    def pressed(self) -> bool:
        """Whether it is held down now; not debounced."""
        return bool(self._device.is_active)

    def close(self) -> None:
        """Release the pin; closing twice is harmless."""
        self._device.close()
