"""A table with a hub: one dial on a bus of the Pi, one on the hub.

The hub's link is scripted: every 5 ms it looks at the twins' dials in virtual time, and its plug can be pulled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import msgspec

from firmware_host.hub import wire
from firmware_host.link_events import HubReport, HubSample, LinkNotice, LinkState, Welcome
from firmware_host.source import HubDials, HubSource
from hardware.sims.as5600 import As5600Twin
from hardware.sims.clock import VirtualClock
from pi_app.game.trap_table import TrapTable
from pi_app.settings.hubs import HubSettings
from pi_app.settings.model import Settings
from pi_app.simulated.table import SimulatedTable
from tests.pi_app.playing import settings

SWEEP_NS = 5_000_000
BOARD = Welcome("e6616408432b5c21", 2, True, 8, wire.FIRMWARE, 1, 7)
PULLED = "hub west (USB) is not plugged in. Plug its cable in at both ends."


def mixed(*tables: TrapTable) -> Settings:
    """Return the small example with T02 on channel 3 of a hub."""
    small = settings(*tables)
    second = msgspec.structs.replace(small.squares["T02"], bus=None, mux=None, hub="west", channel=3)
    return replace(
        small,
        squares=MappingProxyType({**small.squares, "T02": second}),
        hubs=MappingProxyType({"west": HubSettings(id=BOARD.uid)}),
    )


@dataclass
class ScriptedLink:
    """The reports that a hub would have sent. Channels without a dial are not wired."""

    clock: VirtualClock
    encoders: Mapping[int, As5600Twin]
    plugged: bool = True
    lost: set[int] = field(default_factory=set)
    """Channels whose next report flags lost samples with a jump."""
    _told: bool = False
    _until_ns: int = 0

    def take(self) -> Sequence[HubReport | LinkNotice]:
        now_ns = self.clock.now_ns()
        came: list[HubReport | LinkNotice] = []
        if not self._told:
            self._told = True
            state = LinkState.RUNNING if self.plugged else LinkState.NO_PORT
            came.append(LinkNotice(state, now_ns, "" if self.plugged else PULLED, BOARD if self.plugged else None))
        self._until_ns = max(self._until_ns, now_ns - 100 * SWEEP_NS)
        while self._until_ns + SWEEP_NS <= now_ns:
            if self.plugged:
                came.append(self._report(self._until_ns))
                self.lost.clear()
            self._until_ns += SWEEP_NS
        return came

    def plug(self, plugged: bool) -> None:
        """Pull the cable, or plug it in."""
        self.plugged, self._told = plugged, False

    def close(self) -> None:
        """Nothing is open."""

    def _report(self, began_ns: int) -> HubReport:
        samples, wired = [], 0
        for channel in sorted(self.encoders):
            encoder, at_ns = self.encoders[channel], began_ns + 250_000 * (channel + 1)
            look = round(encoder.angle_at(at_ns)) % 4096 if encoder.powered else wire.SILENT << 12
            samples.append(HubSample(channel, at_ns, look))
            wired |= 1 << channel
        reads = tuple(wired >> channel & 1 for channel in range(8))
        return HubReport(began_ns + 2_000_000, tuple(samples), frozenset(self.lost), wired, reads)


class TableWithHub(SimulatedTable):
    """Twins, and a scripted link in place of the hub's bus."""

    link: ScriptedLink

    def hub(self, name: str, hub: HubSettings, channels: Mapping[str, int], settings: Settings) -> HubSource:
        twins = {channel: self.tiles[label].encoder for label, channel in channels.items()}
        encoders = {channel: twin for channel, twin in twins.items() if isinstance(twin, As5600Twin)}
        self.link = ScriptedLink(self.clock, encoders)
        return HubDials(name, channels, self.link, self.clock, settings.table.gap_limit_ms * 1_000_000)
