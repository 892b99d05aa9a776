"""Random schedules against the idle timer: how many visits end early, and how many late.

    python -m tests.station.idle --schedules 10000
    python -m tests.station.idle --stations 100      # through the whole loop: buttons, dials, screens, journal
    python -m tests.station.idle --pushes 1000       # the same for dials that are pushed by part of a click alone

A schedule is what the hands of a group do: every kind of input, with pauses of all lengths up to a little under the
idle time, and then nothing. A visit that ends within the idle time of an input ends early; one that is not reset
`idle_s` + 16 s after the last input ends late.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pi_app.settings.station_section import StationSettings
from pi_app.station.visits.inputs import (
    Clicked,
    DialBetween,
    Held,
    Input,
    LetGo,
    LookShown,
    PhoneSeen,
    ResetDone,
    Tapped,
)
from pi_app.station.visits.visit import PLAYED, SECOND_NS, State, Visit, VisitRules, advance, warning_s
from tests.pi_app.station.at_station import AtStation, a_station

SEATS: Final = ("P1", "P2", "P3", "P4")
SQUARES: Final = ("T01", "T02", "T03")
KINDS: Final[tuple[Callable[[random.Random], Input], ...]] = (
    lambda draw: Tapped(draw.choice(SEATS)),
    lambda draw: Held(draw.choice(SEATS)),
    lambda draw: LetGo(draw.choice(SEATS)),
    lambda draw: LookShown(draw.choice(SEATS)),
    lambda draw: Clicked(draw.choice(SQUARES)),
    lambda draw: DialBetween(draw.choice(SQUARES)),
    lambda draw: PhoneSeen(),
    lambda draw: PhoneSeen(draw.choice(SEATS)),
)
LATE_NS: Final = 16 * SECOND_NS


@dataclass
class Counted:
    """What the schedules came to. `unwarned`: visits that ended without 15 s of warning before."""

    schedules: int = 0
    inputs: int = 0
    early: int = 0
    late: int = 0
    unwarned: int = 0


def steps(draw: random.Random, idle_ns: int) -> Iterator[tuple[int, Input | None]]:
    """The rounds of a table: their times, and what hands do in them. The last input is followed by silence alone."""
    now_ns, due_ns, left = 0, SECOND_NS, draw.randint(1, 25)
    silent_ns = idle_ns + 60 * SECOND_NS
    while silent_ns > 0:
        round_ns = draw.choice(
            (10_000_000, 40_000_000, 250_000_000, 900_000_000) if left else (40_000_000, 200_000_000)
        )
        now_ns += round_ns
        if left and now_ns >= due_ns:
            left -= 1
            due_ns = now_ns + round(idle_ns * draw.choice((0.01, 0.1, 0.4, 0.8, 0.97)) * draw.random())
            yield now_ns, draw.choice(KINDS)(draw)
        else:
            silent_ns -= 0 if left else round_ns
            yield now_ns, None


def run(schedules: int, seed: int = 0) -> Counted:
    """Run so many schedules."""
    counted = Counted()
    for number in range(schedules):
        _one(random.Random(f"idle {seed} {number}"), counted)
    return counted


def _one(draw: random.Random, counted: Counted) -> None:
    rules = VisitRules(idle_ns=draw.choice((30, 60, 90, 300)) * SECOND_NS, languages=draw.randint(1, 5))
    visit, last_ns, warned_ns, before_ns, reset_ns = Visit(), 0, None, 0, 0
    for now_ns, given in steps(draw, rules.idle_ns):
        if given is not None:
            last_ns, warned_ns = now_ns, None
            counted.inputs += 1
        inputs: tuple[Input, ...] = () if given is None else (given,)
        if visit.state is State.RESET:
            inputs = (*inputs, ResetDone())
        was, visit = visit, advance(visit, inputs, now_ns, rules)
        if warning_s(visit, now_ns, rules) is not None and warned_ns is None:
            warned_ns = now_ns
        if visit.state is State.THANKS and was.state is not State.THANKS:
            counted.early += now_ns - last_ns < rules.idle_ns
            due_ns = last_ns + rules.idle_ns - rules.warn_ns
            counted.unwarned += warned_ns is None or (warned_ns > due_ns and before_ns >= due_ns)
        if visit.state is State.ATTRACT and was.state is not State.ATTRACT:
            reset_ns = now_ns
        before_ns = now_ns if warned_ns is None else before_ns
    counted.late += visit.state is not State.ATTRACT or reset_ns > last_ns + rules.idle_ns + LATE_NS
    counted.schedules += 1


# ---------------------------------------------------------------------------------------------- the whole loop

SEEN_NS: Final = 3_000_000_000
"""A hand is noticed so late at most: a held button, or the last swing of a dial."""


def run_stations(visits: int, seed: int = 0) -> Counted:
    """Run so many visits of a whole simulated station."""
    counted, draw = Counted(), random.Random(f"idle stations {seed}")
    with tempfile.TemporaryDirectory() as folder:
        at = AtStation(Path(folder) / "journal.db", a_station(station=StationSettings(idle_s=30)))
        try:
            at.run(1.5)
            for _ in range(visits):
                _visit(at, draw, counted)
        finally:
            at.close()
    return counted


def _visit(at: AtStation, draw: random.Random, counted: Counted) -> None:
    """Hands at every part, with pauses up to a little under the idle time, and then nothing."""
    idle_ns, last_ns = 30 * SECOND_NS, 0
    for number in range(draw.randint(1, 8)):
        if number:
            due_ns = last_ns + round(idle_ns * draw.choice((0.05, 0.3, 0.8, 0.95)) * draw.random())
            counted.early += not _silent_until(at, due_ns)
        last_ns = _hand(at, draw)
        counted.inputs += 1
    ended_ns = _ended(at, last_ns + idle_ns + LATE_NS + SEEN_NS)
    counted.early += ended_ns is not None and ended_ns < last_ns + idle_ns - SECOND_NS // 10
    counted.late += at.state is not State.ATTRACT
    counted.unwarned += not any(state.warning_s == WARNED_S for state in at.public)
    at.public.clear()
    counted.schedules += 1


WARNED_S: Final = 15


def _silent_until(at: AtStation, due_ns: int) -> bool:
    """Let nobody do anything; return whether the visit is still on."""
    while at.table.clock.now_ns() < due_ns:
        at.wait(0.2)
    return at.state not in (State.THANKS, State.RESET, State.ATTRACT)


def _ended(at: AtStation, most_ns: int) -> int | None:
    """Let nobody do anything until the station waits for visitors; return when the visit ended."""
    ended_ns = None
    while at.table.clock.now_ns() < most_ns and at.state is not State.ATTRACT:
        at.wait(0.2)
        if at.state is State.THANKS and ended_ns is None:
            ended_ns = at.table.clock.now_ns()
    return ended_ns


def _hand(at: AtStation, draw: random.Random) -> int:
    """One hand at one part; return when it did something last. A dial is looked at often for three seconds
    more, as it is all the time at a real station: only then is a quick click told from a glitch."""
    seat, square = draw.choice(("ANN", "BEN")), draw.choice(("T01", "T02"))
    clock, hand = at.table.clock, at.table.tiles[square].hand
    match draw.randrange(5):
        case 0:
            at.tap(seat)
            return clock.now_ns()
        case 1:
            at.press(seat)
            at.let_go(seat)
            return clock.now_ns()
        case 2 if hand.position is not None and at.state in PLAYED:
            return _push(at, draw, square)
        case kind if kind == 3 or hand.position is None:
            rests_ns = hand.turn(clock.now_ns(), draw.choice((-2, -1, 1, 2, 3)), None)
        case _:
            rests_ns = hand.stop_between(clock.now_ns(), draw.choice((0.35, -0.35)))
    at.run((rests_ns - clock.now_ns()) / SECOND_NS + 3)
    return rests_ns


def _push(at: AtStation, draw: random.Random, square: str) -> int:
    """Push a dial by part of a click, and let it spring back. What the play of a detent allows is no push; while no
    game is on, dials are read twice a second, and a shorter push is not seen."""
    clock, hand = at.table.clock, at.table.tiles[square].hand
    part = draw.choice((-1, 1)) * draw.uniform(0.3, 0.48)
    there_ns = hand.stop_between(clock.now_ns(), part)
    at.run((there_ns - clock.now_ns()) / SECOND_NS + draw.uniform(0.3, 1))
    rests_ns = hand.stop_between(clock.now_ns(), -part)
    at.run((rests_ns - clock.now_ns()) / SECOND_NS + 3)
    return rests_ns


def only_pushes(pushes: int, seed: int = 0) -> int:
    """Return how many of so many pushes did not count, while a claim is open and without one."""
    draw, missed = random.Random(f"idle pushes {seed}"), 0
    with tempfile.TemporaryDirectory() as folder:
        at = AtStation(Path(folder) / "journal.db", a_station(station=StationSettings(idle_s=30)))
        try:
            at.run(1.5)
            at.tap("ANN")
            at.until(State.GUIDED)
            for _ in range(pushes):
                at.tap(draw.choice(("ANN", "BEN")))  # begins a claim, or takes it back
                before_ns = at.table.clock.now_ns()
                _push(at, draw, draw.choice(("T01", "T02")))
                missed += at.station.visit.input_ns <= before_ns
        finally:
            at.close()
    return missed


def main() -> None:
    """Print the counts."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--schedules", type=int, default=10_000)
    given.add_argument("--stations", type=int, default=0)
    given.add_argument("--pushes", type=int, default=0)
    given.add_argument("--seed", type=int, default=0)
    asked = given.parse_args()
    if asked.pushes:
        missed = only_pushes(asked.pushes, asked.seed)
        sys.stdout.write(f"{asked.pushes} pushes by part of a click: {missed} did not count\n")
        raise SystemExit(bool(missed))
    found = run_stations(asked.stations, asked.seed) if asked.stations else run(asked.schedules, asked.seed)
    sys.stdout.write(
        f"{found.schedules} schedules with {found.inputs} inputs: {found.early} early, {found.late} later than idle "
        f"+ 16 s, {found.unwarned} without a warning\n"
    )
    raise SystemExit(bool(found.early or found.late or found.unwarned))


if __name__ == "__main__":
    main()
