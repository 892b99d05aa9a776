"""Builds a table of rooms from its settings: wires, dials, and the players' buttons and screens."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from pi_app.journal import Journal
from pi_app.play.build import TableBuilder
from pi_app.play.first_event import game_id
from pi_app.play.parts import Parts
from pi_app.play.samples_csv import feed_of
from pi_app.rooms import events as ev
from pi_app.rooms.report import RoomsMoment
from pi_app.rooms.seats import CombatSeats
from pi_app.rooms.settings import RoomSettings
from pi_app.rooms.start import started
from pi_app.rooms.table import RoomTable


@contextlib.contextmanager
def room_table(
    settings: RoomSettings,
    parts: Parts,
    record: Journal[RoomsMoment, ev.AnyEvent],
    show_line: Callable[[str], None],
    *,
    unfinished: tuple[str, RoomsMoment] | None,
    simulated: bool,
) -> Iterator[RoomTable]:
    """Open a table, and close it afterwards. `unfinished`: the game that it resumes."""
    wires = settings.wires
    with TableBuilder(wires, parts) as builder, contextlib.ExitStack() as opened:
        for note in builder.start_watchdog() if wires.seats else ():
            show_line(note)
        trackers, open_wires = builder.trackers(), builder.wires()
        for screen in open_wires.screens.values():
            opened.callback(screen.shut)
        feed = opened.enter_context(contextlib.closing(feed_of(wires, open_wires, parts)))
        seats = CombatSeats(builder.seats(open_wires, feed), round(wires.table.show_s * 1e9))
        table = RoomTable(
            feed,
            trackers,
            record,
            started(settings, simulated=simulated),
            show_line,
            game_id=game_id() if unfinished is None else unfinished[0],
            resume=None if unfinished is None else unfinished[1],
            languages=settings.languages,
        )
        table.seats = seats
        yield table
