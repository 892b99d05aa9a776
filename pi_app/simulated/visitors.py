"""Robot visitors of every temper for a simulated demo station: they tap, read, turn, hold, and walk away.

A visitor is a script that yields pauses, in seconds; `Visitors` runs those of one group after the other. Each sees its
own seat's screen alone and what everybody sees, and types nothing. The same seed gives the same groups.
"""

from __future__ import annotations

import heapq
import random
import re
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Protocol

from pi_app.report.pictures import SeatPicture, ShowCode, ShowDie
from pi_app.simulated.actions import ClearFault, HandAction, InjectFault, Press, Release, TurnDial
from pi_app.station.visits.visit import PLAYED, State
from pi_app.text.languages import LANGUAGES

Script = Generator[float, None, None]
"""Yields how many seconds its visitor does nothing."""

SECOND_NS: Final = 1_000_000_000
PAUSES_S: Final = (1.0, 8.0)
"""Shortest and longest pause between two groups."""

FALLBACK_CLICKS: Final = 3
"""What a visitor turns who has read no number."""


class VisitorPhone(Protocol):
    """A phone in a visitor's hand."""

    @property
    def joined(self) -> bool:
        """Whether it holds a seat."""

    def tap(self) -> None:
        """Tap on it."""

    def hold(self) -> None:
        """Put the finger down to look."""

    def let_go(self) -> None:
        """Lift the finger."""

    def cut(self) -> None:
        """Walk out of the network."""


class VisitedStation(Protocol):
    """What visitors reach of a station: its buttons, dials and leads, each seat's screen, and what everybody sees."""

    @property
    def seats(self) -> Sequence[str]:
        """The keys of the seats that visitors may sit at."""

    @property
    def squares(self) -> Sequence[str]:
        """The labels of the squares."""

    @property
    def state(self) -> State:
        """What the public display shows."""

    def now_ns(self) -> int:
        """Return the station's time."""

    def act(self, action: HandAction) -> None:
        """Do this now."""

    def creep(self, square: str, part: float) -> None:
        """Turn a dial by part of a click, and leave it there."""

    def picture(self, seat: str) -> SeatPicture | None:
        """Return what a seat's own screen shows."""

    def phone(self, link: str) -> VisitorPhone | None:
        """Open the address of a scanned code; None without pages."""


class Visitor:
    """One person at a seat. `pace` stretches every pause."""

    def __init__(self, at: VisitedStation, seat: str, draw: random.Random, pace: float = 1.0) -> None:
        self.at, self.seat, self.draw, self._pace = at, seat, draw, pace

    def pause(self, least_s: float, most_s: float) -> Script:
        """Read, think, or look around."""
        yield self.draw.uniform(least_s, most_s) * self._pace

    def tap(self) -> Script:
        """Tap the seat's button."""
        yield from self.hold(self.draw.uniform(0.08, 0.2))

    def hold(self, seconds: float) -> Script:
        """Hold the seat's button."""
        yield from self.press(seconds)
        yield 0.1

    def press(self, seconds: float) -> Script:
        """Keep the seat's button down. A visitor who is sent home lets it go."""
        self.at.act(Press(self.seat))
        try:
            yield seconds
        finally:
            self.at.act(Release(self.seat))

    def turn(self, square: str, clicks: int) -> Script:
        """Turn a dial, and wait until it rests."""
        gaps_ms = tuple(round(self.draw.uniform(150.0, 600.0), 1) for _ in range(abs(clicks) - 1))
        self.at.act(TurnDial(square, clicks, gaps_ms))
        yield sum(gaps_ms) / 1000 + 1.2

    def wake(self) -> Script:
        """Wake the station, and choose a language."""
        if self.at.state in (State.ATTRACT, State.THANKS):
            yield from self.tap()
            yield from self.pause(0.8, 2)
        for _ in range(self.draw.randrange(len(LANGUAGES))):
            if self.at.state is State.JOINING:
                yield from self.tap()
                yield from self.pause(0.5, 1.5)
        for _ in range(60):
            if self.at.state in PLAYED:
                return
            yield 0.5

    def number(self) -> int:
        """Return the number that the seat's screen shows."""
        shown = self.at.picture(self.seat)
        found = re.search(r"[0-9]+", " ".join(shown.lines)) if isinstance(shown, ShowDie) else None
        return int(found[0]) if found else FALLBACK_CLICKS

    def read_number(self) -> Generator[float, None, int]:
        """Hold the seat's button; return the number that its screen shows."""
        self.at.act(Press(self.seat))
        try:
            yield 0.8
            return self.number()
        finally:
            self.at.act(Release(self.seat))

    def one_turn(self, square: str | None = None) -> Script:
        """Tap. Read the number. Turn. Hold."""
        yield from self.tap()
        yield from self.pause(1, 3)
        clicks = yield from self.read_number()
        yield from self.pause(0.3, 2)
        yield from self.turn(square or self.draw.choice(self.at.squares), min(clicks, 12))
        yield from self.pause(0.3, 3)
        yield from self.hold(self.draw.uniform(1, 4))


