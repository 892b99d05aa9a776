"""Freeing a bus whose SDA is held by a chip that stopped in the middle of a byte: nine clocks and a STOP by hand.

NXP UM10204 section 3.1.16: a chip that holds SDA releases it within nine clocks. A Pi's own controllers do not send
them (i2c-bcm2835 has no recovery; i2c-designware only if its pins are described to it), so this borrows their pins.
The kernel does not restore them: gpiochip leaves a released pin an input, and I2C would be
dead until the next start. So each pin's function is read before, with `pinctrl` of raspi-utils, and written back
afterwards: a0 on a Pi 4 and older, a3 on a Pi 5, as it was found.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from hardware.errors import BusStuck, NoPins

CLOCKS: Final = 9

UNPLUG: Final = "Unplug tile after tile until the bus comes back."
GET_PINCTRL: Final = (
    "Install it from the system: sudo apt install raspi-utils. Or remove clear = true from the settings."
)
MAY_PINCTRL: Final = (
    "Join the group: sudo usermod -a -G gpio $USER, then log in again. Or remove clear = true from the settings."
)
WHICH_PINS: Final = "Compare scl_gpio and sda_gpio with the bus's dtoverlay, or remove clear = true from the settings."


class OpenDrainLine(Protocol):
    """An open-drain line: pulled low, or released and pulled up by its resistor."""

    def pull_low(self) -> None: ...
    def release(self) -> None: ...
    def is_high(self) -> bool: ...


def nine_clocks(scl: OpenDrainLine, sda: OpenDrainLine) -> bool:
    """Clock until SDA is up, nine times at most, then send a STOP; return whether both lines are up at the end.

    Each edge is a call into the kernel, which takes longer than the 4.7 us that the slowest mode requires
    (UM10204 table 10). While SCL is held, nothing is clocked.
    """
    sda.release()
    scl.release()
    if not scl.is_high():
        return False
    for _ in range(CLOCKS):
        if sda.is_high():
            break
        scl.pull_low()
        scl.release()
    scl.pull_low()
    sda.pull_low()
    scl.release()
    sda.release()
    return scl.is_high() and sda.is_high()


Run = Callable[[Sequence[str]], str]
"""Runs a program and returns its output. Raises NoPins."""


def _run(words: Sequence[str]) -> str:
    if shutil.which(words[0]) is None:
        raise NoPins(words[0], "this machine", "is not installed, so a pin could not be returned to I2C", GET_PINCTRL)
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=2)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoPins(words[0], "this machine", f"could not be run ({error})", GET_PINCTRL) from error
    if done.returncode != 0:
        output = (done.stderr or done.stdout).strip() or "nothing"
        raise NoPins(words[0], " ".join(words), f"failed with the message: {output}", MAY_PINCTRL)
    return done.stdout


@dataclass(frozen=True, slots=True)
class Pinctrl:
    """The Pi's pin functions, through the program of that name."""

    run: Run = _run

    def function(self, gpio: int, signal: str) -> str:
        """The pin's function now: `a0` to `a8`. Raises NoPins if the pin is not this signal of an I2C controller.

        Reads lines such as ` 3: a3    pu | hi // GPIO3 = SCL1`.
        """
        output = self.run(("pinctrl", "get", str(gpio)))
        found = re.search(rf"^\s*{gpio}:\s+(a[0-8])\s.*= {signal}\d*\s*$", output, re.MULTILINE)
        if found is None:
            seen = f"is not {signal} of an I2C controller now (pinctrl says: {output.strip() or 'nothing'})"
            raise NoPins("bus line", f"GPIO{gpio}", seen, WHICH_PINS)
        return found[1]

    def set(self, gpio: int, function: str) -> None:
        """Set the pin's function. Raises NoPins."""
        self.run(("pinctrl", "set", str(gpio), function))


@dataclass(frozen=True, slots=True)
class BusPins:
    """The two pins of one bus, and how to borrow them.

    `new_pins` makes a separate pin factory, which is closed before the pin functions are restored: a pin that is
    released later would become an input again. `new_line` makes a line of a pin of that factory.
    """

    bus: str
    scl_gpio: int
    sda_gpio: int
    new_pins: Callable[[], Any]
    new_line: Callable[[Any, int], OpenDrainLine]
    pinctrl: Pinctrl

    def functions(self) -> tuple[str, str]:
        """The functions of SCL and SDA. Raises NoPins if they are not an I2C controller's."""
        return self.pinctrl.function(self.scl_gpio, "SCL"), self.pinctrl.function(self.sda_gpio, "SDA")

    def clear(self) -> None:
        """Send nine clocks and a STOP. Raises BusStuck if a line stays down, NoPins if the pins cannot be borrowed or
        restored; it always tries to restore them."""
        scl_function, sda_function = self.functions()
        try:
            freed = self._by_hand()
        finally:
            self.pinctrl.set(self.scl_gpio, scl_function)
            self.pinctrl.set(self.sda_gpio, sda_function)
        if not freed:
            place = f"SCL on GPIO{self.scl_gpio}, SDA on GPIO{self.sda_gpio}"
            raise BusStuck(f"bus {self.bus}", place, "still has a line held down after nine clocks", UNPLUG)

    def _by_hand(self) -> bool:
        factory = self.new_pins()
        try:
            scl, sda = self.new_line(factory, self.scl_gpio), self.new_line(factory, self.sda_gpio)
            return nine_clocks(scl, sda)
        finally:
            factory.close()
