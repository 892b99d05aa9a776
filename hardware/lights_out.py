"""The watchdog of a table: a small separate program that turns screens and lamps off when the game's program dies.

It is started before any screen is opened (`pi_app.play.watchdog`), reads its orders from its standard input, and then
waits there: the other end of that pipe belongs to the game. `done` means a clean end, and the watchdog exits. If the
pipe ends without it, the game was killed or crashed: only then does it open the buses and the pins. So it never
interferes with a running game, it costs nothing meanwhile, and it knows addresses and pin numbers, but nothing of the
game.

It runs as a file, with the standard library alone and without site packages. Orders, one per line:

    mux DEVICE ADDRESS                      close all channels of this mux
    screen DEVICE ADDRESS [MUX CHANNEL]     switch this screen off
    lamp CHIP GPIO LEVEL                    drive this pin to the level at which its lamp is dark, and pull it there
    armed                                   the orders are complete

Sources: linux/i2c-dev.h, linux/gpio.h (v2 of the character device), SSD1306 rev 1.1 and SH1106 v2.3 (0xAE), SCPS207.
"""

from __future__ import annotations

import fcntl
import os
import signal
import struct
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple, Protocol

I2C_SLAVE: Final = 0x0703
"""linux/i2c-dev.h: sets the address of the next writes."""

DISPLAY_OFF: Final = b"\x00\xae"
"""Control byte for commands, and the command that both chips know."""

ALL_CLOSED: Final = b"\x00"
"""For a TCA9548A: no channel."""

GPIO_V2_GET_LINE: Final = 0xC250B407
_OUTPUT, _PULL_UP, _PULL_DOWN = 1 << 3, 1 << 8, 1 << 9
_VALUES: Final = 2
_REQUEST: Final = struct.Struct("@64I32sQI5I" + "IIQQ" * 10 + "II5Ii")
"""struct gpio_v2_line_request: offsets, consumer, flags, attributes, counts, handle."""

TIME_S: Final = 2.0
"""After this it gives up: a restarted game has the wires by then."""
PAUSE_S: Final = 0.02
TRIES: Final = 5


class BusWriter(Protocol):
    """A bus that can be written to."""

    def write(self, address: int, data: bytes) -> None:
        """One transaction. Raises OSError."""


class I2c:
    """A bus of the kernel."""

    def __init__(self, device: str) -> None:
        self._file = os.open(device, os.O_RDWR | os.O_CLOEXEC)

    def write(self, address: int, data: bytes) -> None:
        fcntl.ioctl(self._file, I2C_SLAVE, address)
        os.write(self._file, data)


def drive(chip: str, gpio: int, level: int) -> None:
    """Make a pin an output at this level, with a pull to the same level: some kernels make it an input when this
    program ends. Raises OSError."""
    flags = _OUTPUT | (_PULL_UP if level else _PULL_DOWN)
    attributes = [_VALUES, 0, level, 1, *(0,) * 36]
    request = bytearray(
        _REQUEST.pack(gpio, *(0,) * 63, b"trapdial lights out", flags, 1, *(0,) * 5, *attributes, 1, 0, *(0,) * 5, 0)
    )
    file = os.open(chip, os.O_RDWR | os.O_CLOEXEC)
    try:
        fcntl.ioctl(file, GPIO_V2_GET_LINE, request)
    finally:
        os.close(file)


class Orders(NamedTuple):
    """What has to be turned off."""

    muxes: list[tuple[str, int]]
    screens: list[tuple[str, int, tuple[int, int] | None]]
    lamps: list[tuple[str, int, int]]


def orders_of(lines: Iterable[str]) -> Orders | None:
    """The orders up to `armed`; None if they end before."""
    orders = Orders([], [], [])
    for line in lines:
        match line.split():
            case ["armed"]:
                return orders
            case ["mux", device, address]:
                orders.muxes.append((device, int(address)))
            case ["screen", device, address]:
                orders.screens.append((device, int(address), None))
            case ["screen", device, address, mux, channel]:
                orders.screens.append((device, int(address), (int(mux), int(channel))))
            case ["lamp", chip, gpio, level]:
                orders.lamps.append((chip, int(gpio), int(level)))
    return None


class Darkness:
    """Carries out orders, each as often as necessary, until the time is up."""

    def __init__(self, open_bus: Callable[[str], BusWriter], drive: Callable[[str, int, int], None]) -> None:
        self._open_bus, self._drive = open_bus, drive
        self._until = time.monotonic() + TIME_S
        self._buses: dict[str, BusWriter] = {}

    def carry_out(self, orders: Orders) -> None:
        """Lamps first: they are quick. Then close all muxes, since an open channel may hide another. Screens last."""
        for chip, gpio, level in orders.lamps:
            self._try(self._drive, chip, gpio, level)
        for device, address in orders.muxes:
            self._try(self._write, device, address, ALL_CLOSED)
        for device, address, behind in orders.screens:
            self._try(self._switch_off, device, address, behind)

    def _switch_off(self, device: str, address: int, behind: tuple[int, int] | None) -> None:
        if behind is None:
            self._write(device, address, DISPLAY_OFF)
            return
        mux, channel = behind
        self._write(device, mux, bytes((1 << channel,)))
        try:
            self._write(device, address, DISPLAY_OFF)
        finally:
            self._write(device, mux, ALL_CLOSED)

    def _write(self, device: str, address: int, data: bytes) -> None:
        if device not in self._buses:
            self._buses[device] = self._open_bus(device)
        self._buses[device].write(address, data)

    def _try(self, order: Callable[..., None], *of: object) -> None:
        """Retry: the game's devices may be released a moment after its pipe."""
        for _ in range(TRIES):
            if time.monotonic() > self._until:
                return
            try:
                order(*of)
                return
            except OSError:
                time.sleep(PAUSE_S)


def watch(
    lines: Iterator[str],
    open_bus: Callable[[str], BusWriter] = I2c,
    drive: Callable[[str, int, int], None] = drive,
) -> bool:
    """Wait for the end of the game; return whether there was anything to turn off."""
    orders = orders_of(lines)
    if orders is None or next(lines, "").strip() == "done":
        return False
    Darkness(open_bus, drive).carry_out(orders)
    return True


def live_through_signals() -> None:
    """Run in a separate session and ignore the signals that end the game: only its pipe counts."""
    ignored = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGABRT, signal.SIGTERM, signal.SIGTSTP)
    for number in (*ignored, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
    if os.getsid(0) != os.getpid():
        os.setsid()


if __name__ == "__main__":
    live_through_signals()
    watch(iter(sys.stdin))
