"""Simulated players with simulated phones: they tap, turn and hold, and act on what their phones show alone."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol

from pi_app.simulated.actions import TableAction, TurnDial, TypeLine
from pi_app.simulated.http_phone import HttpPhone, Shown
from pi_app.simulated.page_stream import PageError

LIMIT_S: Final = 30.0
"""A phone that waits longer for what it must see gives up."""

READS_S: Final = 0.002
"""How long a phone that waits is read between two rounds of the table."""

LONG_READS_S: Final = 0.1
"""The same while the table's time is ahead."""

AHEAD_S: Final = 10.0
"""While a phone waits, the table's time may run ahead of real time by this. A claim is over after 120 s of the table's
time: on a busy machine, a table that ran on would take it back before its phone has read a word."""

LOOKS_NS: Final = 1_500_000_000
RESTS_NS: Final = 1_500_000_000
BETWEEN_NS: Final = 400_000_000
CONCEALED: Final = "CONCEALED"


class RobotTable(Protocol):
    """What robots may do at a table."""

    def step(self) -> None:
        """Run one round of the table."""

    def act(self, action: TableAction) -> None:
        """Turn a dial, or type a line."""

    def will_roll(self, die: int) -> None:
        """Let a device that rolls roll this next."""

    def now_ns(self) -> int:
        """Return the table's time."""

    @property
    def running(self) -> bool:
        """Whether the table was not stopped."""


class StoppedTableError(Exception):
    """The table was stopped while robots play."""


class Robots:
    """The players of a table, each with a phone. `faces`: how often a phone has shown one; that no other phone did at
    that moment is checked. `frames` and `unread`: those that opened, and those that did not."""

    def __init__(self, table: RobotTable, join: Callable[[str], HttpPhone], seats: Sequence[str], seed: int) -> None:
        """`join` opens a phone for a seat."""
        self._table, self._join, self._seats = table, join, tuple(seats)
        self._draw = random.Random(f"robots {seed}")
        self.phones: Mapping[str, HttpPhone] = {}
        self.faces = self.frames = self.unread = 0
        self._turned: dict[str, int] = {}

    def play(self, exposes: int) -> None:
        """Join, expose so many squares, and begin another game whenever all are exposed. Raises PageError, and
        StoppedTableError."""
        self.join()
        for number in range(exposes):
            seat = self._draw.choice(self._seats)
            concealed = [label for label, _, state in self.phones[seat].shown["squares"] if state == CONCEALED]
            if not concealed:
                self._next_game()
                concealed = [label for label, _, state in self.phones[seat].shown["squares"] if state == CONCEALED]
            self._expose(seat, self._draw.choice(concealed), loses_connection=number % 5 == 4)

    def join(self) -> None:
        """Join with all phones."""
        made = {seat: self._join(seat) for seat in self._seats}
        for phone in made.values():
            self._until(phone, lambda shown: shown["phase"] == "playing")
        self.phones = made

    def see_the_end(self) -> None:
        """Run the table until every phone was told that the game is over."""
        for phone in self.phones.values():
            until_s = time.monotonic() + LIMIT_S
            while not phone.over and time.monotonic() < until_s:
                self._round()
                phone.take(READS_S)
            if phone.word != "over":
                raise PageError(f"a simulated phone was not told that the game is over ({phone.word or 'silence'})")

    def close(self) -> None:
        """Close the phones."""
        for phone in self.phones.values():
            self.frames += phone.frames
            self.unread += phone.unread
            phone.cut()
        self.phones = {}

    def _expose(self, seat: str, square: str, *, loses_connection: bool) -> None:
        """Tap. Turn. Hold."""
        phone = self.phones[seat]
        roll = self._draw.randint(1, 6)
        self._table.will_roll(roll)
        phone.tap()
        self._until(phone, lambda shown: shown["mine"]["claim"] == "open")
        gaps_ms = tuple(round(self._draw.uniform(150.0, 600.0), 1) for _ in range(roll - 1))
        self._table.act(TurnDial(square, roll, gaps_ms))
        self._turned[square] = roll
        self._pass(round(sum(gaps_ms) * 1e6) + RESTS_NS)
        if loses_connection:
            phone.cut()
            phone.come_back()
            self._until(phone, lambda shown: shown["mine"]["claim"] == square)
        phone.hold()
        self._until(phone, lambda shown: (shown["picture"] or {}).get("kind") == "face")
        self.faces += 1
        self._pass(LOOKS_NS)
        lit = [each for each, other in self.phones.items() if (other.shown["picture"] or {}).get("kind") == "face"]
        if lit not in ([seat], []):
            raise PageError(f"a face of seat {seat} shows on the phones of {', '.join(lit)}")
        phone.let_go()
        self._until(phone, lambda shown: shown["picture"] is None and square in shown["mine"]["knows"])
        self._pass(BETWEEN_NS)

    def _next_game(self) -> None:
        """End the game, turn all dials back, begin another one and join again."""
        self._table.act(TypeLine("end"))
        for square, clicks in self._turned.items():
            self._table.act(TurnDial(square, -clicks, (120.0,) * (clicks - 1)))
        self._turned.clear()
        self._pass(3 * RESTS_NS)
        self.close()
        self._table.act(TypeLine("new"))
        self._pass(RESTS_NS)
        self.join()

    def _pass(self, ns: int) -> None:
        until_ns = self._table.now_ns() + ns
        while self._table.now_ns() < until_ns:
            self._round()

    def _until(self, phone: HttpPhone, wanted: Callable[[Shown], bool]) -> None:
        """Run the table until this phone shows what its player waits for. Raises PageError."""
        began_s, began_ns = time.monotonic(), self._table.now_ns()
        while not (phone.joined and wanted(phone.shown)):
            waited_s = time.monotonic() - began_s
            if phone.over or waited_s > LIMIT_S:
                raise PageError(f"a simulated phone waits for a frame that does not come ({phone.word or 'silence'})")
            self._round()
            ahead_s = (self._table.now_ns() - began_ns) / 1e9 - waited_s
            phone.take(READS_S if ahead_s < AHEAD_S else LONG_READS_S)

    def _round(self) -> None:
        if not self._table.running:
            raise StoppedTableError
        self._table.step()
        for phone in self.phones.values():
            if not phone.over:
                phone.take()
