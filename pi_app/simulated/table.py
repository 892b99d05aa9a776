"""A simulated table: twins of the chips, pins and dials that the settings name.

It never sees the trap tables. The program above it (`pi_app.play.build`) is the one of a real table.
"""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from firmware_host.source import HubSource
from hardware.adapter import Adapter
from hardware.bus_clear import Pinctrl
from hardware.bus_linux import LinuxBus
from hardware.chips.as5600 import As5600
from hardware.chips.tca9548a import CHANNELS, Tca9548a
from hardware.scan import Scan, ScanDial
from hardware.sims import faults
from hardware.sims.adapter import SimAdapter
from hardware.sims.clock import VirtualClock
from hardware.sims.encoder_twin import TwinPlace
from hardware.sims.encoders import encoder_twin
from hardware.sims.faults import FAULTS, Fault
from hardware.sims.faults import find as find_fault
from hardware.sims.hand import COUNTS_PER_TURN, HANDS, SimHand, SimMagnet
from hardware.sims.oled import OledTwin
from hardware.sims.pins import Edge, SimPinctrl, SimPins, bus_line_pins
from hardware.sims.screens import screen_twin
from hardware.sims.table import Tile
from hardware.sims.tca9548a import Tca9548aTwin
from hardware.sims.tile_memory import TileMemoryTwin
from hardware.sims.wire import BusSegment, SimWire
from pi_app.dials.calibration import Calibration
from pi_app.settings.hubs import HubSettings
from pi_app.settings.model import BusSettings, ScreenSettings, Settings, SquareSettings

PER_MUX = len(CHANNELS)
FIRST_MUX = 0x70
"""The address of a hub's mux; a second one is at the next address."""

HUB_SPEED_HZ = 400_000

MIXED = "mixed"

CALL_COST_NS = 80_000
"""The cost of one kernel call beside its bits, on the virtual clock: the middle of what is planned for a Pi."""

__all__ = ["FAULTS", "Fault", "SimulatedBus", "SimulatedTable", "faults", "find_fault"]


@dataclass(frozen=True, slots=True)
class SimulatedBus:
    """One bus: its wire and the muxes on it by address."""

    wire: SimWire
    muxes: Mapping[int, Tca9548aTwin]

    def segment(self, mux: int | None, channel: int | None) -> BusSegment:
        """Return the segment of a chip: a channel of a mux, or the trunk."""
        if mux is None or channel is None:
            return self.wire.trunk
        return self.muxes[mux].channels[channel]


