"""Guessing from times: when, and in which order, packets follow a hold, over all nine contents.

The eavesdropper hears all legs, knows who held, and learns with the truth on half of the holds. Guessed is whether that
player saw a trap or a clear square.

Two tables: the wire alone, many holds a second; and the whole table with its loop, whose rounds rest as a real table's
do. There each seat knows a trap and a clear square, and looks at them in turn.
"""

from __future__ import annotations

import random
import tempfile
import time
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal, NamedTuple
from unittest import mock

import numpy as np

from pi_app.game.trap_table import Trap, TrapTable
from pi_app.journal.budget import Budget
from tests.pages.capture import DOWN, UP, Said
from tests.pages.faces import Contents
from tests.pages.figures import Figures
from tests.pages.lanes.captures import READ_EVERY, SEATS
from tests.pages.namespaces import Room, room
from tests.pages.phone import HOLD, LET_GO
from tests.pages.recorder import Recorder
from tests.pages.statistic import Numbers, Truths, auc, crossed_auc, spread
from tests.pages.whole import WholeTable, settings
from tests.pages.wire import Batch, WireTable

HOLDS_A_SEAT: Final = {True: 400, False: 50_000}
REACH: Final = 0.01
TRAPS: Final = tuple(Trap)
SURE: Final = 4.5
"""So many standard errors are allowed where a short run cannot tell 0.01."""

LOOKS: Final = {True: 300, False: 20_000}
"""At the whole table, of all seats together."""

ROUND_S: Final = 0.004
"""A round of the whole table: long enough for its work, and quicker than a real one, to have many looks."""

WIRE_ROUND_S: Final = 0.001
"""A round of the wire's table: shorter than a real one of 2 ms or more, to have many holds."""

LOOK_NS: Final = 60_000_000
CLEAR: Final = "clear"
NO_LIMIT: Final = Budget(at_once=10**9, every_ns=1)

LEAK_HOLDS: Final = 600
LEAK_S: Final = 0.001
SEEN: Final = 0.9


class Times:
    """When each write was on each leg: posts on the way up; answers and frames on the way down."""

    def __init__(self, legs: int) -> None:
        self.posts = [array("q") for _ in range(legs)]
        self.answers = [array("q") for _ in range(legs)]
        self.frames = [array("q") for _ in range(legs)]

    def noticed(self, leg: int, said: Said) -> None:
        if said.what == "write":
            if said.towards == UP and said.connection > 0:
                self.posts[leg].append(said.at_ns)
            elif said.towards == DOWN:
                (self.answers if said.connection else self.frames)[leg].append(said.at_ns)

    def clear(self) -> None:
        for times in (*self.posts, *self.answers, *self.frames):
            del times[:]


def measure(made: Room, holds: int, *, delay_s: float = 0.0) -> tuple[Numbers, Truths, list[int]]:
    """Let random seats hold. Return the features of each hold, whether it showed a trap, and whose it was."""
    contents = Contents(SEATS[: len(made.phones)])
    table = WireTable(made, contents.seats, contents.plain)
    times = Times(len(made.phones))
    recorder = Recorder(made, times.noticed)
    draw = random.Random()
    told: list[int] = []
    truths: list[bool] = []
    rows: list[list[float]] = []
    try:
        table.open()
        recorder.read()
        times.clear()
        for number in range(holds):
            leg = draw.randrange(len(contents.seats))
            trap = (draw.choice(TRAPS), None)[draw.randrange(2)]
            contents.looks[contents.seats[leg]] = (trap, draw)
            table.change = _late(delay_s if trap is not None else 0.0)
            table.gesture(contents.seats[leg], HOLD, round_s=WIRE_ROUND_S)
            table.change = lambda batch: batch
            table.gesture(contents.seats[leg], LET_GO, round_s=WIRE_ROUND_S)
            told.append(leg)
            truths.append(trap is not None)
            if number % READ_EVERY == READ_EVERY - 1 or number == holds - 1:
                recorder.read()
                rows += features(times, told[len(rows) :])
                times.clear()
        assert recorder.heard.lost == 0, "the captures lost packets"
    finally:
        table.close()
        recorder.close()
    return np.array(rows), np.array(truths), told


def features(times: Times, told: list[int]) -> list[list[float]]:
    """For each hold, in microseconds after its post: its answer, the told phone's frame, all frames in the order in
    which they came, and the told one's place among them; then the same of the frames after the finger was lifted."""
    rows, posted = [], [0] * len(times.posts)
    for number, leg in enumerate(told):
        row: list[float] = []
        for part in (0, 1):
            began = times.posts[leg][posted[leg]]
            at = [(frames[2 * number + part] - began) / 1000 for frames in times.frames]
            row += [(times.answers[leg][posted[leg]] - began) / 1000, at[leg], *sorted(at)]
            row.append(float(sorted(at).index(at[leg])))
            posted[leg] += 1
        rows.append(row)
    return rows


