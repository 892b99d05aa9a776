"""Twin games on the air: the same play over other trap tables, recorded on every phone's leg, the told one included.

Hard equality of what `tests.pages.capture` keeps. Where a phone's frame stands in the order of a batch is drawn at
random, so it cannot be equal: there, the told phone's place must be evenly spread.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.pages.capture import DOWN, Said
from tests.pages.faces import CONTENTS, Contents
from tests.pages.figures import Figures
from tests.pages.namespaces import Room, room
from tests.pages.phone import HOLD, LET_GO
from tests.pages.recorder import Heard, Recorder
from tests.pages.statistic import uneven
from tests.pages.whole import WholeTable, settings
from tests.pages.wire import Batch, WireTable
from tests.twin_games import with_tables

SEATS: Final = ("ANN", "BEN", "CAL", "DEE", "EVE", "FAY", "GUS", "HAL")
LOOKS: Final = {True: 1_500, False: 30_000}
"""One phone holds, is told, and lets go, with all that goes over the air for it."""

CROWD: Final = {True: 8_800, False: 970_000}
"""All eight fingers are down, and each batch tells every phone another content."""

GAMES: Final = {True: 2, False: 40}
"""Games of the whole simulated table, of eight exposes and these looks besides."""

LOOKS_A_GAME: Final = {True: 16, False: 30}
LEAST_COMPARED: Final = {True: 10_000, False: 1_000_000}
LEAK_EXPOSES: Final = 60
EVEN: Final = 5.0
"""A z-score that chance does not reach."""

READ_EVERY: Final = 50
CLOSED_S: Final = 0.5


@dataclass(slots=True)
class Places:
    """Where the told phone's frame stood among the frames of its batch: from the captures' own times."""

    legs: int
    found: list[int] = field(default_factory=list)
    _times: list[list[int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._times = [[] for _ in range(self.legs)]

    def noticed(self, leg: int, said: Said) -> None:
        if said.towards == DOWN and said.what == "write" and said.connection == 0:
            self._times[leg].append(said.at_ns)

    def clear(self) -> None:
        """Forget the greetings and the frames of joining."""
        for times in self._times:
            times.clear()

    def take(self, told: list[int]) -> None:
        """Judge what came: `told` is the leg that was told in each batch, or -1 for a batch that does not count."""
        count = min(map(len, self._times))
        for number, leg in enumerate(told[:count]):
            if leg >= 0:
                at = self._times[leg][number]
                self.found.append(sum(times[number] < at for times in self._times))
        for times in self._times:
            del times[:count]
        del told[:count]


@dataclass(slots=True)
class Played:
    """One game on the air."""

    heard: Heard
    seconds: float
    places: list[int] = field(default_factory=list)
    told: int = 0
    """Pictures that the phones have opened; of a wire table, the exposes."""


def play(made: Room, exposes: int, tables: int, leak: str = "") -> Played:
    """Play one plan over the trap tables of this seed. The plan (who looks, and when) is always the same."""
    contents = Contents(SEATS[: len(made.phones)])
    table = WireTable(made, contents.seats, contents.plain)
    places = Places(len(made.phones))
    recorder = Recorder(made, places.noticed)
    who, what = random.Random("who looks"), random.Random(f"tables {tables}")
    told: list[int] = []
    try:
        table.open()
        recorder.read()
        places.clear()
        began = time.monotonic()
        for number in range(exposes):
            seat = who.choice(contents.seats)
            trap = what.choice(CONTENTS)
            contents.looks[seat] = (trap, what)
            if leak:
                table.change = LEAKS[leak](contents, seat)
            table.gesture(seat, HOLD)
            table.gesture(seat, LET_GO)
            if leak == "a post of another length" and trap is None:
                table.phones[seat].send(bytes(129), b"HTTP/1.1 413 ")
            told += [contents.seats.index(seat), -1]
            if number % READ_EVERY == READ_EVERY - 1:
                recorder.read()
                places.take(told)
        seconds = time.monotonic() - began
        recorder.read()
        places.take(told)
    finally:
        table.close()
        recorder.close()
    return Played(recorder.heard, seconds, places.found, exposes)


def crowd(made: Room, exposes: int, tables: int) -> Played:
    """Every phone looks all the time, and is told something else in each batch."""
    contents = Contents(SEATS[: len(made.phones)])
    table = WireTable(made, contents.seats, contents.plain)
    recorder = Recorder(made)
    what = random.Random(f"tables {tables}")
    try:
        for seat in contents.seats:
            contents.looks[seat] = (None, what)
        table.open()
        for seat in contents.seats:
            table.gesture(seat, HOLD)
        for phone in table.phones.values():
            phone.hang_up()  # left idle, it would be closed after so many seconds of real time, in any batch
        time.sleep(CLOSED_S)
        began = time.monotonic()
        for number in range(exposes // len(contents.seats)):
            for seat in contents.seats:
                contents.looks[seat] = (what.choice(CONTENTS), what)
            table.tell()
            if number % READ_EVERY == READ_EVERY - 1:
                recorder.read()
        seconds = time.monotonic() - began
        recorder.read()
    finally:
        table.close()
        recorder.close()
    return Played(recorder.heard, seconds, told=exposes)


def whole(made: Room, games: int, looks: int, tables: int) -> Played:
    """Games of the whole simulated table: dials turn, the journal is written, and the loop makes the frames."""
    recorder, began, told = Recorder(made), time.monotonic(), 0
    try:
        for game in range(games):
            who = random.Random(f"who plays {game}")
            with tempfile.TemporaryDirectory() as folder:
                dealt = with_tables(settings(), 1000 * tables + game)
                table = WholeTable(made, dealt, Path(folder), seed=game + 1)
                try:
                    table.open()
                    seats = who.sample(SEATS, len(SEATS))
                    for seat, square in zip(seats, dealt.squares, strict=True):
                        told += table.expose(seat, square, who.randint(1, 6)).get("kind") == "face"
                        recorder.read()
                    for _ in range(looks):
                        told += table.look(who.choice(seats)).get("kind") == "face"
                    table.end()
                    recorder.read()
                finally:
                    table.close()
        recorder.read()
    finally:
        recorder.close()
    return Played(recorder.heard, time.monotonic() - began, told=told)


# ------------------------------------------------------------------------------------------------- planted leaks


def _longer(contents: Contents, told: str) -> Callable[[Batch], Batch]:
    """The told phone's frame is three bytes longer if it names a trap: base64 hides one and two."""

    def change(batch: Batch) -> Batch:
        more = bytes(3) if contents.looks[told][0] is not None else b""
        return [(seat, conn, frame + (more if seat == told else b"")) for seat, conn, frame in batch]

    return change


