"""What the settings say hangs on one bus."""

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
"""What each kind of tile's memory answers to."""


PI: Final = "pi"
"""The id of the Pi's part in the wiring."""


@dataclass(frozen=True, slots=True)
class SeatScreen:
    """A seat's screen on this bus."""

    seat: str
    wanted: ScreenSettings

    @property
    def part(self) -> str:
        """How it is called in a line."""
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
        """Where a chip on the trunk is."""
        return f"{self.device} 0x{address:02X}"

    def mux_id(self, address: int) -> str:
        """The id of a mux's part in the wiring."""
        return f"mux {self.name} 0x{address:02X}"

    def alone(self) -> Settings:
        """The settings with nothing but this bus; without RESET lines if there are no pins."""
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
        """Each address that something answers at while all muxes are closed, and which part that is."""
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
        """The addresses of encoders and screens behind muxes."""
        behind = {square.address for square in self.squares.values() if square.mux is not None}
        behind |= {screen.wanted.address for screen in self.screens if screen.wanted.mux is not None}
        return frozenset(behind)

    def spare_channel(self, address: int) -> int:
        """A channel to try the mux with: if there is one, with nothing behind it that could hold the bus."""
        used = {square.channel for square in self.squares.values() if square.mux == address}
        used |= {screen.wanted.channel for screen in self.screens if screen.wanted.mux == address}
        return next((number for number in CHANNELS if number not in used), 0)


def mux_part(address: int) -> str:
    """How a mux is called in a line."""
    return f"mux 0x{address:02X}"


def answers(bus: Bus, address: int) -> bool:
    """Whether anything answers there."""
    try:
        bus.transfer((Read(address, 1),))
    except HardwareError:
        return False
    return True