class Play(NamedTuple):
    """What was played at the whole table: the times, and of each look its leg and whether it showed a trap."""

    rows: Numbers
    truths: Truths


def measure_whole(made: Room, looks: int) -> Play:
    """Let seats look at a trap and at a clear square, in turn, in two games: four seats in each."""
    times = Times(len(made.phones))
    rows: list[list[float]] = []
    truths: list[bool] = []
    dealt, draw = settings(), random.Random()
    with mock.patch.multiple("pi_app.play.loop.players", PRESSES=NO_LIMIT):
        for who in (SEATS[:4], SEATS[4:]):
            recorder = Recorder(made, times.noticed)
            with tempfile.TemporaryDirectory() as folder:
                table = WholeTable(made, dealt, Path(folder), seed=1)
                try:
                    table.open()
                    squares = iter(dealt.squares.items())
                    for seat in who:
                        for wanted in ("trap", "clear"):
                            label, square = next(squares)
                            table.expose(seat, label, _clicks(square.table, wanted))
                    table.round_s = ROUND_S
                    for _ in range(looks // 2):
                        recorder.read()
                        times.clear()
                        seat = draw.choice(who)
                        shown = table.look(seat, LOOK_NS)
                        recorder.read()
                        row = first_features(times, SEATS.index(seat))
                        if shown.get("kind") == "face" and row is not None:
                            rows.append(row)
                            truths.append(shown["symbol"] != CLEAR)
                    assert recorder.heard.lost == 0, "the captures lost packets"
                finally:
                    table.close()
                    recorder.close()
    return Play(np.array(rows), np.array(truths))


def _clicks(table: TrapTable, wanted: Literal["trap", "clear"]) -> int:
    """How far a hand must turn a dial for a face of this kind."""
    return next(face.position for face in table.faces if face.kind == wanted)


def first_features(times: Times, leg: int) -> list[float] | None:
    """The features of one look: of its two posts, the first frame that came after each on every leg. None if a beat
    came in between, whose frames are no answer."""
    began = times.posts[leg]
    if len(began) != 2 or any(len(frames) != 2 for frames in times.frames):
        return None
    return features(times, [leg])[0]


def _late(delay_s: float) -> Callable[[Batch], Batch]:
    def change(batch: Batch) -> Batch:
        until = time.perf_counter() + delay_s
        while time.perf_counter() < until:
            pass
        return batch

    return change


def run(figures: Figures, *, short: bool) -> None:
    holds = HOLDS_A_SEAT[short] * len(SEATS)
    with room(len(SEATS)) as made:
        began = time.monotonic()
        rows, truths, told = measure(made, holds)
        figures.note(f"{holds:,} holds on the wire, {holds / (time.monotonic() - began):,.0f} a second")
        medians = np.median(rows[:, [1, 2, 9]], axis=0)
        figures.note(
            f"after a hold's post, median: its own frame {medians[0]:,.0f} us, the first one {medians[1]:,.0f}, "
            f"the last one {medians[2]:,.0f}"
        )
        whose = np.array(told)
        for leg, seat in enumerate(SEATS):
            own = whose == leg
            limit = max(REACH, SURE * spread(truths[own])) if short else REACH
            figures.most(
                f"{seat} ({int(own.sum()):,} holds): guess of what is learned from all times, off 0.5",
                abs(crossed_auc(rows[own], truths[own]) - 0.5),
                limit,
            )
            single = max(abs(auc(column, truths[own]) - 0.5) for column in rows[own].T)
            figures.most(f"{seat}: best guess of any one time, off 0.5", single, max(limit, SURE * spread(truths[own])))
        rows, truths = measure_whole(made, LOOKS[short])
        limit = max(REACH, SURE * spread(truths))
        figures.note(f"the whole table: {len(truths):,} looks, {int(truths.sum()):,} at a trap")
        figures.most("the whole table: guess of what is learned, off 0.5", abs(crossed_auc(rows, truths) - 0.5), limit)
        single = max(abs(auc(column, truths) - 0.5) for column in rows.T)
        figures.most("the whole table: best guess of any one time, off 0.5", single, max(limit, SURE * spread(truths)))
        rows, truths, _ = measure(made, LEAK_HOLDS, delay_s=LEAK_S)
        figures.least("with 1 ms planted for traps: guess", crossed_auc(rows, truths), SEEN)
