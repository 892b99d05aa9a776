"""The simulated table behind the kernel's drivers: twins, hands and eyes on this side, the kernel on the other.

The guest asks for acts over a serial line, one JSON list a line, and gets one JSON object back. What may be asked for
is in `ACTS`.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from hardware.sims.clock import VirtualClock
from pi_app.settings.model import Settings
from pi_app.simulated.table import SimulatedTable
from tests.kernel.banged import BangedWire
from tests.kernel.devices import GpioDevice, I2cDevice
from tests.kernel.vhost import Device

PI_LINES: Final = 54
"""GPIO 0 to 53 of a Pi 4's first chip."""

BANGED: Final = "banged"
SDA, SCL = 46, 47
"""The bus of this name hangs on two lines of the GPIO chip, for the kernel's i2c-gpio."""

KEPT_EDGES: Final = 1000


class EarnestClock(VirtualClock):
    """The machine's clock, for twins. What a wire takes is noted for each thread, and `settle` waits it out once for a
    whole transaction; `charging` switches that off, to see what the kernel alone takes."""

    __slots__ = ("_here", "charging")

    def __init__(self) -> None:
        super().__init__()
        self._here = threading.local()
        self.charging = True

    def now_ns(self) -> int:
        return max(time.monotonic_ns(), getattr(self._here, "until_ns", 0))

    def advance(self, ns: int) -> None:
        if self.charging:
            self._here.until_ns = self.now_ns() + ns

    def settle(self) -> None:
        """Wait until the machine's clock has come to where this thread's wire is."""
        ahead_ns = getattr(self._here, "until_ns", 0) - time.monotonic_ns()
        if ahead_ns > 0:
            time.sleep(ahead_ns / 1e9)


