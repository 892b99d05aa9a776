"""A simulated table with hubs that run the real firmware, each in a child process behind a pty, with the real link.

Only the dials, the chips on the hub's wires and the board's pins are twins. The board runs in real time, and the table
follows it.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace as changed

from firmware_host.hub.wire import KEY_BYTES
from firmware_host.source import HubDials, HubSource
from hardware.adapter import KernelMessage
from hardware.sims.adapter import SimAdapter
from hardware.sims.clock import VirtualClock
from hardware.sims.wire import SimWire
from pi_app.play.parts import asked_of
from pi_app.settings.hubs import HubSettings
from pi_app.settings.model import Settings
from pi_app.simulated.table import PER_MUX, SimulatedTable
from pi_app.simulated.wall_clock import WallClock
from pi_app.text.language import N_, listed, words

if TYPE_CHECKING:
    from firmware_host.sims.board_twin import BoardTwin

HUB: Final = "west"
UID: Final = "5349{number:012x}"
"""The number of a simulated board: no real one has such a number."""

BOARD: Final = N_(
    "Hub {hub} reads {squares}. Its board is SIMULATED; its firmware is the real one, run by {interpreter} behind a "
    "pty."
)


def with_hub(settings: Settings) -> Settings:
    """Return the same table. If no square hangs on a hub, the second half of those that can does now."""
    if any(square.hub is not None for square in settings.squares.values()):
        return settings
    could = [label for label, each in settings.squares.items() if each.chip == "as5600" and each.memory is None]
    moved = {label: channel for channel, label in enumerate(could[len(could) // 2 :][:PER_MUX])}
    squares = {
        label: changed(each, bus=None, mux=None, hub=HUB, channel=moved[label]) if label in moved else each
        for label, each in settings.squares.items()
    }
    return replace(
        settings,
        squares=MappingProxyType(squares),
        hubs=MappingProxyType({**settings.hubs, HUB: HubSettings(id=UID.format(number=0))}),
    )


class _BoardClock(VirtualClock):
    """The clock of twins behind a board: real time."""

    __slots__ = ("_pace",)

    def __init__(self, pace: WallClock) -> None:
        super().__init__()
        self._pace = pace

    def now_ns(self) -> int:
        return self._pace.now_ns()

    def advance(self, ns: int) -> None:
        """Do nothing: the time passes on the wall clock."""


class _LockedAdapter:
    """A hub's wires, which two threads use in turn."""

    def __init__(self, adapter: SimAdapter, hands: contextlib.AbstractContextManager[object]) -> None:
        self._adapter, self._hands = adapter, hands

    @property
    def name(self) -> str:
        return self._adapter.name

    @property
    def wire(self) -> SimWire:
        """The wire, for clocks on its lines."""
        return self._adapter.wire

    def functions(self) -> int:
        return self._adapter.functions()

    def prepare(self, messages: Sequence[KernelMessage]) -> Callable[[], int | None]:
        run = self._adapter.prepare(messages)

        def locked() -> int | None:
            with self._hands:
                return run()

        return locked

    def set_timeout_ms(self, timeout_ms: int) -> None:
        self._adapter.set_timeout_ms(timeout_ms)

    def close(self) -> None:
        self._adapter.close()


class BoardTable(SimulatedTable):
    """Twins for everything that the settings name, and for each hub a board that runs the real firmware."""

    def __init__(self, settings: Settings, **how: Any) -> None:
        self.pace = WallClock()
        self._settings, self._words = settings, words(settings.table.language)
        super().__init__(settings, **how)
        self.hands = threading.RLock()
        self.clock.pace = self.pace
        self.boards: dict[str, BoardTwin] = {}
        self._open = contextlib.ExitStack()

    def hub_clock(self) -> VirtualClock:
        return _BoardClock(self.pace)

    def hub(self, name: str, hub: HubSettings, channels: Mapping[str, int], settings: Settings) -> HubSource:
        from firmware_host.link import Link
        from firmware_host.sims.board_twin import BoardTwin

        folder = Path(self._open.enter_context(tempfile.TemporaryDirectory(prefix="trapdial-hub-")))
        wire = self.hubs[name].wire
        adapter = _LockedAdapter(SimAdapter(wire, wire.clock, "bcm2835", 0, f"hub {name}"), self.hands)
        uid = hub.id or UID.format(number=len(self.boards))
        key = os.urandom(KEY_BYTES) if hub.trust == "key" else b""
        board = BoardTwin((adapter,), uid, max(channels.values()) + 1, folder, key=key)
        self._open.callback(board.close)
        self.boards[name] = board
        wanted = replace(asked_of(name, hub, channels, settings, {uid: key}), uid=uid, port=str(board.port))
        # The board runs on the wall clock, and the table may be behind: a sample counts when the table has caught up.
        return HubDials(name, channels, Link(wanted, self.pace), self.clock, settings.table.gap_limit_ms * 1_000_000)

    def notes(self) -> Sequence[str]:
        from firmware_host.sims.interpreter import best

        sentence = self._words(BOARD)
        return [
            sentence.format(hub=name, squares=listed(on_it, self._words), interpreter=best().name)
            for name in self._settings.hubs
            if (on_it := [label for label, square in self._settings.squares.items() if square.hub == name])
        ]

    @property
    def cables(self) -> Mapping[str, bool]:
        return {name: board.plugged for name, board in self.boards.items()}

    def cable(self, hub: str, *, plugged: bool) -> None:
        (self.boards[hub].plug if plugged else self.boards[hub].pull)()

    def close(self) -> None:
        super().close()
        self._open.close()
