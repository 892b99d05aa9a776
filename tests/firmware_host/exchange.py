"""A session and a scripted hub on a simulated wire, in simulated time."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

from firmware_host.commands import LinkEvent
from firmware_host.link_events import HubReport, LinkNotice, LinkState
from firmware_host.requirements import HubRequirements
from firmware_host.session import HubSession
from firmware_host.sims.scripted_hub import Script, ScriptedHub

MS = 1_000_000
PLACE = "/dev/ttyACM0"


def still(*angles: int) -> Script:
    return lambda at_us: angles


class Exchange:
    """`lose` decides for each line of the hub whether it is lost. The hub's clock is `ahead_us` ahead of ours."""

    def __init__(
        self,
        required: HubRequirements | None = None,
        hub: ScriptedHub | None = None,
        *,
        lose: Callable[[bytes], bool] = lambda line: False,
        ahead_us: int = 0,
        now_ns: int = 1_000 * MS,
    ) -> None:
        self.hub = hub or ScriptedHub(still(100, 200), dials=2)
        self.session = HubSession(required or HubRequirements("north", dials=2), itertools.count(0xC0FFEE01).__next__)
        self.lose, self.ahead_us, self.now_ns = lose, ahead_us, now_ns
        self.events: list[LinkEvent] = []
        self.plugged = True
        self.session.opened(PLACE, now_ns)

    def run(self, ms: float, step_ms: float = 1.0) -> Sequence[LinkEvent]:
        """The session's events in this time."""
        before = len(self.events)
        end_ns = self.now_ns + round(ms * MS)
        while self.now_ns < end_ns:
            self.now_ns += round(step_ms * MS)
            self.step()
        return self.events[before:]

    def step(self, delay_ns: int = 0) -> None:
        """One exchange at this moment; lines of the hub arrive after `delay_ns`."""
        hub_us = self.now_ns // 1000 + self.ahead_us
        sent = self.hub.tick(hub_us) if self.plugged else b""
        arrived = b"".join(line for line in sent.splitlines(keepends=True) if not self.lose(line))
        self.now_ns += delay_ns
        self.events += self.session.feed(arrived, self.now_ns)
        if (asks := self.session.poll(self.now_ns)) and self.plugged:
            sent = self.hub.feed(asks, self.now_ns // 1000 + self.ahead_us)
            arrived = b"".join(line for line in sent.splitlines(keepends=True) if not self.lose(line))
            self.now_ns += delay_ns
            self.events += self.session.feed(arrived, self.now_ns)

    @property
    def reports(self) -> list[HubReport]:
        return [event for event in self.events if isinstance(event, HubReport)]

    @property
    def notices(self) -> list[LinkNotice]:
        return [event for event in self.events if isinstance(event, LinkNotice)]

    @property
    def states(self) -> list[LinkState]:
        return [notice.state for notice in self.notices]
