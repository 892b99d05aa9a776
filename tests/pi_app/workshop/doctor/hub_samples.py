"""Shared by the doctor's tests and the pages: tables with hubs, and what is reported of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from firmware_host.link_events import HubReport, HubSample, LinkNotice, LinkState
from firmware_host.source import HubDials, HubSource
from pi_app.settings.hubs import HubSettings
from pi_app.settings.model import Settings
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


class SameSamples(TableWithHub):
    """A hub with two dials whose samples are always the same."""

    samples = (0,) * 8

    def hub(self, name: str, hub: HubSettings, channels: Mapping[str, int], settings: Settings) -> HubSource:
        clock, held = self.clock, self.samples

        class Link:
            def take(self) -> Sequence[HubReport | LinkNotice]:
                now_ns = clock.now_ns()
                samples = tuple(HubSample(channel, now_ns, sample) for channel, sample in enumerate(held))
                report = HubReport(now_ns, samples)
                return [LinkNotice(LinkState.RUNNING, now_ns, "", BOARD), report]

            def close(self) -> None:
                """Nothing is open."""

        return HubDials(name, channels, Link(), clock, 35_000_000)


class Pulled(TableWithHub):
    """Its cable is out."""

    def hub(self, name: str, hub: HubSettings, channels: Mapping[str, int], settings: Settings) -> HubSource:
        source = super().hub(name, hub, channels, settings)
        self.link.plug(False)
        return source
