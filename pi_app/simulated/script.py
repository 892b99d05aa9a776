"""What the players of an automatic demo do, planned before it begins: presses, turns and words at given times.

The plan comes from the seed, the squares' labels and the seats alone. It has never seen a trap table, so the same
seed gives the same hands, dice and times whatever lies under the squares.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pi_app.simulated.actions import Act, Press, Release, Turn, Word

SECOND_NS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Plan:
    """Acts in order of time, and when everything is over."""

    acts: tuple[tuple[int, Act], ...]
    end_ns: int


@dataclass(slots=True)
class _Planner:
    """Collects acts; knows only what everyone at the table knows."""

    draw: random.Random
    seats: Sequence[str]
    squares: Sequence[str]
    acts: list[tuple[int, Act]] = field(default_factory=list)
    turned: dict[str, int] = field(default_factory=dict)
    known: set[tuple[str, str]] = field(default_factory=set)
    now_ns: int = 2 * SECOND_NS

    def do(self, at_ns: int, act: Act) -> None:
        self.acts.append((at_ns, act))

    def wait(self, low_s: float, high_s: float) -> None:
        self.now_ns += self.between(low_s, high_s)

    def between(self, low_s: float, high_s: float) -> int:
        return round(self.draw.uniform(low_s, high_s) * SECOND_NS)


@dataclass(frozen=True, slots=True)
class Table:
    """What everyone knows of a table: who sits there, which squares there are, and, of a game that goes on, how far
    each dial was turned, who exposed what, and whose claim is open."""

    seats: Sequence[str]
    squares: Sequence[str]
    turned: Mapping[str, int] = field(default_factory=dict)
    known: frozenset[tuple[str, str]] = frozenset()
    claiming: Sequence[str] = ()


def plan(seed: int, table: Table, exposes: int) -> Plan:
    """The acts of a demo of so many exposes: turned ones, now and then a second Hero's view-only one, looks and second
    looks, sometimes two players at once. When every square is exposed a new game begins, dials turned back."""
    draw = random.Random(f"plan {seed}")
    planner = _Planner(draw, table.seats, table.squares, turned=dict(table.turned), known=set(table.known))
    for seat in table.claiming:
        _tap(planner, seat, planner.now_ns)
        planner.wait(1.0, 1.5)
    done = 0
    while done < exposes:
        done += _next(planner, exposes - done)
    planner.wait(6.0, 6.0)  # the last lamp finishes its word
    planner.acts.sort(key=lambda act: act[0])
    return Plan(tuple(planner.acts), planner.now_ns)


def _next(planner: _Planner, left: int) -> int:
    fresh = [square for square in planner.squares if square not in planner.turned]
    viewable = [
        (seat, square) for seat in planner.seats for square in planner.turned if (seat, square) not in planner.known
    ]
    if viewable and (not fresh or planner.draw.random() < 0.25) and planner.draw.random() < 0.7:
        _view(planner, *planner.draw.choice(viewable))
        return 1
    if not fresh:
        _next_game(planner)
        return 0
    if len(fresh) > 1 and len(planner.seats) > 1 and left > 1 and planner.draw.random() < 0.25:
        _expose_two_at_once(planner, fresh)
        return 2
    _expose(planner, planner.draw.choice(planner.seats), planner.draw.choice(fresh))
    return 1


def _expose(planner: _Planner, seat: str, square: str) -> None:
    """Tap. Turn. Hold."""
    _tap(planner, seat, planner.now_ns)
    turned_ns = _turn(planner, square, planner.now_ns + planner.between(0.8, 1.6))
    planner.known.add((seat, square))
    planner.now_ns = _hold(planner, seat, turned_ns + planner.between(0.4, 1.0))
    planner.wait(0.3, 0.9)
    if planner.draw.random() < 0.25:
        planner.now_ns = _hold(planner, seat, planner.now_ns)
        planner.wait(0.3, 0.9)


def _expose_two_at_once(planner: _Planner, fresh: Sequence[str]) -> None:
    """The second player claims once the first one's dial moves, and turns while the first still turns."""
    first, second = planner.draw.sample(list(planner.seats), 2)
    here, there = planner.draw.sample(list(fresh), 2)
    _tap(planner, first, planner.now_ns)
    first_turns_ns = planner.now_ns + planner.between(0.8, 1.2)
    first_done_ns = _turn(planner, here, first_turns_ns)
    _tap(planner, second, first_turns_ns + SECOND_NS // 2)
    second_done_ns = _turn(planner, there, first_turns_ns + planner.between(0.9, 1.3))
    planner.known |= {(first, here), (second, there)}
    ends = [
        _hold(planner, first, first_done_ns + planner.between(0.4, 1.0)),
        _hold(planner, second, second_done_ns + planner.between(0.4, 1.0)),
    ]
    planner.now_ns = max(ends)
    planner.wait(0.3, 0.9)


def _view(planner: _Planner, seat: str, square: str) -> None:
    """A second Hero exposes a square that somebody exposed before (T-EXP-11), and looks."""
    planner.do(planner.now_ns, Word(f"expose {square} {seat}"))
    planner.known.add((seat, square))
    planner.now_ns = _hold(planner, seat, planner.now_ns + planner.between(0.5, 1.0))
    planner.wait(0.3, 0.9)


def _next_game(planner: _Planner) -> None:
    """Everything is exposed: the game ends, hands turn the dials back, another begins."""
    planner.do(planner.now_ns, Word("end"))
    rest_ns = planner.now_ns + SECOND_NS
    for square, clicks in planner.turned.items():
        rest_ns = max(rest_ns, _turn_back(planner, square, clicks))
    planner.turned.clear()
    planner.known.clear()
    planner.now_ns = rest_ns + SECOND_NS
    planner.do(planner.now_ns, Word("new"))
    planner.wait(1.0, 1.5)


def _tap(planner: _Planner, seat: str, at_ns: int) -> None:
    planner.do(at_ns, Press(seat))
    planner.do(at_ns + planner.between(0.08, 0.2), Release(seat))


def _hold(planner: _Planner, seat: str, at_ns: int) -> int:
    """Press and keep; returns when the thumb lets go."""
    end_ns = at_ns + planner.between(3.0, 5.5)
    planner.do(at_ns, Press(seat))
    planner.do(end_ns, Release(seat))
    return end_ns


def _turn(planner: _Planner, square: str, at_ns: int) -> int:
    """Roll a die and turn that many clicks with a coin (T-EXP-4); returns when the dial surely rests."""
    roll = planner.draw.randint(1, 6)
    gaps_ms = tuple(round(planner.draw.uniform(150.0, 600.0), 1) for _ in range(roll - 1))
    planner.do(at_ns, Turn(square, roll, gaps_ms))
    planner.turned[square] = roll
    return at_ns + round(sum(gaps_ms) * 1e6) + SECOND_NS // 5


def _turn_back(planner: _Planner, square: str, clicks: int) -> int:
    at_ns = planner.now_ns + planner.between(0.5, 1.5)
    gaps_ms = tuple(120.0 for _ in range(clicks - 1))
    planner.do(at_ns, Turn(square, -clicks, gaps_ms))
    return at_ns + round(sum(gaps_ms) * 1e6) + SECOND_NS // 5