class SimulatedTable:
    """Twins for everything that the settings name. `stands`: the positions of dials that are not at their start.

    `known`: the calibration file. Simulated tiles with a memory have the numbers that are in it.
    `hand`: the kind of hand on every dial, one of `hardware.sims.hand.HANDS`, or "mixed": each dial has another, by the
    seed. Raises ValueError for any other.
    """

    simulated = True

    def __init__(
        self,
        settings: Settings,
        *,
        seed: int = 0,
        stands: Mapping[str, int] | None = None,
        known: Mapping[str, Calibration] | None = None,
        on_edge: Callable[[Edge], None] | None = None,
        call_cost_ns: int = CALL_COST_NS,
        clock: VirtualClock | None = None,
        hand: str = "formula",
    ) -> None:
        self.clock = VirtualClock() if clock is None else clock
        self.hands: contextlib.AbstractContextManager[object] = contextlib.nullcontext()
        """The lock for dials and leads: on a simulated board another thread reads them."""
        self._call_cost_ns = call_cost_ns
        self._hand_kind = hand
        self.buses = {name: self._bus(name, bus) for name, bus in settings.buses.items()}
        self.hubs = {name: self._hub_wire(name) for name in settings.hubs}
        self.tiles = {
            label: self._tile(square, seed * 1000 + n, (stands or {}).get(label, 0), (known or {}).get(label))
            for n, (label, square) in enumerate(settings.squares.items())
        }
        self.oleds = {key: self._oled(seat.screen) for key, seat in settings.seats.items() if seat.screen is not None}
        self.resets = self._reset_lines(settings)
        self._lines = {name: bus.lines for name, bus in settings.buses.items() if bus.lines is not None}
        self.sim_pinctrl = SimPinctrl(
            {
                gpio: signal
                for lines in self._lines.values()
                for gpio, signal in zip(lines, ("SCL1", "SDA1"), strict=True)
            }
        )
        self._supplies = {
            bus.power_gpio: (name, bus.power_active_high)
            for name, bus in settings.buses.items()
            if bus.power_gpio is not None
        }
        self._screen_bus = {key: seat.screen.bus for key, seat in settings.seats.items() if seat.screen is not None}
        self._square_bus = {label: square.bus for label, square in settings.squares.items()}
        self._on_edge = on_edge
        self.sim_pins = SimPins(self.clock, self._edge)
        self.buttons = {key: seat.button_gpio for key, seat in settings.seats.items()}

    def adapter(self, name: str, bus: BusSettings) -> Adapter:
        """Return the twin of this bus's adapter, which behaves like a Pi 4's."""
        return SimAdapter(self.buses[name].wire, self.clock, "bcm2835", self._call_cost_ns, bus.device)

    def pins(self) -> object:
        """Return gpiozero's factory over simulated pins."""
        return self.sim_pins.factory

    def line_pins(self, name: str) -> object:
        """Return a factory over the two lines of a simulated bus."""
        scl_gpio, sda_gpio = self._lines[name]
        return bus_line_pins(self.buses[name].wire, scl_gpio, sda_gpio)

    def pinctrl(self) -> Pinctrl:
        """Return the pinctrl tool of a Pi 4, for the lines of these buses."""
        return Pinctrl(self.sim_pinctrl.run)

    def hub(self, name: str, hub: HubSettings, channels: Mapping[str, int], settings: Settings) -> HubSource:
        """Return the dials of a hub, scanned in virtual time, without board and USB."""
        wire, muxes = self.hubs[name].wire, {}
        bus = LinuxBus(SimAdapter(wire, self.clock, "bcm2835", self._call_cost_ns, f"hub {name}"), timeout_ms=20)
        for number in {channel // PER_MUX for channel in channels.values()}:
            muxes[number] = Tca9548a(bus, FIRST_MUX + number)
        dials = [
            ScanDial(label, As5600(muxes[channel // PER_MUX].channel(channel % PER_MUX)))
            for label, channel in channels.items()
        ]
        return Scan(f"hub {name}", dials, self.clock)

    def press(self, seat: str) -> None:
        """Press a seat's button."""
        self.sim_pins.press(self.buttons[seat])

    def release(self, seat: str) -> None:
        """Release a seat's button."""
        self.sim_pins.release(self.buttons[seat])

    def _reset_lines(self, settings: Settings) -> dict[int, list[Tca9548aTwin]]:
        """Return the muxes by the pin of their RESET; several may share a wire."""
        lines: dict[int, list[Tca9548aTwin]] = {}
        for name, bus in settings.buses.items():
            for mux in bus.mux:
                if mux.reset_gpio is not None:
                    lines.setdefault(mux.reset_gpio, []).append(self.buses[name].muxes[mux.address])
        return lines

    def _edge(self, edge: Edge) -> None:
        if edge.level == 0:
            for mux in self.resets.get(edge.gpio, ()):
                mux.reset()
        if edge.gpio in self._supplies:
            name, active_high = self._supplies[edge.gpio]
            self._supply(name, on=bool(edge.level) == active_high)
        if self._on_edge is not None:
            self._on_edge(edge)

    def _supply(self, bus: str, *, on: bool) -> None:
        """Switch the power of the tiles and the screens of a bus; the muxes have the Pi's supply."""
        for label, tile in self.tiles.items():
            if self._square_bus[label] == bus:
                (tile.plug_in if on else tile.unplug)()
        for twin in (twin for key, twin in self.oleds.items() if self._screen_bus[key] == bus):
            (twin.plug_in if on else twin.unplug)()

    def restart(self, *, power: bool) -> None:
        """Restart the program: its pins are free. With `power`, every chip is power-cycled too. Dials stay where they
        are."""
        self.sim_pins.on_edge = None
        self.sim_pins = SimPins(self.clock, self._edge)
        if power:
            for mux in (mux for bus in (*self.buses.values(), *self.hubs.values()) for mux in bus.muxes.values()):
                mux.plug_in()
            plugged = (tile for tile in self.tiles.values() if tile.plugged)
            parts: tuple[Tile | OledTwin, ...] = (*plugged, *self.oleds.values())
            for part in parts:
                part.unplug()
                part.plug_in()

    def close(self) -> None:
        """Close the pins."""
        self.sim_pins.close()

    def _bus(self, name: str, bus: BusSettings) -> SimulatedBus:
        wire = SimWire(self.clock, bus.speed_hz, bus.device)
        muxes = {}
        for mux in bus.mux:
            muxes[mux.address] = Tca9548aTwin(mux.address)
            wire.trunk.hang(muxes[mux.address])
        return SimulatedBus(wire, muxes)

    def _hub_wire(self, name: str) -> SimulatedBus:
        """Return the wire behind a hub: two muxes, sixteen channels."""
        wire = SimWire(self.hub_clock(), HUB_SPEED_HZ, f"hub {name}")
        muxes = {address: Tca9548aTwin(address) for address in (FIRST_MUX, FIRST_MUX + 1)}
        for mux in muxes.values():
            wire.trunk.hang(mux)
        return SimulatedBus(wire, muxes)

    def notes(self) -> Sequence[str]:
        """Return notes about these twins for the referee at the start."""
        return ()

    @property
    def cables(self) -> Mapping[str, bool]:
        """Whether each hub's cable is plugged in. In virtual time there is no cable."""
        return {}

    def cable(self, hub: str, *, plugged: bool) -> None:
        """Pull a hub's cable, or plug it in. Raises KeyError where there is none."""
        raise KeyError(hub)

    def hub_clock(self) -> VirtualClock:
        """Return the clock of the wires behind hubs."""
        return self.clock

    def _hung(self, square: SquareSettings) -> tuple[SimulatedBus, int | None, int | None]:
        """Return the bus of a square's dial, its mux, and its channel."""
        if square.hub is not None and square.channel is not None:
            return self.hubs[square.hub], FIRST_MUX + square.channel // PER_MUX, square.channel % PER_MUX
        return self.buses[square.bus or ""], square.mux, square.channel

    def _tile(self, square: SquareSettings, seed: int, position: int, known: Calibration | None) -> Tile:
        bus, mux_address, channel = self._hung(square)
        segment = bus.segment(mux_address, channel)
        kind = list(HANDS)[seed % len(HANDS)] if self._hand_kind == MIXED else self._hand_kind
        hand = SimHand(seed, square.table.clicks, position, kind)
        turns = _mirrored(hand.angle_counts) if square.invert else hand.angle_counts
        place = TwinPlace(bus.wire.clock, SimMagnet(turns, seed), turns, square.address)
        encoder = encoder_twin(square.chip, place)
        segment.hang(encoder)
        mux = None if mux_address is None else bus.muxes[mux_address]
        memory = self._memory(square.memory, seed, known)
        if memory is not None:
            memory.hang_on(segment)
        return Tile(channel or 0, encoder, hand, segment, mux, bus.wire, memory)

    def _memory(self, kind: str | None, seed: int, known: Calibration | None) -> TileMemoryTwin | None:
        """Return the memory of a tile. A new one has a number from the seed, a calibrated one that of the file."""
        if kind is None:
            return None
        name, _, number = ("" if known is None else known.tile).partition(":")
        serial = int(number[-8:], 16) if name == kind else zlib.crc32(f"tile {seed}".encode())
        oui = bytes.fromhex(number[:6]) if name == kind == "24aa025e48" else b"\x00\x04\xa3"
        return TileMemoryTwin(self.clock, kind, serial, oui=oui)

    def _oled(self, screen: ScreenSettings) -> OledTwin:
        twin = screen_twin(screen.chip, screen.address)
        self.buses[screen.bus].segment(screen.mux, screen.channel).hang(twin)
        return twin


def _mirrored(angle_counts: Callable[[int], float]) -> Callable[[int], float]:
    return lambda at_ns: COUNTS_PER_TURN - angle_counts(at_ns)
