"""The dials of `pi_app.workshop.bench.hands` on a hub: its firmware on a simulated wire, its reports, and the Pi's end.

Lines and USB are left out, and the time of an RP2040's Python is estimated (`firmware_host.sims.wire_hub`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from firmware_host.hub_time import HubTime
from firmware_host.link_events import HubReport, LinkNotice
from firmware_host.samples import SampleStream
from firmware_host.sims.wire_hub import WireHub
from firmware_host.source import HubDials
from hardware.sims.tca9548a import CHANNELS
from pi_app.dials.sampling import Sampling
from pi_app.play.feed import DialSample
from pi_app.workshop.bench.hand_bus import TurnedDial

GAP_MS: Final = 35


class _Link:
    """Hands over reports as soon as the hub sends them."""

    def __init__(self, hub: WireHub, dials: int) -> None:
        self._hub, self._reported = hub, 0
        now_ns = hub.clock.now_ns()
        channels = -(-dials // CHANNELS) * CHANNELS
        self._samples = SampleStream(HubTime(hub.hub_us(), now_ns, now_ns, now_ns), channels, GAP_MS)

    def take(self) -> Sequence[HubReport | LinkNotice]:
        for body in self._hub.sent:
            self._samples.add(body)
        self._hub.sent.clear()
        return self._samples.take(self._hub.clock.now_ns())

    def close(self) -> None:
        """Nothing is open."""


class HubFeed:
    """A feed of one hub's dials. It samples at its own pace and ignores the sampling that is asked for."""

    def __init__(self, dials: Sequence[TurnedDial]) -> None:
        hub = self._hub = WireHub(len(dials))
        for n, dial in enumerate(dials):
            hub.angles[n] = dial.magnet
        self.clock = hub.clock
        self.sampling = Sampling.STEADY
        channels = {dial.name: n for n, dial in enumerate(dials)}
        self._dials = HubDials("bench", channels, _Link(hub, len(dials)), hub.clock, GAP_MS * 1_000_000)

    def take(self) -> Sequence[DialSample]:
        return self._dials.take()

    def rest(self, until_ns: int) -> None:
        """Run the hub until then."""
        self._hub.run((until_ns - self.clock.now_ns()) / 1e9)
