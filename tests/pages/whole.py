"""The whole simulated table in its own time, on a real page process, with real phones.

The table's time is the simulation's, and the phones' is the machine's. They go in step: the table takes a message when
the lane knows that one is on its way, and after each batch it waits until every phone has its frame. So two games over
other trap tables are comparable packet by packet.
"""

from __future__ import annotations

import os
import select
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from pi_app.pages.link import ProcessLink
from pi_app.pages.listening import listen
from pi_app.pages.messages import NO_GAME, Counts, Frames, FromPages, NamedGame, Setup, ToPages
from pi_app.play.phones import TablePages
from pi_app.settings.load import load
from pi_app.settings.model import Settings
from pi_app.simulated import actions
from pi_app.simulated.demo import Demo, Twins
from tests.pages.namespaces import ADDRESS, Room, inside
from tests.pages.phone import HOLD, LET_GO, PATIENCE_S, TAP, Phone
from tests.pages.wire import PORT

TABLE: Final = Path(__file__).with_name("table.toml")
SETTLES_NS: Final = 1_500_000_000
GAP_MS: Final = 120
SHORT_NS: Final = 100_000_000


class LockstepLink:
    """A link whose messages come when they are expected. `batch_sent` gets the number of frames of each batch."""

    def __init__(self, inner: ProcessLink, batch_sent: Callable[[int], None]) -> None:
        self.inner = inner
        self._batch_sent = batch_sent
        self._ready: deque[FromPages] = deque()
        self.batches = 0
        self.game = NO_GAME

    @property
    def trouble(self) -> str | None:
        return self.inner.trouble

    def expect(self, count: int = 1) -> None:
        """Wait until so many messages have come. The totals of each second do not count."""
        until = time.monotonic() + PATIENCE_S
        while count > 0:
            count -= self.poll()
            if time.monotonic() > until:
                raise TimeoutError(f"a message of a phone did not reach the table; {self.inner.last_words}")

    def poll(self) -> int:
        """Take what has come from the process, whatever it is; return how much."""
        came = [message for message in self.inner.take() if not isinstance(message, Counts)]
        self._ready.extend(came)
        return len(came)

    def take(self) -> Sequence[FromPages]:
        return [self._ready.popleft() for _ in range(len(self._ready))]

    def send(self, message: ToPages) -> None:
        self.inner.send(message)
        if isinstance(message, NamedGame):
            self.game = message.game
        if isinstance(message, Frames):
            self.batches += 1
            self._batch_sent(len(message.frames))

    def close(self) -> None:
        self.inner.close()


class WholeTable:
    """A simulated table with a phone at each seat. Close it."""

    def __init__(self, made: Room, settings: Settings, folder: Path, seed: int, *, demo: bool = True) -> None:
        """`demo`: with a demo's rates, 1,000 requests a second; a table's own limits otherwise."""
        with inside(made.table):
            setup = Setup(hosts=(ADDRESS,), address=f"http://{ADDRESS}/", demo=demo)
            inner = ProcessLink(setup, listen(ADDRESS, PORT))
        self.link = LockstepLink(inner, self._await_frames)
        self.codes = {seat: os.urandom(16) for seat in settings.seats}
        pages = TablePages(self.link, ADDRESS, self.codes)
        self.demo = Demo(settings, folder / "journal.db", seed=seed, twins=Twins(pages=pages))
        self.phones = {
            seat: Phone(name, (ADDRESS, PORT), self.codes[seat])
            for seat, name in zip(settings.seats, made.phones, strict=False)
        }
        self.browsers = 0
        """Streams that are no simulated phone's."""
        self.round_s = 0.0
        """How long a round takes at least in the machine's time; 0: as long as its work. A real table rests."""

    def open(self) -> None:
        """Begin the game, and join with every phone."""
        self.begin()
        for phone in self.phones.values():
            phone.game = self.link.game
            phone.join()
            self.link.expect()
            self.go(SHORT_NS)
            assert phone.shown, f"a phone did not join: {phone.words}"

    def begin(self) -> None:
        """Begin the game, and wait for the page process."""
        while not self.demo.loop.ready:
            self.demo.step()
        until = time.monotonic() + PATIENCE_S
        while self.link.inner.process_id is None and time.monotonic() < until:
            self.link.inner.take()
            time.sleep(0.01)

    def end(self) -> None:
        """End the game, and wait until every stream is over."""
        self.demo.end()
        self.go(SHORT_NS)
        until = time.monotonic() + PATIENCE_S
        while any(phone.is_open for phone in self.phones.values()) and time.monotonic() < until:
            self.link.inner.take()
            for phone in self.phones.values():
                if phone.is_open:
                    phone.take()
            time.sleep(0.001)

    def close(self) -> None:
        for phone in self.phones.values():
            phone.close()
        self.demo.close()
        self.link.close()

    def go(self, table_ns: int) -> None:
        """Let the table's time pass."""
        until = self.demo.table.clock.now_ns() + table_ns
        while self.demo.table.clock.now_ns() < until:
            rests_until = time.perf_counter() + self.round_s
            self.demo.step()
            time.sleep(max(0.0, rests_until - time.perf_counter()))

    def gesture(self, seat: str, kind: int, then_ns: int = SHORT_NS) -> None:
        self.phones[seat].post(kind)
        self.link.expect()
        self.go(then_ns)

    def expose(self, seat: str, square: str, clicks: int) -> dict[str, object]:
        """A player claims on the phone, turns a dial, and looks. Return what the phone showed."""
        self.gesture(seat, TAP)
        self.turn(square, clicks)
        return self.look(seat)

    def turn(self, square: str, clicks: int) -> None:
        """A hand turns a dial, and it comes to rest."""
        self.demo.act(actions.TurnDial(square, clicks, (GAP_MS,) * (clicks - 1)))
        self.go(SETTLES_NS + clicks * GAP_MS * 1_000_000)

    def look(self, seat: str, then_ns: int = SHORT_NS) -> dict[str, object]:
        self.gesture(seat, HOLD, then_ns)
        shown = self.phones[seat].shown.get("picture") or {}
        self.gesture(seat, LET_GO, then_ns)
        return dict(shown)

    def _await_frames(self, count: int) -> None:
        """Wait until so many more frames have come in all, but those of browsers."""
        count -= self.browsers
        until = time.monotonic() + PATIENCE_S
        while count > 0:
            is_open = {phone.fileno(): phone for phone in self.phones.values() if phone.is_open}
            for handle in select.select(list(is_open), [], [], 0.5)[0]:
                count -= is_open[handle].take()
            if time.monotonic() > until:
                raise TimeoutError(f"frames did not reach their phones; {self.link.inner.last_words}")


def settings() -> Settings:
    """The lanes' table: eight seats, eight squares, five languages."""
    return load(TABLE)