# ------------------------------------------------------------------------------------------------------ tempers


def eager(who: Visitor) -> Script:
    """Does all that is asked at once, and goes on."""
    yield from who.wake()
    for _ in range(who.draw.randint(1, 4)):
        yield from who.one_turn()
        yield from who.pause(0.3, 2)


def slow_reader(who: Visitor) -> Script:
    """Reads every sentence twice."""
    yield from who.wake()
    yield from who.pause(5, 15)
    yield from who.one_turn()
    yield from who.pause(5, 12)


def child(who: Visitor) -> Script:
    """Turns everything, to and fro, and taps in between."""
    for _ in range(who.draw.randint(6, 20)):
        square = who.draw.choice(who.at.squares)
        yield from who.turn(square, who.draw.choice((-1, 1)) * who.draw.randint(1, 5))
        if who.draw.random() < 0.4:
            yield from who.tap()


def walks_away(who: Visitor) -> Script:
    """Leaves in the middle of the guide."""
    yield from who.wake()
    for step in range(who.draw.randrange(3)):
        yield from who.pause(1, 4)
        yield from (who.tap() if step == 0 else who.turn(who.draw.choice(who.at.squares), who.draw.randint(1, 3)))


def holds_for_ever(who: Visitor) -> Script:
    """Learns one turn, then leans a bag on the button; somebody takes it away minutes later."""
    yield from who.wake()
    yield from who.one_turn()
    yield from who.hold(who.draw.uniform(100, 400))


def leaves_between(who: Visitor) -> Script:
    """Leaves each dial between two clicks."""
    yield from who.wake()
    yield from who.tap()
    for square in who.draw.sample(list(who.at.squares), 2):
        yield from who.turn(square, who.draw.randint(1, 3))
        who.at.creep(square, who.draw.uniform(0.3, 0.7))
        yield from who.pause(1, 3)
    yield from who.hold(2)


def never_taps(who: Visitor) -> Script:
    """Turns one dial after the other, and never finds the button."""
    for _ in range(who.draw.randint(2, 8)):
        yield from who.turn(who.draw.choice(who.at.squares), who.draw.randint(1, 6))
        yield from who.pause(1, 10)


def restless(who: Visitor) -> Script:
    """Taps, holds and lets go without an end."""
    for _ in range(who.draw.randint(20, 80)):
        long = who.draw.random() < 0.2
        yield from (who.hold(who.draw.uniform(0.4, 1.2)) if long else who.tap())
        yield who.draw.uniform(0.02, 0.4)


def unplugger(who: Visitor) -> Script:
    """Pulls the lead of a tile in the middle of a turn, and plugs it in again."""
    yield from who.wake()
    yield from who.tap()
    square = who.draw.choice(who.at.squares)
    who.at.act(InjectFault(square, "unplugged"))
    try:
        yield from who.turn(square, who.draw.randint(1, 4))
        yield from who.pause(2, 40)
    finally:
        who.at.act(ClearFault(square, "unplugged"))
    yield from who.pause(2, 5)
    yield from who.hold(2)


def scan_code(who: Visitor) -> Generator[float, None, VisitorPhone | None]:
    """Hold the button, and scan the code that the screen shows; None without one."""
    who.at.act(Press(who.seat))
    try:
        yield 1.0
        shown = who.at.picture(who.seat)
        return who.at.phone(shown.link) if isinstance(shown, ShowCode) else None
    finally:
        who.at.act(Release(who.seat))


def phone_scanner(who: Visitor) -> Script:
    """Holds the button, scans the code that the screen shows, and plays with the phone."""
    yield from who.wake()
    yield from who.pause(0.5, 2)
    phone = yield from scan_code(who)
    yield 1.5
    if phone is None or not phone.joined:
        yield from who.one_turn()
        return
    try:
        phone.tap()
        yield from who.pause(1, 3)
        phone.hold()
        yield 0.8
        phone.let_go()
        yield from who.turn(who.draw.choice(who.at.squares), who.draw.randint(1, 6))
        phone.hold()
        yield from who.pause(1, 3)
        phone.let_go()
        yield from who.pause(1, 4)
    finally:
        phone.cut()


