"""Opens the buses, hubs, screens and lamps that the settings name, and connects the drivers to them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from firmware_host.source import HubDials, HubSource
from hardware.bus import Bus
from hardware.bus_clear import BusPins
from hardware.bus_linux import LinuxBus
from hardware.bus_recovery import RecoveryActions
from hardware.chips.dial_chip import DialChip
from hardware.chips.known_tile import KnownTile, TileRegister
from hardware.chips.tca9548a import Tca9548a, trunk_of
from hardware.chips.tile_memory import TileMemory
from hardware.encoders import ENCODERS, EncoderPlace
from hardware.errors import HardwareError
from hardware.kernel_mux import BusUse, I2cTree
from hardware.kernel_mux import problems as mux_problems
from hardware.readings import DialSource
from hardware.scan import Scan, ScanDial
from pi_app.play.parts import Parts
from pi_app.play.taps import SeatTap, TappedBus
from pi_app.settings.hubs import HubSettings
from pi_app.settings.model import BusSettings, SeatSettings, Settings, SquareSettings

if TYPE_CHECKING:
    from hardware.panel import ColourLamp, Lamp, PowerSwitch
    from hardware.screens import Screen
    from pi_app.dials.calibration import Calibration


@dataclass(frozen=True, slots=True)
class TableWires:
    """The buses of a table with their scans, and its hubs. Scans are in the order of the settings' buses. `memories`
    holds those of the tiles that have one."""

    buses: Mapping[str, Bus]
    muxes: Mapping[tuple[str, int], Tca9548a]
    chips: Mapping[str, DialChip]
    memories: Mapping[str, TileMemory]
    scans: tuple[Scan, ...]
    screens: Mapping[str, Screen]
    hubs: Mapping[str, HubSource]

    @property
    def sources(self) -> tuple[DialSource, ...]:
        """The sources that the feed scans: buses, and hubs of a simulated table."""
        return (*self.scans, *(hub for hub in self.hubs.values() if not isinstance(hub, HubDials)))

    @property
    def gathered(self) -> tuple[HubDials, ...]:
        """The hubs that sample their dials themselves."""
        return tuple(hub for hub in self.hubs.values() if isinstance(hub, HubDials))


class WireOpener:
    """Opens the wires of one table. `opened` closes what was opened."""

    def __init__(self, settings: Settings, parts: Parts, opened: contextlib.ExitStack) -> None:
        self._settings, self._parts, self._opened = settings, parts, opened

    def open(self, tap: SeatTap | None = None, tiles: TileRegister | None = None) -> TableWires:
        """Open every bus and connect the drivers. Raises HardwareError.

        `tiles`: which tile belongs to which square; without it every tile is accepted everywhere.
        """
        settings = self._settings
        if not self._parts.simulated and (found := kernel_problems(settings, I2cTree())):
            raise found[0]
        buses = {name: self._bus(name, bus) for name, bus in settings.buses.items()}
        muxes = {
            (name, address): mux
            for name, bus in settings.buses.items()
            for address, mux in self._muxes(buses[name], bus).items()
        }
        chips = {
            label: encoder(settings, square, _place(buses, muxes, square.bus, square.mux, square.channel))
            for label, square in settings.squares.items()
            if square.bus is not None
        }
        screens = {
            key: self._screen(buses, muxes, key, seat, tap)
            for key, seat in settings.seats.items()
            if seat.screen is not None
        }
        memories = {
            label: TileMemory(chips[label].bus, square.memory, self._parts.clock)
            for label, square in settings.squares.items()
            if square.memory is not None
        }
        dials: dict[str, DialChip] = dict(chips)
        if tiles is not None:
            dials |= {label: KnownTile(label, chips[label], memories[label], tiles) for label in memories}
        scans = tuple(self._scan(name, dials, screens) for name in settings.buses)
        used = {square.hub for square in settings.squares.values()}
        hubs = {name: self._hub(name, hub) for name, hub in settings.hubs.items() if name in used}
        return TableWires(buses, muxes, chips, memories, scans, screens, hubs)

    def bus_pins(self, name: str) -> BusPins | None:
        """Return the two lines of a bus, for driving them directly; None if the settings do not allow it."""
        bus = self._settings.buses[name]
        if not bus.clear or bus.lines is None:
            return None
        scl_gpio, sda_gpio = bus.lines
        from hardware.panel import bus_line

        return BusPins(name, scl_gpio, sda_gpio, lambda: self._parts.line_pins(name), bus_line, self._parts.pinctrl())

    def _hub(self, name: str, hub: HubSettings) -> HubSource:
        channels = {
            label: square.channel
            for label, square in self._settings.squares.items()
            if square.hub == name and square.channel is not None
        }
        source = self._parts.hub(name, hub, channels, self._settings)
        if isinstance(source, HubDials):
            self._opened.callback(source.close)
        return source

    def _bus(self, name: str, bus: BusSettings) -> Bus:
        adapter = self._parts.adapter(name, bus)
        self._opened.callback(adapter.close)
        return LinuxBus(adapter, timeout_ms=bus.timeout_ms)

    def _muxes(self, bus: Bus, wanted: BusSettings) -> dict[int, Tca9548a]:
        """Return the muxes of a bus by address. Muxes that share a RESET wire are reset together."""
        gpios = dict.fromkeys(mux.reset_gpio for mux in wanted.mux if mux.reset_gpio is not None)
        resets = {gpio: self._reset_line(gpio, bus) for gpio in gpios}
        return {
            mux.address: Tca9548a(
                bus,
                mux.address,
                reset=None if mux.reset_gpio is None else resets[mux.reset_gpio],
                deselect_between=mux.deselect_between,
            )
            for mux in wanted.mux
        }

    def _reset_line(self, gpio: int, bus: Bus) -> Callable[[], None]:
        from hardware.panel import ResetLine

        line = ResetLine(self._parts.pins(), gpio)
        self._opened.callback(line.close)

        def pulse() -> None:
            line.pulse()
            trunk_of(bus).forget()  # it may have closed the channels of several muxes

        return pulse

    def _screen(
        self,
        buses: Mapping[str, Bus],
        muxes: Mapping[tuple[str, int], Tca9548a],
        key: str,
        seat: SeatSettings,
        tap: SeatTap | None,
    ) -> Screen:
        from hardware.screens import Screen

        wanted = seat.screen
        if wanted is None:
            raise ValueError(f"seat {key} has no screen")
        bus = _place(buses, muxes, wanted.bus, wanted.mux, wanted.channel)
        clock = self._parts.clock
        if tap is not None:
            copy = tap.screen
            bus = TappedBus(bus, lambda data: copy(key, data, clock.now_ns()))
        speed_hz = self._settings.buses[wanted.bus].speed_hz
        return Screen(bus, wanted.chip, wanted.address, clock=clock, speed_hz=speed_hz, name=f"screen of seat {key}")

    def _scan(self, name: str, chips: Mapping[str, DialChip], screens: Mapping[str, Screen]) -> Scan:
        settings = self._settings
        dials = [ScanDial(label, chips[label]) for label, square in settings.squares.items() if square.bus == name]
        mine = [
            screen
            for key, screen in screens.items()
            if (wanted := settings.seats[key].screen) is not None and wanted.bus == name
        ]
        return Scan(name, dials, self._parts.clock, screens=mine, actions=self._recovery_actions(name, mine))

    def _recovery_actions(self, name: str, screens: Sequence[Screen]) -> RecoveryActions:
        """Return what the wiring allows when no chip on this bus can be read."""

        def restarted() -> None:
            for screen in screens:
                screen.had_no_power()

        bus = self._settings.buses[name]
        pins = self.bus_pins(name)
        return RecoveryActions(
            clear=None if pins is None else pins.clear,
            power=None if bus.power_gpio is None else self._power(bus.power_gpio, bus.power_active_high),
            off_ns=bus.power_off_ms * 1_000_000,
            restarted=restarted,
        )

    def _power(self, gpio: int, active_high: bool) -> PowerSwitch:
        from hardware.panel import PowerSwitch

        switch = PowerSwitch(self._parts.pins(), gpio, active_high=active_high)
        self._opened.callback(switch.close)
        return switch


def seat_lamp(pins: Any, seat: SeatSettings) -> Lamp | ColourLamp | None:
    """Return a seat's lamp, of one colour or of three, or None if it has none. Raises NoPins."""
    from hardware.panel import ColourLamp, Lamp

    if seat.lamp is not None:
        return ColourLamp(pins, seat.lamp.gpios, seat.lamp.colour, active_high=seat.lamp.common == "cathode")
    return None if seat.lamp_gpio is None else Lamp(pins, seat.lamp_gpio)


