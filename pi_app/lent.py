"""Parts that belong to somebody else: a house may be built of them and closed, and they stay open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from firmware_host.source import HubSource
from hardware.adapter import Adapter
from hardware.bus_clear import Pinctrl
from hardware.clock import Clock
from pi_app.house import Parts
from pi_app.settings import BusSettings, TableSettings
from pi_app.settings_hubs import HubSettings


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
