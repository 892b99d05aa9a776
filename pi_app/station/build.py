"""Builds a demo station around the loop of a table."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Final

import msgspec

from pi_app.game import events as ev
from pi_app.game.events import AnyEvent
from pi_app.journal import Journal, NotRecordedError, Stamp, machine_stamp
from pi_app.play.build import GameOptions, Outputs, TableBuilder
from pi_app.play.first_event import version
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.play.phones import TablePages
from pi_app.report.moment import Moment
from pi_app.settings.load import speaking
from pi_app.settings.model import Settings
from pi_app.settings.station_section import StationSettings
from pi_app.station.names import seat_names
from pi_app.station.records import Records
from pi_app.station.staff.staff import StationStaff
from pi_app.station.table import Hooks, StationOptions, StationTable
from pi_app.station.visits.visit import SECOND_NS, VisitRules
from pi_app.text.language import N_, Words

MEGABYTE: Final = 1_000_000

INTERRUPTED: Final = N_("The last visit was interrupted: its game {game} is ended now, as it was.")


def station_settings(settings: Settings) -> Settings:
    """Return the settings of a table as a station: seats are called P1, P2 and so on and have no Heroes of their own,
    the device rolls, everybody reads the first language, and each game deals the trap tables again."""
    languages = section(settings).languages
    seats = {
        key: msgspec.structs.replace(seat, name=name, heroes=())
        for (key, seat), name in zip(settings.seats.items(), names(settings).values(), strict=True)
    }
    table = msgspec.structs.replace(settings.table, roll="device", shuffle=True)
    return speaking(replace(settings, table=table, seats=MappingProxyType(seats)), (languages[0],))


def section(settings: Settings) -> StationSettings:
    """Return [station] of the settings, or what stands for it without one."""
    return settings.station or StationSettings()


def names(settings: Settings) -> Mapping[str, str]:
    """Return what each seat of a station is called, by its key."""
    return seat_names(settings.seats)


def keyed_by_names(settings: Settings) -> Settings:
    """Return settings of a station whose seats have their names for keys: what its display calls a seat can be
    typed."""
    seats = {seat.name: msgspec.structs.replace(seat, key=seat.name) for seat in settings.seats.values()}
    return replace(settings, seats=MappingProxyType(seats))


@contextlib.contextmanager
def station_journal(
    path: Path, settings: Settings, stamp: Callable[[], Stamp] = machine_stamp, *, now_ns: Callable[[], int]
) -> Iterator[tuple[Journal[Moment, AnyEvent], Records]]:
    """Open the record of a station, and what keeps its records within the budget; close both at the end. `now_ns`:
    the clock of the table. Raises JournalFileError."""
    station = section(settings)
    with (
        Journal(path, MAGE_KNIGHT, stamp, shrinks=True) as journal,
        contextlib.closing(
            Records(journal, station.budget_mb * MEGABYTE, station.keep, stamp=stamp, now_ns=now_ns)
        ) as records,
    ):
        yield journal, records


def end_interrupted(journal: Journal[Moment, AnyEvent], words: Words) -> str:
    """End the game that a power cut interrupted. Return a sentence for the log, translated by `words`; empty if there
    is none, or if the disk refuses it now. Raises JournalFileError."""
    unfinished = journal.unfinished()
    if unfinished is None:
        return ""
    game, moment = unfinished
    try:
        moment = journal.append(game, moment, ev.Resumed(version=version()))
        journal.append(game, moment, ev.Ended())
    except NotRecordedError:
        return ""
    return words(INTERRUPTED).format(game=game)


def station_table(
    builder: TableBuilder,
    journal: Journal[Moment, AnyEvent],
    *,
    hooks: Hooks | None = None,
    outputs: Outputs | None = None,
    game: GameOptions | None = None,
    pages: TablePages | None = None,
    records: Records | None = None,
    staff: StationStaff | None = None,
) -> StationTable:
    """Return a station on these wires, whose settings are `station_settings`. `records`: what is tidied up between
    visits; `staff`: its lamps, hours and trouble take the place of those in `hooks`."""
    settings, box = builder.settings, list[StationTable]()
    if staff is not None:
        hooks = replace(hooks or Hooks(), open_now=staff.open_now, trouble=staff.trouble, lamp=staff.lamp)
    starts = section(settings).starts
    options = replace(game or GameOptions(), waits=True, language=lambda: box[0].language, starts=starts)
    loop = builder.loop(journal, outputs=outputs, game=options, pages=pages)
    host, host_now = ("", None) if pages is None else (pages.host, pages.host_now)
    known = StationOptions(
        languages=section(settings).languages,
        names=names(settings),
        rules=visit_rules(section(settings)),
        simulated=builder.parts.simulated,
        join=f"http://{host}/" if host else "",
        join_now=None if host_now is None else lambda: f"http://{host_now()}/",
        buses=_buses(settings),
    )
    box.append(StationTable(loop, known, hooks, None if pages is None else pages.link, records, staff))
    return box[0]


def visit_rules(station: StationSettings) -> VisitRules:
    """Return the times of a visit."""
    return VisitRules(idle_ns=station.idle_s * SECOND_NS, languages=len(station.languages))


def _buses(settings: Settings) -> Mapping[str, tuple[str, ...]]:
    """The squares of each bus and hub."""
    found: dict[str, tuple[str, ...]] = {}
    for label, square in settings.squares.items():
        name = square.hub or square.bus or ""
        found[name] = (*found.get(name, ()), label)
    return found
