"""A dial on a hub gives the same turns as a directly tracked dial, and with lost reports never a wrong click.

The whole path: the firmware's records, lines of the wire, the session, the source, the tracker.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from firmware_host.link_events import HubReport, LinkNotice
from firmware_host.requirements import HubRequirements
from firmware_host.sims.scripted_hub import ScriptedHub
from firmware_host.source import HubDials
from hardware.readings import Reading
from hardware.sims.clock import VirtualClock
from pi_app.dials.tracker import Tracker, Turn
from tests.firmware_host.exchange import MS, Exchange
from tests.properties import costly

PITCH = 4096 / 12
GAP_MS = 35
FIRST_NS = 2_000 * MS
REST_MS = 3_000


@dataclass(frozen=True)
class Move:
    """This many clicks, each in `click_ms`; then the dial rings and rests."""

    clicks: int
    click_ms: int
    ring: float
    pause_ms: int


MOVES = st.lists(
    st.builds(
        Move,
        st.integers(-6, 6).filter(bool),
        st.sampled_from([8, 12, 20, 40, 60, 150]),
        st.sampled_from([0.0, 0.0, 12.0, 40.0]),
        st.sampled_from([40, 250, 1_500, 2_200]),
    ),
    min_size=1,
    max_size=4,
)


class Hand:
    """The dial's angle at a time, in unwrapped counts: detent to detent by a snap for each click."""

    def __init__(self, first: int, moves: Sequence[Move], seed: int) -> None:
        self._parts: list[tuple[int, int, float, Move]] = []
        self._place, self._seed = float(first) * PITCH, seed
        at_ns, place = FIRST_NS, self._place
        for move in moves:
            self._parts.append((at_ns, at_ns + abs(move.clicks) * move.click_ms * MS, place, move))
            at_ns = self._parts[-1][1] + move.pause_ms * MS
            place += move.clicks * PITCH
        self.end_ns = at_ns + REST_MS * MS

    def place(self, at_ns: int) -> float:
        here = self._place
        for began_ns, ended_ns, before, move in self._parts:
            if at_ns >= ended_ns:
                after_s = (at_ns - ended_ns) / 1e9
                swing = move.ring * math.exp(-after_s / 0.03) * math.sin(2 * math.pi * 25 * after_s)
                here = before + move.clicks * PITCH + swing
            elif at_ns >= began_ns:
                whole, part = divmod((at_ns - began_ns) / (move.click_ms * MS), 1)
                here = before + math.copysign(PITCH, move.clicks) * (whole + part * part * (3 - 2 * part))
        return here

    def raw(self, at_ns: int) -> int:
        noise = random.Random(self._seed * 1_000_003 + at_ns).gauss(0, 0.5)
        return round(self.place(at_ns) + noise) % 4096

    def clicks(self, turn: Turn) -> int:
        """The clicks really turned from the last sample at the old rest to the first at the new one."""
        return round((self.place(turn.end_ns) - self.place(turn.left_ns)) / PITCH)


class _Link:
    def __init__(self) -> None:
        self.waiting: list[HubReport | LinkNotice] = []

    def take(self) -> Sequence[HubReport | LinkNotice]:
        taken, self.waiting = self.waiting, []
        return taken

    def close(self) -> None:
        """Nothing is open."""


def followed(
    hand: Hand, every_us: int, period_ms: int = 20, lose: Callable[[bytes], bool] = lambda line: False
) -> tuple[list[Turn], list[Turn], int]:
    """The turns of the dial on a hub, those of a tracker with every sample, and the number of received samples."""
    direct, through = Tracker(), Tracker()
    plain: list[Turn] = []

    def sweep(at_us: int) -> tuple[int, ...]:
        raw = hand.raw(at_us * 1000)
        turn = direct.feed(at_us * 1000, raw)
        plain.extend([turn] if turn is not None else [])
        return (raw,)

    clock, link = VirtualClock(1_000 * MS), _Link()
    hub = ScriptedHub(sweep, dials=1, every_us=every_us)
    exchange = Exchange(HubRequirements("north", dials=1, period_ms=period_ms, gap_ms=GAP_MS), hub, lose=lose)
    dials = HubDials("north", {"T01": 0}, link, clock, GAP_MS * MS)
    found, came = [], 0
    while exchange.now_ns < hand.end_ns:
        events = exchange.run(5, step_ms=5)
        link.waiting += [event for event in events if isinstance(event, HubReport | LinkNotice)]
        clock.advance(exchange.now_ns - clock.now_ns())
        for _, sample in dials.take():
            came += 1
            turn = through.feed(sample.at_ns, sample.raw if isinstance(sample, Reading) else None)
            found += [turn] if turn is not None else []
    return found, plain, came


def gist(turns: Sequence[Turn]) -> list[tuple[int | None, int | None, int | None, str]]:
    return [(turn.from_position, turn.to_position, turn.clicks, turn.path) for turn in turns]


@costly
@pytest.mark.slow
@given(
    st.integers(0, 11),
    MOVES,
    st.integers(0, 1 << 20),
    st.sampled_from([600, 2_500, 4_500]),
    st.sampled_from([5, 20, 50]),
)
def test_the_same_turns_as_followed_directly(
    first: int, moves: list[Move], seed: int, every_us: int, period_ms: int
) -> None:
    found, plain, _ = followed(Hand(first, moves, seed), every_us, period_ms)
    assert gist(found) == gist(plain)


@costly
@given(st.integers(0, 11), MOVES, st.integers(0, 1 << 20), st.floats(0.01, 0.6))
@example(0, [Move(1, 8, 0.0, 40)], 1447, 0.125)  # a lost report holds the whole click
def test_with_lost_reports_no_click_is_wrong(first: int, moves: list[Move], seed: int, share: float) -> None:
    draw = random.Random(seed)
    hand = Hand(first, moves, seed)

    def lose(line: bytes) -> bool:
        return line.startswith(b":84") and draw.random() < share

    found, _, _ = followed(hand, 4_500, lose=lose)
    for turn in found:
        assert turn.clicks in (None, hand.clicks(turn))
        if turn.to_position is not None:
            assert turn.to_position == round(hand.place(turn.end_ns) / PITCH) % 12


def test_a_dial_at_rest_costs_two_readings_per_report() -> None:
    found, plain, came = followed(Hand(3, [Move(1, 40, 0.0, 10_000)], 7), 2_500)
    assert gist(found) == gist(plain) == [(3, 4, 1, "followed")]
    assert came < 14_100 / 20 * 2 + 120
