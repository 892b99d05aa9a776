"""The table as `play` runs it: the machine's clock, and a thread for each bus. Only the chips, the pins and the hand
are twins, on wires that take real time. Only the program sleeps, and nothing is timed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from firmware_host.source import HubSource
from hardware.adapter import Adapter
from hardware.bus_clear import Pinctrl
from hardware.clock import Clock, MachineClock
from hardware.sims.clock import VirtualClock
from pi_app.audit.replay import replay
from pi_app.displays.describe import describe
from pi_app.game import events as ev
from pi_app.journal import Journal, read
from pi_app.play.build import Outputs, TableBuilder
from pi_app.play.feed import ThreadFeed
from pi_app.play.loop import Loop
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.report.pictures import SeatPicture
from pi_app.settings import load as st
from pi_app.settings.hubs import HubSettings
from pi_app.settings.model import BusSettings, Settings
from pi_app.simulated import table as simulated
from pi_app.simulated.table import SimulatedTable

MOST_STEPS = 3000
"""Half a minute of a table with a hundred rounds a second."""


class WiresInEarnest(VirtualClock):
    """The clock of twins in real time: a wire takes the machine's time."""

    __slots__ = ()

    def now_ns(self) -> int:
        return time.monotonic_ns()

    def advance(self, ns: int) -> None:
        until_ns = time.monotonic_ns() + ns
        while time.monotonic_ns() < until_ns:
            pass


class TwinsOnAPi:
    """Parts that do not report to be twins, so that the builder builds a table as on a Pi."""

    simulated = False

    def __init__(self, table: SimulatedTable) -> None:
        self.table = table
        self.clock: Clock = MachineClock()

    def adapter(self, name: str, bus: BusSettings) -> Adapter:
        return self.table.adapter(name, bus)

    def hub(self, name: str, hub: HubSettings, channels: Mapping[str, int], settings: Settings) -> HubSource:
        return self.table.hub(name, hub, channels, settings)

    def pins(self) -> Any:
        return self.table.pins()

    def line_pins(self, name: str) -> Any:
        return self.table.line_pins(name)

    def pinctrl(self) -> Pinctrl:
        return self.table.pinctrl()

    def close(self) -> None:
        self.table.close()


class Playing:
    """A table in real time, with the output to everyone."""

    loop: Loop

    def __init__(self, table: SimulatedTable) -> None:
        self.table = table
        self.lines: list[tuple[str, str]] = []
        self.screens: dict[str, str] = {}

    def told(self, viewer: str, line: str, at_ns: int) -> None:
        self.lines.append((viewer, line))

    def shown(self, seat: str, picture: SeatPicture, at_ns: int) -> None:
        self.screens[seat] = describe(picture, str)

    def until(self, condition: Callable[[], bool]) -> None:
        for _ in range(MOST_STEPS):
            self.loop.step()
            if condition():
                return
        pytest.fail("it did not come to that in half a minute")

    def public(self, line: str) -> Callable[[], bool]:
        return lambda: ("public", line) in self.lines


@contextmanager
def playing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Playing]:
    monkeypatch.setattr(simulated, "VirtualClock", WiresInEarnest)
    settings = st.load(st.example_path("2x2"))
    table = SimulatedTable(settings, seed=3, call_cost_ns=0)
    with Journal(folder / "journal.db", MAGE_KNIGHT) as journal, TableBuilder(settings, TwinsOnAPi(table)) as builder:
        at = Playing(table)
        at.loop = builder.loop(journal, outputs=Outputs([at], shown=at.shown))
        assert isinstance(at.loop.feed, ThreadFeed)
        at.until(lambda: at.loop.ready)
        yield at


@pytest.mark.slow
def test_a_turn_in_real_time_with_a_thread_for_each_bus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with playing(tmp_path, monkeypatch) as at:
        at.table.press("ANN")
        at.until(lambda: at.loop.session.seats["ANN"].gestures.pressed)
        at.table.release("ANN")
        at.until(at.public("Ann is about to turn a dial."))
        rests_ns = at.table.tiles["T01"].hand.turn(time.monotonic_ns(), 3, 200.0)
        at.until(at.public("Ann turns the dial of T01."))
        at.until(lambda: time.monotonic_ns() > rests_ns)
        at.table.press("ANN")
        at.until(at.public("T01: exposed by Ann."))
        at.until(lambda: at.screens.get("ANN", "").startswith("T01: The Cage, click 3"))
        at.until(lambda: at.table.oleds["ANN"].lit_pixels() == 2048)
        at.table.release("ANN")
        at.until(lambda: not at.table.oleds["ANN"].lit)

        at.table.tiles["T02"].unplug()
        at.until(lambda: at.loop.moment.game.squares["T02"].lost)
        at.table.tiles["T02"].plug_in()
        at.until(lambda: not at.loop.moment.game.squares["T02"].lost)
    (turn,) = [
        entry.event for entry in read(tmp_path / "journal.db", MAGE_KNIGHT) if isinstance(entry.event, ev.Turned)
    ]
    assert turn.motion.to_position == 3
    assert turn.motion.clicks in (3, None), "on a machine that stood still for a while it is unknown, never wrong"
    replay(tmp_path / "journal.db")
