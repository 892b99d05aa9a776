"""Where a table's wires, pins and time come from: the Pi itself, or parts that are lent (twins:
`pi_app.simulated.table`)."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Protocol

from firmware_host.source import HubDials, HubSource
from hardware.adapter import Adapter
from hardware.bus_clear import Pinctrl
from hardware.clock import Clock, MachineClock
from hardware.i2c_device import DeviceAdapter
from hardware.kernel_mux import I2cTree, number_of
from pi_app.settings.hubs import HubSettings
from pi_app.settings.load import BusSettings, TableSettings

if TYPE_CHECKING:
    from firmware_host.link import PortOwners
    from firmware_host.requirements import HubRequirements


class Parts(Protocol):
    """Where a table's wires, pins and time come from."""

    @property
    def clock(self) -> Clock:
        """The clock that everything here runs on."""

    @property
    def simulated(self) -> bool:
        """Whether any of it is a twin."""

    def adapter(self, name: str, bus: BusSettings) -> Adapter:
        """The adapter of one bus. Raises NoBus."""

    def hub(self, name: str, hub: HubSettings, channels: Mapping[str, int], table: TableSettings) -> HubSource:
        """The dials of one hub, each on its channel. A hub that is not there is a Trouble of its dials."""

    def pins(self) -> Any:
        """gpiozero's pin factory. Raises NoPins."""

    def line_pins(self, name: str) -> Any:
        """Another pin factory, for the lines of this bus; who asks for it closes it. Raises NoPins."""

    def pinctrl(self) -> Pinctrl:
        """What gives a bus its lines back."""

    def close(self) -> None:
        """Give everything back."""


class RealParts:
    """The Pi itself."""

    simulated = False

    def __init__(self, tree: I2cTree | None = None) -> None:
        self.clock = MachineClock()
        self._pins: Any = None
        self._tree = I2cTree() if tree is None else tree
        self._adapters: dict[str, DeviceAdapter] = {}
        self._port_owners: PortOwners | None = None

    def adapter(self, name: str, bus: BusSettings) -> Adapter:
        """A channel of the kernel's mux waits as long as its parents do, so these are bounded and locked too."""
        for mux in self._tree.above(number_of(bus.device)):
            parent = self._opened(f"/dev/i2c-{mux.bus}")
            with contextlib.suppress(OSError):
                parent.set_timeout_ms(bus.timeout_ms)
        return self._opened(bus.device)

    def _opened(self, device: str) -> DeviceAdapter:
        from hardware.i2c_device import open_adapter

        if device not in self._adapters or self._adapters[device].closed:
            self._adapters[device] = open_adapter(device)
        return self._adapters[device]

    def hub(self, name: str, hub: HubSettings, channels: Mapping[str, int], table: TableSettings) -> HubSource:
        from firmware_host.link import Link, PortOwners  # brings pyserial

        self._port_owners = self._port_owners or PortOwners()
        link = Link(asked_of(name, hub, channels, table), self.clock, owners=self._port_owners)
        return HubDials(name, channels, link, self.clock, table.gap_limit_ms * 1_000_000)

    def pins(self) -> Any:
        from hardware.panel import real_pins

        if self._pins is None:
            self._pins = real_pins()
        return self._pins

    def line_pins(self, name: str) -> Any:
        from hardware.panel import real_pins

        return real_pins()

    def pinctrl(self) -> Pinctrl:
        return Pinctrl()

    def close(self) -> None:
        for adapter in self._adapters.values():
            adapter.close()
        if self._pins is not None:
            self._pins.close()


REPORT_MS: Final = 20
"""From report to report of a hub."""


def asked_of(name: str, hub: HubSettings, channels: Mapping[str, int], table: TableSettings) -> HubRequirements:
    """What a table asks of a hub: 50 reports a second. How often it samples is not asked: it does so at its wire's
    rate, and sends what carries information (`wiring_docs/hub.md`)."""
    from firmware_host.requirements import HubRequirements

    return HubRequirements(name, hub.id, hub.port, max(channels.values()) + 1, REPORT_MS, table.gap_limit_ms)


class Lent:
    """The parts, lent to a house that examines one bus or one hub and then closes."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self.clock: Clock = parts.clock
        self.simulated = parts.simulated

    def adapter(self, name: str, bus: BusSettings) -> Adapter:
        return self._parts.adapter(name, bus)

    def hub(self, name: str, hub: HubSettings, channels: Mapping[str, int], table: TableSettings) -> HubSource:
        return self._parts.hub(name, hub, channels, table)

    def pins(self) -> Any:
        return self._parts.pins()

    def line_pins(self, name: str) -> Any:
        return self._parts.line_pins(name)

    def pinctrl(self) -> Pinctrl:
        return self._parts.pinctrl()

    def close(self) -> None:
        """The lender closes them."""