Temper = Callable[[Visitor], Script]


@dataclass(frozen=True, slots=True)
class GroupKind:
    """Who comes together. `late_s`: the last of them comes so much later; `pace` stretches their pauses."""

    who: tuple[Temper, ...]
    late_s: tuple[float, float] = (0.0, 3.0)
    pace: float = 1.0


TEMPERS: Final[Mapping[str, GroupKind]] = MappingProxyType(
    {
        "eager": GroupKind((eager,), pace=0.5),
        "slow reader": GroupKind((slow_reader,), pace=1.5),
        "child": GroupKind((child,)),
        "walks away in the guide": GroupKind((walks_away,)),
        "holds a button for ever": GroupKind((holds_for_ever,)),
        "leaves dials between clicks": GroupKind((leaves_between,)),
        "two at once": GroupKind((eager, slow_reader)),
        "four at once": GroupKind((eager, eager, child, restless)),
        "late joiner": GroupKind((slow_reader, eager), (20.0, 40.0)),
        "phone scanner": GroupKind((phone_scanner,)),
        "never taps": GroupKind((never_taps,)),
        "restless fingers": GroupKind((restless,)),
        "unplugger": GroupKind((unplugger,)),
    }
)
"""Every temper, by its name."""


class Visitors:
    """Group after group at one station. The next one comes when the station has let the last one go."""

    def __init__(self, at: VisitedStation, seed: int = 0, pauses_s: tuple[float, float] = PAUSES_S) -> None:
        """`pauses_s`: between two groups."""
        self._at, self._pauses_s = at, pauses_s
        self._draw = random.Random(f"visitors {seed}")
        self._due: list[tuple[int, int, str, Script]] = []
        self._order = 0
        self._here: set[str] = set()
        self._deck: list[str] = []
        self._next_ns: int | None = at.now_ns()
        self.groups = 0
        """How many have come."""
        self.temper = ""
        """That of the last one."""
        self.hand_ns = at.now_ns()
        """When a hand moved last."""

    @property
    def due_ns(self) -> int | None:
        """When something is done next; None while everybody is gone and the station has not let them go yet."""
        times = [self._due[0][0]] if self._due else []
        return min([*times, *([] if self._next_ns is None else [self._next_ns])], default=None)

    @property
    def gone(self) -> bool:
        """Whether nobody of any group is left."""
        return not self._due

    def step(self) -> None:
        """Do all that is due now."""
        now_ns = self._at.now_ns()
        while self._due and self._due[0][0] <= now_ns:
            _, _, seat, script = heapq.heappop(self._due)
            self._go_on(seat, script, now_ns)
        if self._due or self._at.state is not State.ATTRACT:
            return
        if self._next_ns is None:
            self._next_ns = now_ns + round(self._draw.uniform(*self._pauses_s) * SECOND_NS)
        elif self._next_ns <= now_ns:
            self._next_ns = None
            self._come(now_ns)

    def _come(self, now_ns: int) -> None:
        self._deck = self._deck or self._draw.sample(list(TEMPERS), len(TEMPERS))
        self.temper = self._deck.pop()
        self.groups += 1
        kind = TEMPERS[self.temper]
        free = [seat for seat in self._at.seats if seat not in self._here]
        came = list(zip(self._draw.sample(free, min(len(free), len(kind.who))), kind.who, strict=False))
        for place, (seat, temper) in enumerate(came):
            visitor = Visitor(self._at, seat, random.Random(self._draw.random()), kind.pace)
            late_s = self._draw.uniform(*kind.late_s) if place and place == len(came) - 1 else 0.0
            self._here.add(seat)
            self._wait(seat, temper(visitor), now_ns + round(late_s * SECOND_NS))

    def _go_on(self, seat: str, script: Script, now_ns: int) -> None:
        self.hand_ns = now_ns
        try:
            pause_s = next(script)
        except StopIteration:
            self._here.discard(seat)
        else:
            self._wait(seat, script, now_ns + round(pause_s * SECOND_NS))

    def _wait(self, seat: str, script: Script, at_ns: int) -> None:
        self._order += 1
        heapq.heappush(self._due, (at_ns, self._order, seat, script))

    def leave(self) -> None:
        """Send everybody home: they let go of what they hold. The next group comes a pause after the station invites
        again."""
        for _, _, _, script in self._due:
            script.close()
        self._due.clear()
        self._here.clear()
        self._next_ns = None