def _place(
    buses: Mapping[str, Bus],
    muxes: Mapping[tuple[str, int], Tca9548a],
    bus: str,
    mux: int | None,
    channel: int | None,
) -> Bus:
    return buses[bus] if mux is None or channel is None else muxes[bus, mux].channel(channel)


def encoder(settings: Settings, square: SquareSettings, bus: Bus) -> DialChip:
    """Return the driver of a square's encoder. It sends nothing yet."""
    place = (square.chip, square.bus, square.mux, square.channel)
    others = [
        other.address
        for other in settings.squares.values()
        if other is not square and (other.chip, other.bus, other.mux, other.channel) == place
    ]
    return ENCODERS[square.chip].driver(EncoderPlace(bus, square.address, others, square.steps_per_turn))


def kernel_problems(settings: Settings, tree: I2cTree) -> list[HardwareError]:
    """Return every conflict between this table's own driving of muxes and the kernel's."""
    return mux_problems(tree, [_use(settings, name) for name in settings.buses])


def _use(settings: Settings, name: str) -> BusUse:
    bus = settings.buses[name]
    direct = {square.address for square in settings.squares.values() if square.bus == name and square.mux is None}
    direct |= {
        seat.screen.address
        for seat in settings.seats.values()
        if seat.screen is not None and seat.screen.bus == name and seat.screen.mux is None
    }
    return BusUse(name, bus.device, tuple(mux.address for mux in bus.mux), frozenset(direct))


def register(learnt: Mapping[str, Calibration]) -> TileRegister:
    """Return which tile belongs to which square, as far as `trapdial calibrate` has learnt it."""
    return TileRegister({label: dial.tile for label, dial in learnt.items() if dial.tile})
