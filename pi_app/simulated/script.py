"""The script of an automatic demo, written before it begins: presses, turns and typed lines at given times.

It depends only on the seed, the labels of the squares and the seats. It knows no trap table, so the same seed gives the
same hands, dice and times whatever lies under the squares.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pi_app.simulated.actions import Press, Release, TableAction, TurnDial, TypeLine

SECOND_NS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class DemoScript:
    """Actions in order of time, and the end."""

    actions: tuple[tuple[int, TableAction], ...]
    end_ns: int


@dataclass(slots=True)
class _Writer:
    """Collects actions, from public knowledge alone."""

    draw: random.Random
    seats: Sequence[str]
    squares: Sequence[str]
    actions: list[tuple[int, TableAction]] = field(default_factory=list)
    turned: dict[str, int] = field(default_factory=dict)
    known: set[tuple[str, str]] = field(default_factory=set)
    now_ns: int = 2 * SECOND_NS

    def do(self, at_ns: int, action: TableAction) -> None:
        self.actions.append((at_ns, action))

    def wait(self, low_s: float, high_s: float) -> None:
        self.now_ns += self.between(low_s, high_s)

    def between(self, low_s: float, high_s: float) -> int:
        return round(self.draw.uniform(low_s, high_s) * SECOND_NS)


@dataclass(frozen=True, slots=True)
class KnownTable:
    """What everyone knows of a table: seats and squares, and of a resumed game how far each dial was turned, who
    exposed which square, and whose claim is open."""

    seats: Sequence[str]
    squares: Sequence[str]
    turned: Mapping[str, int] = field(default_factory=dict)
    known: frozenset[tuple[str, str]] = frozenset()
    claiming: Sequence[str] = ()


def script(seed: int, table: KnownTable, exposes: int) -> DemoScript:
    """Return the script of a demo with so many exposes: by turning, now and then a second Hero's view-only one, with
    looks and second looks, sometimes two players at once. When every square is exposed, the dials are turned back and a
    new game begins."""
    draw = random.Random(f"plan {seed}")
    writer = _Writer(draw, table.seats, table.squares, turned=dict(table.turned), known=set(table.known))
    for seat in table.claiming:
        _tap(writer, seat, writer.now_ns)
        writer.wait(1.0, 1.5)
    done = 0
    while done < exposes:
        done += _next(writer, exposes - done)
    writer.wait(6.0, 6.0)  # the last lamp finishes its message
    writer.actions.sort(key=lambda action: action[0])
    return DemoScript(tuple(writer.actions), writer.now_ns)


def _next(writer: _Writer, left: int) -> int:
    fresh = [square for square in writer.squares if square not in writer.turned]
    viewable = [
        (seat, square) for seat in writer.seats for square in writer.turned if (seat, square) not in writer.known
    ]
    if viewable and (not fresh or writer.draw.random() < 0.25) and writer.draw.random() < 0.7:
        _view(writer, *writer.draw.choice(viewable))
        return 1
    if not fresh:
        _next_game(writer)
        return 0
    if len(fresh) > 1 and len(writer.seats) > 1 and left > 1 and writer.draw.random() < 0.25:
        _expose_two_at_once(writer, fresh)
        return 2
    _expose(writer, writer.draw.choice(writer.seats), writer.draw.choice(fresh))
    return 1


def _expose(writer: _Writer, seat: str, square: str) -> None:
    """Tap. Turn. Hold."""
    _tap(writer, seat, writer.now_ns)
    turned_ns = _turn(writer, square, writer.now_ns + writer.between(0.8, 1.6))
    writer.known.add((seat, square))
    writer.now_ns = _hold(writer, seat, turned_ns + writer.between(0.4, 1.0))
    writer.wait(0.3, 0.9)
    if writer.draw.random() < 0.25:
        writer.now_ns = _hold(writer, seat, writer.now_ns)
        writer.wait(0.3, 0.9)


def _expose_two_at_once(writer: _Writer, fresh: Sequence[str]) -> None:
    """Let a second player claim once the first one's dial moves, and turn while the first one still turns."""
    first, second = writer.draw.sample(list(writer.seats), 2)
    here, there = writer.draw.sample(list(fresh), 2)
    _tap(writer, first, writer.now_ns)
    first_turns_ns = writer.now_ns + writer.between(0.8, 1.2)
    first_done_ns = _turn(writer, here, first_turns_ns)
    _tap(writer, second, first_turns_ns + SECOND_NS // 2)
    second_done_ns = _turn(writer, there, first_turns_ns + writer.between(0.9, 1.3))
    writer.known |= {(first, here), (second, there)}
    ends = [
        _hold(writer, first, first_done_ns + writer.between(0.4, 1.0)),
        _hold(writer, second, second_done_ns + writer.between(0.4, 1.0)),
    ]
    writer.now_ns = max(ends)
    writer.wait(0.3, 0.9)


def _view(writer: _Writer, seat: str, square: str) -> None:
    """Expose a square for a second Hero (T-EXP-11), who looks."""
    writer.do(writer.now_ns, TypeLine(f"expose {square} {seat}"))
    writer.known.add((seat, square))
    writer.now_ns = _hold(writer, seat, writer.now_ns + writer.between(0.5, 1.0))
    writer.wait(0.3, 0.9)


def _next_game(writer: _Writer) -> None:
    """End the game, turn the dials back and begin another."""
    writer.do(writer.now_ns, TypeLine("end"))
    rest_ns = writer.now_ns + SECOND_NS
    for square, clicks in writer.turned.items():
        rest_ns = max(rest_ns, _turn_back(writer, square, clicks))
    writer.turned.clear()
    writer.known.clear()
    writer.now_ns = rest_ns + SECOND_NS
    writer.do(writer.now_ns, TypeLine("new"))
    writer.wait(1.0, 1.5)


def _tap(writer: _Writer, seat: str, at_ns: int) -> None:
    writer.do(at_ns, Press(seat))
    writer.do(at_ns + writer.between(0.08, 0.2), Release(seat))


def _hold(writer: _Writer, seat: str, at_ns: int) -> int:
    """Press and hold; return when the button is released."""
    end_ns = at_ns + writer.between(3.0, 5.5)
    writer.do(at_ns, Press(seat))
    writer.do(end_ns, Release(seat))
    return end_ns


def _turn(writer: _Writer, square: str, at_ns: int) -> int:
    """Roll a die and turn that many clicks with a coin (T-EXP-4); return when the dial surely rests."""
    roll = writer.draw.randint(1, 6)
    gaps_ms = tuple(round(writer.draw.uniform(150.0, 600.0), 1) for _ in range(roll - 1))
    writer.do(at_ns, TurnDial(square, roll, gaps_ms))
    writer.turned[square] = roll
    return at_ns + round(sum(gaps_ms) * 1e6) + SECOND_NS // 5


def _turn_back(writer: _Writer, square: str, clicks: int) -> int:
    at_ns = writer.now_ns + writer.between(0.5, 1.5)
    gaps_ms = tuple(120.0 for _ in range(clicks - 1))
    writer.do(at_ns, TurnDial(square, -clicks, gaps_ms))
    return at_ns + round(sum(gaps_ms) * 1e6) + SECOND_NS // 5
