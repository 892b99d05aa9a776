"""Freeing a bus whose SDA is held by a chip that stopped in the middle of a byte: nine clocks and a STOP by hand.

NXP UM10204 section 3.1.16: whoever holds SDA gives it back within nine clocks. A Pi's own controllers do not do this
(i2c-bcm2835 has no recovery; i2c-designware only if its pins are described to it), so their pins are taken from them
for a moment. The kernel does not give them back: gpiochip leaves a pin an input when it is let go, and I2C would be
dead until the next start. So each pin's function is noted before, with `pinctrl` of raspi-utils, and written again
behind it: a0 on a Pi 4 and older, a3 on a Pi 5, as it was found.
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
GET_PINCTRL: Final = "Take it from the system: sudo apt install raspi-utils. Or take clear = true out of the settings."
MAY_PINCTRL: Final = (
    "Join the group: sudo usermod -a -G gpio $USER, then log in again. Or take clear = true out of the settings."
)
WHICH_PINS: Final = "Compare scl_gpio and sda_gpio with the bus's dtoverlay, or take clear = true out of the settings."


class Line(Protocol):
    """An open-drain line: pulled low, or let go and pulled up by its resistor."""

    def pull_low(self) -> None: ...
    def let_go(self) -> None: ...
    def is_high(self) -> bool: ...


def nine_clocks(scl: Line, sda: Line) -> bool:
    """Clock until SDA is up, nine times at most, then a STOP; whether both lines are up at the end.

    Each edge is a call into the kernel, which takes longer than the 4.7 us that the slowest mode wants
    (UM10204 table 10). Without SCL nothing can be clocked, and nothing is.
    """
    sda.let_go()
    scl.let_go()
    if not scl.is_high():
        return False
    for _ in range(CLOCKS):
        if sda.is_high():
            break
        scl.pull_low()
        scl.let_go()
    scl.pull_low()
    sda.pull_low()
    scl.let_go()
    sda.let_go()
    return scl.is_high() and sda.is_high()


Run = Callable[[Sequence[str]], str]
"""Runs a program and gives what it says. Raises NoPins."""


def _run(words: Sequence[str]) -> str:
    if shutil.which(words[0]) is None:
        raise NoPins(words[0], "this machine", "is not installed, so a pin could not be given back to I2C", GET_PINCTRL)
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=2)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoPins(words[0], "this machine", f"could not be run ({error})", GET_PINCTRL) from error
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip() or "nothing"
        raise NoPins(words[0], " ".join(words), f"was refused and said: {said}", MAY_PINCTRL)
    return done.stdout


@dataclass(frozen=True, slots=True)
class Pinctrl:
    """The Pi's pin functions, through the program of that name."""

    run: Run = _run

    def function(self, gpio: int, signal: str) -> str:
        """How the pin is set now: `a0` to `a8`. Raises NoPins if the pin is not this signal of an I2C controller.

        Reads lines such as ` 3: a3    pu | hi // GPIO3 = SCL1`.
        """
        said = self.run(("pinctrl", "get", str(gpio)))
        found = re.search(rf"^\s*{gpio}:\s+(a[0-8])\s.*= {signal}\d*\s*$", said, re.MULTILINE)
        if found is None:
            seen = f"is not {signal} of an I2C controller now (pinctrl says: {said.strip() or 'nothing'})"
            raise NoPins("bus line", f"GPIO{gpio}", seen, WHICH_PINS)
        return found[1]

    def set(self, gpio: int, function: str) -> None:
        """Give the pin this function. Raises NoPins."""
        self.run(("pinctrl", "set", str(gpio), function))


@dataclass(frozen=True, slots=True)
class BusPins:
    """The two pins of one bus, and how to have them for a moment.

    `new_pins` gives a pin factory of its own, which is closed before the functions are written back: a pin that is
    let go later would become an input again.
    """

    bus: str
    scl_gpio: int
    sda_gpio: int
    new_pins: Callable[[], Any]
    pinctrl: Pinctrl

    def functions(self) -> tuple[str, str]:
        """What SCL and SDA are set to. Raises NoPins if they are not an I2C controller's."""
        return self.pinctrl.function(self.scl_gpio, "SCL"), self.pinctrl.function(self.sda_gpio, "SDA")

    def clear(self) -> None:
        """Nine clocks and a STOP. Raises BusStuck if a line stays down, NoPins if the pins cannot be had or given
        back; whatever happens, it is tried to give them back."""
        scl_function, sda_function = self.functions()
        try:
            freed = self._by_hand()
        finally:
            self.pinctrl.set(self.scl_gpio, scl_function)
            self.pinctrl.set(self.sda_gpio, sda_function)
        if not freed:
            place = f"SCL on GPIO{self.scl_gpio}, SDA on GPIO{self.sda_gpio}"
            raise BusStuck(f"bus {self.bus}", place, "has a line that is still held down after nine clocks", UNPLUG)

    def _by_hand(self) -> bool:
        from hardware.panel import bus_line

        factory = self.new_pins()
        try:
            scl, sda = bus_line(factory, self.scl_gpio), bus_line(factory, self.sda_gpio)
            return nine_clocks(scl, sda)
        finally:
            factory.close()
