"""The simulated table behind the kernel's drivers: twins, hands and eyes on this side, the kernel on the other.

The guest sends requests over a serial line, one JSON list a line, and receives one JSON object back. `ACTIONS` lists
the requests.
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

from hardware.sims import faults
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
"""The bus of this name is on two lines of the GPIO chip, for the kernel's i2c-gpio."""

KEPT_EDGES: Final = 1000


class RealTimeClock(VirtualClock):
    """The machine's clock, for twins. It adds up the time of a wire for each thread, and `settle` waits it out once for
    a whole transaction; `charging` switches that off, to measure the kernel alone."""

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
        """Wait until the machine's clock has reached the time of this thread's wire."""
        ahead_ns = getattr(self._here, "until_ns", 0) - time.monotonic_ns()
        if ahead_ns > 0:
            time.sleep(ahead_ns / 1e9)


class ServedTable:
    """All devices of a settings file, for a kernel: one I2C controller per bus, then the GPIO chip.

    The n-th bus of the settings becomes `/dev/i2c-<n>` of the guest; the last may be BANGED, on bare lines.
    """

    def __init__(self, settings: Settings, folder: Path, seed: int = 0) -> None:
        self.settings = settings
        self.clock = RealTimeClock()
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
        """Press a button: it shorts its pin to ground."""
        self.pins.drive(self.settings.seats[seat].button_gpio, 0)

    def release(self, seat: str) -> None:
        self.pins.drive(self.settings.seats[seat].button_gpio, 1)

    def drive(self, gpio: int, level: int) -> None:
        """Set any pin's level from outside."""
        self.pins.drive(gpio, level)

    def pulse(self, gpio: int, times: int, ms: int) -> None:
        """Pull a pin down and release it, `times` times, each level held for `ms`."""
        for _ in range(times):
            for level in (0, 1):
                self.pins.drive(gpio, level)
                time.sleep(ms / 1000)

    def turn(self, square: str, clicks: int, ms_per_click: float) -> float:
        """Turn a dial by hand; return the seconds until it rests."""
        now_ns = time.monotonic_ns()
        return (self.table.tiles[square].hand.turn(now_ns, clicks, ms_per_click) - now_ns) / 1e9

    def strike(self, square: str, fault: str) -> None:
        """Inject a fault of `hardware.sims.faults` into a square's tile."""
        with self._lock(square):
            faults.strike(self.table.tiles[square], fault)

    def mend(self, square: str, fault: str) -> None:
        with self._lock(square):
            faults.mend(self.table.tiles[square], fault)

    def _lock(self, square: str) -> Any:
        bus = self.settings.squares[square].bus
        return self.pins.lock if bus == BANGED else self.buses[bus or ""].lock

    def charge(self, charging: bool) -> None:
        """Set whether the wires' bits take their time."""
        self.clock.charging = charging

    def pull_adapter(self, bus: str) -> None:
        """Pull a controller out of its socket."""
        self.buses[bus].close()

    # --- eyes

    def counts(self, square: str) -> int:
        """The magnet's current angle, in counts of one turn."""
        tile = self.table.tiles[square]
        return round(tile.encoder.angle_at(time.monotonic_ns())) & 0xFFF

    def position(self, square: str) -> int | None:
        """The click that the dial rests on, if it rests."""
        return self.table.tiles[square].hand.position

    def screen(self, seat: str) -> dict[str, object]:
        """A seat's screen: whether it is lit, how many pixels shine, and all of them in hexadecimal."""
        oled = self.table.oleds[seat]
        return {"lit": oled.lit, "lit_pixels": oled.lit_pixels(), "pixels": oled.pixels().hex()}

    def level(self, gpio: int) -> int:
        """The level of a pin, whatever drives it."""
        return self.pins.lines[gpio].level

    def edges_of(self, gpio: int) -> list[list[int]]:
        """The latest changes of an output: time in ns, and new level."""
        return [[at_ns, level] for at_ns, line, level in self.edges if line == gpio]

    def mux_register(self, bus: str, address: int) -> int:
        return self.table.buses[bus].muxes[address].register

    def calls(self, bus: str) -> dict[str, object]:
        """The number of transactions on a bus, and the number of messages in each of the latest."""
        device = self.buses[bus]
        return {"transactions": device.requests, "messages": list(device.messages_in_calls)}

    def banged_stops(self) -> int:
        """The number of STOPs on the bare lines."""
        return self.banged.stops

    def failures(self) -> list[str]:
        """Failures on this side."""
        return [f"{device.path.name}: {device.failure!r}" for device in self.devices if device.failure is not None]


ACTIONS: Final = frozenset(
    {"press", "release", "drive", "pulse", "turn", "strike", "mend", "charge", "pull_adapter"}
    | {"counts", "position", "screen", "level", "edges_of", "mux_register", "calls", "banged_stops", "failures"}
)


class RequestServer(threading.Thread):
    """Runs the guest's requests from the serial line, until the line closes."""

    def __init__(self, table: ServedTable, line: socket.socket, finished: Callable[[int], None]) -> None:
        super().__init__(name="request server", daemon=True)
        self._table, self._line, self._finished = table, line, finished
        self.booted_at: float | None = None

    def run(self) -> None:
        try:
            with self._line.makefile("rwb") as connection:
                for row in connection:
                    connection.write(json.dumps(self._execute(row)).encode() + b"\n")
                    connection.flush()
        except OSError:
            return  # the kernel ended, and with it the line

    def _execute(self, row: bytes) -> dict[str, object]:
        try:
            action, *rest = json.loads(row)
        except ValueError:
            return {"error": f"not understood: {row!r}"}
        if action == "booted":
            self.booted_at = time.monotonic()
            return {"got": None}
        if action == "finished":
            self._finished(*rest)
            return {"got": None}
        if action not in ACTIONS:
            return {"error": f"no action called {action!r}; there are {', '.join(sorted(ACTIONS))}"}
        try:
            return {"got": getattr(self._table, action)(*rest)}
        except (ValueError, KeyError, TypeError) as error:
            return {"error": repr(error)}
