"""Hubs whose dials always give the same reading, and what the doctor says of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from firmware_host.link_events import HubReport, HubSample, LinkNotice, LinkState
from firmware_host.source import HubDials, HubSource
from pi_app.settings.hubs import HubSettings
from pi_app.settings.model import Settings, TableSettings
from pi_app.simulated.table import SimulatedTable
from pi_app.workshop.doctor import Check
from pi_app.workshop.doctor.hubs import examine_hubs
from tests.pi_app.hubs import BOARD, TableWithHub


def said(parts: SimulatedTable, settings: Settings, seconds: float | None = 0.2) -> list[str]:
    return [str(check) for check in checks(parts, settings, seconds)]


def checks(parts: SimulatedTable, settings: Settings, seconds: float | None = 0.2) -> Sequence[Check]:
    try:
        return list(examine_hubs(settings, parts, seconds))
    finally:
        parts.close()


class Pulled(TableWithHub):
    """Its cable is out."""

    def hub(self, name: str, hub: HubSettings, channels: Mapping[str, int], table: TableSettings) -> HubSource:
        source = super().hub(name, hub, channels, table)
        self.link.plug(False)
        return source


class Looks(TableWithHub):
    """A hub with two dials whose looks are always the same."""

    looks = (0,) * 8

    def hub(self, name: str, hub: HubSettings, channels: Mapping[str, int], table: TableSettings) -> HubSource:
        clock, looks = self.clock, self.looks

        class Link:
            def take(self) -> Sequence[HubReport | LinkNotice]:
                now_ns = clock.now_ns()
                samples = tuple(HubSample(channel, now_ns, look) for channel, look in enumerate(looks))
                report = HubReport(now_ns, samples)
                return [LinkNotice(LinkState.RUNNING, now_ns, "", BOARD), report]

            def close(self) -> None:
                """Nothing is open."""

        return HubDials(name, channels, Link(), clock, 35_000_000)
