"""The parts on one bus, by the settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from hardware.bus import Bus, Read
from hardware.chips.tca9548a import CHANNELS
from hardware.errors import HardwareError
from pi_app.settings.model import BusSettings, ScreenSettings, Settings, SquareSettings

MEMORY_ADDRESSES: Final[Mapping[str, Sequence[int]]] = {"24aa02uid": range(0x50, 0x58), "24aa025e48": (0x50,)}
"""The addresses of each kind of tile's memory."""


PI: Final = "pi"
"""The id of the Pi's part in the wiring."""


@dataclass(frozen=True, slots=True)
class SeatScreen:
    """A seat's screen on this bus."""

    seat: str
    wanted: ScreenSettings

    @property
    def part(self) -> str:
        return f"screen of seat {self.seat}"

    @property
    def about(self) -> str:
        """The id of its part in the wiring."""
        return f"screen {self.seat}"


@dataclass(frozen=True, slots=True)
class BusWiring:
    """One bus of the settings, with the squares and screens on it. `pins`: whether the Pi's pins can be used."""

    settings: Settings
    name: str
    pins: bool

    @property
    def bus(self) -> BusSettings:
        return self.settings.buses[self.name]

    @property
    def device(self) -> str:
        """Such as `/dev/i2c-1`."""
        return self.bus.device

    @property
    def squares(self) -> Mapping[str, SquareSettings]:
        """By label."""
        return {label: square for label, square in self.settings.squares.items() if square.bus == self.name}

    @property
    def screens(self) -> Sequence[SeatScreen]:
        return [
            SeatScreen(key, seat.screen)
            for key, seat in self.settings.seats.items()
            if seat.screen is not None and seat.screen.bus == self.name
        ]

    def place(self, address: int) -> str:
        """Return the place of a chip on the trunk."""
        return f"{self.device} 0x{address:02X}"

    def mux_id(self, address: int) -> str:
        """Return the id of a mux's part in the wiring."""
        return f"mux {self.name} 0x{address:02X}"

    def alone(self) -> Settings:
        """Return the settings with only this bus; without RESET lines if there are no pins."""
        bus = self.bus
        if not self.pins:
            from msgspec.structs import replace as changed

            muxes = tuple(changed(mux, reset_gpio=None) for mux in bus.mux)
            bus = changed(bus, mux=muxes, clear=False, power_gpio=None)
        return replace(
            self.settings,
            buses=MappingProxyType({self.name: bus}),
            squares=MappingProxyType(dict(self.squares)),
            seats=MappingProxyType({}),
            hubs=MappingProxyType({}),
        )

    def on_trunk(self) -> Mapping[int, str]:
        """Return each address that answers while all muxes are closed, with its part."""
        named = {mux.address: mux_part(mux.address) for mux in self.bus.mux}
        for screen in self.screens:
            if screen.wanted.mux is None:
                named[screen.wanted.address] = screen.part
        for label, square in self.squares.items():
            if square.mux is None:
                named[square.address] = f"encoder of {label}"
                if square.memory is not None:
                    named |= dict.fromkeys(MEMORY_ADDRESSES[square.memory], f"memory of {label}")
        return named

    def behind_muxes(self) -> frozenset[int]:
        """Return the addresses of encoders and screens behind muxes."""
        behind = {square.address for square in self.squares.values() if square.mux is not None}
        behind |= {screen.wanted.address for screen in self.screens if screen.wanted.mux is not None}
        return frozenset(behind)

    def spare_channel(self, address: int) -> int:
        """Return a channel to test the mux with, if possible one without parts that could hold the bus."""
        used = {square.channel for square in self.squares.values() if square.mux == address}
        used |= {screen.wanted.channel for screen in self.screens if screen.wanted.mux == address}
        return next((number for number in CHANNELS if number not in used), 0)


def mux_part(address: int) -> str:
    return f"mux 0x{address:02X}"


def answers(bus: Bus, address: int) -> bool:
    try:
        bus.transfer((Read(address, 1),))
    except HardwareError:
        return False
    return True
