"""The first event of a game of rooms, and the unfinished game to resume."""

from __future__ import annotations

from pi_app.journal import Journal
from pi_app.play.first_event import version
from pi_app.rooms import events as ev
from pi_app.rooms.report import RoomsMoment
from pi_app.rooms.settings import RoomSettings
from pi_app.text.errors import UserFileError


def started(settings: RoomSettings, *, simulated: bool) -> ev.Started:
    """Return the first event of a game at this table."""
    return ev.Started(
        version=version(),
        table_name=settings.wires.table.name,
        simulated=simulated,
        ruleset=settings.ruleset,
        players=settings.players,
        squares=settings.rooms,
        characters=settings.characters,
        objects=settings.objects,
    )


def unfinished_game(
    record: Journal[RoomsMoment, ev.AnyEvent], settings: RoomSettings
) -> tuple[str, RoomsMoment] | None:
    """Return the unfinished game of a record and its state, or None. Raises UserFileError for another table's
    settings."""
    unfinished = record.unfinished()
    if unfinished is None:
        return None
    game = unfinished[1].game
    same = {room.label: (room.pair, room.arrow) for room in game.rooms.values()} == {
        room.label: (room.table.pair, room.table.arrow) for room in settings.rooms
    }
    if same and game.players.keys() == {player.seat for player in settings.players}:
        return unfinished
    advice = "Use the settings that it was begun with, or --new to begin another game"
    where = f"of {settings.wires.where} are not those of"
    raise UserFileError.at(str(record.path), "(unfinished game)", f"the rooms or players {where} this game", advice)
