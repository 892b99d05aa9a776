"""Games that are written straight into a journal, without a table: claims, moving dials, turns, second looks."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from pathlib import Path

from pi_app.game import events as ev
from pi_app.journal import Journal
from pi_app.play.first_event import started
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.report.moment import NO_GAME
from pi_app.settings.model import Settings


def fill(path: Path, settings: Settings, events: int) -> list[int]:
    """Write so many events of game after game into a journal; return the nanoseconds that each took."""
    took_ns: list[int] = []
    with Journal(path, MAGE_KNIGHT) as journal:
        moment = NO_GAME
        for game_id, event in itertools.islice(games(settings), events):
            before = NO_GAME if isinstance(event, ev.Started) else moment
            began_ns = time.perf_counter_ns()
            moment = journal.append(game_id, before, event)
            took_ns.append(time.perf_counter_ns() - began_ns)
    return took_ns


def games(settings: Settings) -> Iterator[tuple[str, ev.AnyEvent]]:
    """Play game after game without end: every square is exposed once, and its seat looks again."""
    seats = tuple(settings.seats)
    for number in itertools.count(1):
        game_id = f"bench-{number}"
        yield game_id, started(settings, simulated=True)
        yield game_id, ev.SetupChecked(stands=dict.fromkeys(settings.squares, 0))
        for place, square in enumerate(settings.squares):
            for event in _expose(seats[(place + number) % len(seats)], square, 1 + (place + number) % 6):
                yield game_id, event
        yield game_id, ev.Ended()


def _expose(seat: str, square: str, clicks: int) -> Iterator[ev.AnyEvent]:
    yield ev.Claimed(seat=seat, grade="button")
    yield ev.Bound(seat=seat, square=square)
    motion = ev.Motion(
        from_position=0,
        to_position=clicks,
        clicks=clicks,
        start_ns=10**9,
        end_ns=2 * 10**9,
        start_raw=0,
        end_raw=341 * clicks,
        samples=100,
        longest_gap_ns=10**7,
    )
    yield ev.Turned(square=square, motion=motion, seat=seat, purpose="expose", grade="button")
    for _ in range(3):
        yield ev.Looked(seat=seat, square=square)