class ServedTable:
    """Everything that a settings file names, as devices for a kernel: one I2C controller per bus, then the GPIO chip.

    The n-th bus of the settings becomes `/dev/i2c-<n>` of the guest; the last may be BANGED, on bare lines.
    """

    def __init__(self, settings: Settings, folder: Path, seed: int = 0) -> None:
        self.settings = settings
        self.clock = EarnestClock()
        self.table = SimulatedTable(settings, seed=seed, call_cost_ns=0, clock=self.clock)
        self.edges: deque[tuple[int, int, int]] = deque(maxlen=KEPT_EDGES)
        self.buses = {
            name: I2cDevice(folder / f"i2c-{n}", self.table.buses[name].wire, self.clock.settle, bus.timeout_ms)
            for n, (name, bus) in enumerate(settings.buses.items())
            if name != BANGED
        }
        self.pins = GpioDevice(folder / "gpio", PI_LINES, self._edge)
        self.banged = BangedWire(self.table.buses[BANGED].wire)
        self.pins.banged = {SDA: self._bang, SCL: self._bang}
        self._resets = {
            mux.reset_gpio: (self.buses[name], self.table.buses[name].muxes[mux.address])
            for name, bus in settings.buses.items()
            for mux in bus.mux
            if mux.reset_gpio is not None
        }
        self.began_ns = time.monotonic_ns()

    @property
    def devices(self) -> tuple[Device, ...]:
        return (*self.buses.values(), self.pins)

    def close(self) -> None:
        for device in self.devices:
            device.close()
        self.table.close()

    def _bang(self) -> None:
        lines = self.pins.lines
        self.banged.drive(lines[SDA].pulls, lines[SCL].pulls)
        lines[SDA].outside = self.banged.answer

    def _edge(self, gpio: int, level: int) -> None:
        self.edges.append((time.monotonic_ns(), gpio, level))
        if level == 0 and gpio in self._resets:
            bus, mux = self._resets[gpio]
            with bus.lock:
                mux.reset()

    # --- hands

    def press(self, seat: str) -> None:
        """A thumb goes down: the button shorts its pin to ground."""
        self.pins.drive(self.settings.seats[seat].button_gpio, 0)

    def release(self, seat: str) -> None:
        self.pins.drive(self.settings.seats[seat].button_gpio, 1)

    def drive(self, gpio: int, level: int) -> None:
        """Give any pin a level from outside."""
        self.pins.drive(gpio, level)

    def pulse(self, gpio: int, times: int, ms: int) -> None:
        """Pull a pin down and let go of it, so many times, each level held for `ms`."""
        for _ in range(times):
            for level in (0, 1):
                self.pins.drive(gpio, level)
                time.sleep(ms / 1000)

    def turn(self, square: str, clicks: int, ms_per_click: float) -> float:
        """A hand turns a dial; how many seconds until it rests."""
        now_ns = time.monotonic_ns()
        return (self.table.tiles[square].hand.turn(now_ns, clicks, ms_per_click) - now_ns) / 1e9

    def strike(self, square: str, fault: str) -> None:
        """A fault of `hardware.sims.faults` befalls a square's tile."""
        with self._lock(square):
            self.table.tiles[square].strike(fault)

    def mend(self, square: str, fault: str) -> None:
        with self._lock(square):
            self.table.tiles[square].mend(fault)

    def _lock(self, square: str) -> Any:
        bus = self.settings.squares[square].bus
        return self.pins.lock if bus == BANGED else self.buses[bus or ""].lock

    def charge(self, charging: bool) -> None:
        """Whether the wires' bits take their time."""
        self.clock.charging = charging

    def pull_adapter(self, bus: str) -> None:
        """A controller is pulled out of its socket."""
        self.buses[bus].close()

    # --- eyes

    def counts(self, square: str) -> int:
        """Where the magnet stands now, in counts of one turn."""
        tile = self.table.tiles[square]
        return round(tile.encoder.angle_at(time.monotonic_ns())) & 0xFFF

    def position(self, square: str) -> int | None:
        """The click that the dial rests on, if it rests."""
        return self.table.tiles[square].hand.position

    def screen(self, seat: str) -> dict[str, object]:
        """What an eye sees: whether the screen is lit, how many pixels shine, and all of them in hexadecimal."""
        oled = self.table.oleds[seat]
        return {"lit": oled.lit, "lit_pixels": oled.lit_pixels(), "pixels": oled.pixels().hex()}

    def level(self, gpio: int) -> int:
        """The level of a pin, whoever drives it."""
        return self.pins.lines[gpio].level

    def edges_of(self, gpio: int) -> list[list[int]]:
        """The latest changes of an output: moment in ns, and new level."""
        return [[at_ns, level] for at_ns, line, level in self.edges if line == gpio]

    def mux_register(self, bus: str, address: int) -> int:
        return self.table.buses[bus].muxes[address].register

    def calls(self, bus: str) -> dict[str, object]:
        """Transactions served on a bus, and how many messages each of the latest had."""
        device = self.buses[bus]
        return {"transactions": device.requests, "messages": list(device.messages_in_calls)}

    def banged_stops(self) -> int:
        """How many STOPs were seen on the bare lines."""
        return self.banged.stops

    def failures(self) -> list[str]:
        """What went wrong on this side."""
        return [f"{device.path.name}: {device.failure!r}" for device in self.devices if device.failure is not None]


ACTS: Final = frozenset(
    {"press", "release", "drive", "pulse", "turn", "strike", "mend", "charge", "pull_adapter"}
    | {"counts", "position", "screen", "level", "edges_of", "mux_register", "calls", "banged_stops", "failures"}
)


class Servant(threading.Thread):
    """Does what the guest asks for over the serial line, until the line closes."""

    def __init__(self, table: ServedTable, line: socket.socket, finished: Callable[[int], None]) -> None:
        super().__init__(name="servant", daemon=True)
        self._table, self._line, self._finished = table, line, finished
        self.booted_at: float | None = None

    def run(self) -> None:
        try:
            with self._line.makefile("rwb") as talk:
                for row in talk:
                    talk.write(json.dumps(self._done(row)).encode() + b"\n")
                    talk.flush()
        except OSError:
            return  # the kernel is gone, and with it the line

    def _done(self, row: bytes) -> dict[str, object]:
        try:
            act, *rest = json.loads(row)
        except ValueError:
            return {"error": f"not understood: {row!r}"}
        if act == "booted":
            self.booted_at = time.monotonic()
            return {"got": None}
        if act == "finished":
            self._finished(*rest)
            return {"got": None}
        if act not in ACTS:
            return {"error": f"no act called {act!r}; there are {', '.join(sorted(ACTS))}"}
        try:
            return {"got": getattr(self._table, act)(*rest)}
        except (ValueError, KeyError, TypeError) as error:
            return {"error": repr(error)}