def _alone(contents: Contents, told: str) -> Callable[[Batch], Batch]:
    """Only the told phone gets a frame, if it names a trap."""
    return lambda batch: [each for each in batch if contents.looks[told][0] is None or each[0] == told]


def _first(contents: Contents, told: str) -> Callable[[Batch], Batch]:
    """The told phone's frame is always sent first."""
    return lambda batch: sorted(batch, key=lambda each: each[0] != told)


def _nothing(contents: Contents, told: str) -> Callable[[Batch], Batch]:
    return lambda batch: batch


LEAKS: Final = {
    "a frame three bytes longer": _longer,
    "a frame only for the told phone": _alone,
    "a post of another length": _nothing,
    "a fixed order that names the told one": _first,
}


def run(figures: Figures, *, short: bool) -> None:
    """Play the twins in three ways, then with each planted leak."""
    looks, games, more = LOOKS[short], GAMES[short], LOOKS_A_GAME[short]
    with room(len(SEATS)) as made:
        ways: tuple[tuple[str, Callable[[int], Played]], ...] = (
            ("one looks, no game behind it", lambda tables: play(made, looks, tables)),
            ("all eight look, no game behind it", lambda tables: crowd(made, CROWD[short], tables)),
            (f"the whole table, {games} games", lambda tables: whole(made, games, more, tables)),
        )
        compared = 0
        for name, way in ways:
            this, that = way(1), way(2)
            _compare(figures, name, this, that)
            compared += min(this.told, that.told)
            if this.places:
                places = this.places + that.places
                figures.least(f"{name}: batches whose order was seen", len(places), 2 * looks)
                figures.most("the told phone's place in the order, unevenness (z)", uneven(places, len(SEATS)), EVEN)
        figures.least("exposes compared in all", compared, LEAST_COMPARED[short])
        for leak in LEAKS:
            this, that = play(made, LEAK_EXPOSES, 1, leak), play(made, LEAK_EXPOSES, 2, leak)
            red = bool(this.heard.differing(that.heard)) or uneven(this.places + that.places, len(SEATS)) > EVEN
            figures.holds(f"red with {leak}", is_so=red)


def _compare(figures: Figures, name: str, this: Played, that: Played) -> None:
    differing = this.heard.differing(that.heard)
    for each in differing:
        figures.note(each)
    figures.note(
        f"{name}: {this.told:,} told in one game and {that.told:,} in the other, {this.heard.things:,} things said in "
        f"each, {(this.told + that.told) / (this.seconds + that.seconds):,.0f} told a second"
    )
    figures.most(f"{name}: legs of {len(SEATS)} on which the twins differ", len(differing), 0)
    figures.most("packets that the captures lost", this.heard.lost + that.heard.lost, 0)
