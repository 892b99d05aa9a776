"""Short traces for the tests of dials: positions, one sample every 10 ms, and the tracker's turns."""

from __future__ import annotations

from collections.abc import Iterable

from pi_app.dials.tracker import DialShape, Tracker, Turn

MS = 1_000_000
Look = float | None | tuple[float, float | None]
"""A position (4.5: between 4 and 5), None for a failed read; with a time: ms after the sample before."""


def rest(position: float, looks: int = 100) -> list[Look]:
    return [position] * looks


def swung(position: float, looks: int = 100) -> list[Look]:
    """A rest after a turn: the dial still swings a little in the first sample."""
    return [position + 0.06, *rest(position, looks - 1)]


def failed(looks: int) -> list[Look]:
    return [None] * looks


def looked(looks: Iterable[Look], shape: DialShape, every_ms: float = 10) -> list[tuple[int, int | None]]:
    """Return times and raw angles; the first sample is at 10 ms."""
    samples: list[tuple[int, int | None]] = []
    now_ms = 0.0
    for look in looks:
        after_ms, position = look if isinstance(look, tuple) else (every_ms, look)
        now_ms += after_ms
        samples.append((round(now_ms * MS), None if position is None else raw_at(position, shape)))
    return samples


def raw_at(position: float, shape: DialShape) -> int:
    ccw = round(position * shape.pitch)
    return (-ccw if shape.invert else ccw) % shape.counts_per_turn


def turns_of(looks: Iterable[Look], shape: DialShape | None = None, every_ms: float = 10) -> list[Turn]:
    tracker = Tracker(shape)
    return fed(tracker, looked(looks, tracker.shape, every_ms))


def fed(tracker: Tracker, samples: Iterable[tuple[int, int | None]]) -> list[Turn]:
    turns = [turn for at_ns, raw in samples if (turn := tracker.feed(at_ns, raw)) is not None]
    last = tracker.finish()
    return turns if last is None else [*turns, last]


Brief = tuple[int | None, int | None, int | None]


def brief(turns: Iterable[Turn]) -> list[Brief]:
    """From, to, clicks."""
    return [(turn.from_position, turn.to_position, turn.clicks) for turn in turns]
