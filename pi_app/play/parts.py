"""The adapters, pins and clock of a table: those of the Pi, or borrowed ones. The twins are in
`pi_app.simulated.table`."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from firmware_host.source import HubDials, HubSource
from hardware.adapter import Adapter
from hardware.bus_clear import Pinctrl
from hardware.clock import Clock, MachineClock
from hardware.i2c_device import DeviceAdapter
from hardware.kernel_mux import I2cTree, number_of
from pi_app.settings import hub_keys
from pi_app.settings.hubs import HubSettings
from pi_app.settings.model import BusSettings, Settings
from pi_app.text.errors import UserFileError

if TYPE_CHECKING:
    from firmware_host.port_owners import PortOwners
    from firmware_host.requirements import HubRequirements


class Parts(Protocol):
    """The source of a table's adapters, pins and time."""

    @property
    def clock(self) -> Clock:
        """The clock of all these parts."""

    @property
    def simulated(self) -> bool:
        """Whether the parts are twins."""

    def adapter(self, name: str, bus: BusSettings) -> Adapter:
        """Return the adapter of one bus. Raises NoBus."""

    def hub(self, name: str, hub: HubSettings, channels: Mapping[str, int], settings: Settings) -> HubSource:
        """Return the dials of one hub, each on its channel. An absent hub is a Trouble of its dials.
        Raises UserFileError if others may read its key."""

    def pins(self) -> Any:
        """Return gpiozero's pin factory. Raises NoPins."""

    def line_pins(self, name: str) -> Any:
        """Return a separate pin factory for the lines of this bus; the caller closes it. Raises NoPins."""

    def pinctrl(self) -> Pinctrl:
        """Return the tool that gives a bus its lines back."""

    def close(self) -> None:
        """Close all parts."""


class RealParts:
    """The parts of the Pi."""

    simulated = False

    def __init__(self, tree: I2cTree | None = None) -> None:
        self.clock = MachineClock()
        self._pins: Any = None
        self._tree = I2cTree() if tree is None else tree
        self._adapters: dict[str, DeviceAdapter] = {}
        self._port_owners: PortOwners | None = None

    def adapter(self, name: str, bus: BusSettings) -> Adapter:
        """Open an adapter. A channel of the kernel's mux waits as long as its parents, so they get the timeout too."""
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

    def hub(self, name: str, hub: HubSettings, channels: Mapping[str, int], settings: Settings) -> HubSource:
        from firmware_host.link import Link  # brings pyserial
        from firmware_host.port_owners import PortOwners

        self._port_owners = self._port_owners or PortOwners()
        keys = hub_keys.load(Path(settings.where)) if hub.trust == "key" else {}
        link = Link(asked_of(name, hub, channels, settings, keys), self.clock, owners=self._port_owners)
        return HubDials(name, channels, link, self.clock, settings.table.gap_limit_ms * 1_000_000)

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
"""The period of a hub's reports."""


def asked_of(
    name: str, hub: HubSettings, channels: Mapping[str, int], settings: Settings, keys: Mapping[str, bytes]
) -> HubRequirements:
    """Return a table's request to a hub: 50 reports a second. The hub samples at the rate of its wire, and sends the
    samples that carry information (`wiring_docs/hub.md`). `keys`: by board id, for a hub whose cable is not trusted.
    Raises UserFileError if several boards could be at its port."""
    from firmware_host.requirements import HubRequirements

    own = _own_keys(name, hub, settings.hubs, keys) if hub.trust == "key" else {}
    key_of = own.get if hub.trust == "key" else None
    gap_ms = settings.table.gap_limit_ms
    return HubRequirements(name, hub.id, hub.port, max(channels.values()) + 1, REPORT_MS, gap_ms, key_of)


def _own_keys(
    name: str, hub: HubSettings, hubs: Mapping[str, HubSettings], keys: Mapping[str, bytes]
) -> dict[str, bytes]:
    """Return the keys of the boards that can be this hub: the key of another hub's board is none of them. Raises
    UserFileError if there are several."""
    if hub.id:
        return {hub.id: keys[hub.id]} if hub.id in keys else {}
    others = {other.id for other in hubs.values()}
    own = {uid: key for uid, key in keys.items() if uid not in others}
    if len(own) > 1:
        boards = ", ".join(sorted(own))
        seen = f"{len(own)} boards have a key beside these settings ({boards}), and a port does not say which counts"
        advice = "Write `id` of yours into this section; `trapdial hub list` shows it"
        raise UserFileError.at(f"[hub.{name}]", f"port {hub.port}", seen, advice)
    return own
