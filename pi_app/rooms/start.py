"""The first event of a game of rooms, and the unfinished game to resume."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pi_app.journal import Journal
from pi_app.play.first_event import version
from pi_app.play.resuming import OTHER_FILE, THE_SAME, Mismatch, another_kind, differing, differs, rules
from pi_app.rooms import events as ev
from pi_app.rooms.report import RoomsMoment
from pi_app.rooms.settings import RoomSettings
from pi_app.rooms.state import Game
from pi_app.text.errors import UserFileError, problem


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
    record: Journal[RoomsMoment, ev.AnyEvent], settings: RoomSettings, *, simulated: bool
) -> tuple[str, RoomsMoment] | None:
    """Return the unfinished game of a record and its state, or None; `simulated`: to play it on twins. Raises
    UserFileError, with every reason, if it cannot be resumed with these settings."""
    unfinished = record.unfinished()
    if unfinished is None:
        return None
    game, where = unfinished[1].game, settings.wires.where
    if game.simulated != simulated:
        raise _other_parts(record.path, simulated=simulated)
    found = list(_mismatches(game, settings))
    if found:
        raise UserFileError(
            problem(where, place, f"{seen}; the game is in {record.path}", THE_SAME) for place, seen in found
        )
    return unfinished


def refuse_other_game(record: Journal[RoomsMoment, ev.AnyEvent], *, simulated: bool) -> None:
    """Raise UserFileError for a journal in which a game waits that this table cannot play: it could not be resumed
    after another one."""
    if (other := record.unfinished_of_another_kind()) is not None:
        raise another_kind(record.path, other, OTHER_FILE)
    unfinished = record.unfinished()
    if unfinished is not None and unfinished[1].game.simulated != simulated:
        raise _other_parts(record.path, simulated=simulated)


def _other_parts(path: Path, *, simulated: bool) -> UserFileError:
    seen, advice = (
        (
            "its game was played on real dials",
            "Resume it with `trapdial rooms play`, or name another file with --journal",
        )
        if simulated
        else (
            "its game was played on a SIMULATED table",
            "Resume it with `trapdial rooms demo`, or begin another with --new",
        )
    )
    return UserFileError.at(str(path), "(file)", seen, advice)


def _mismatches(game: Game, settings: RoomSettings) -> Iterator[Mismatch]:
    yield from differing("room", "room", [room.label for room in settings.rooms], game.rooms)
    for room in settings.rooms:
        if (then := game.rooms.get(room.label)) is not None:
            yield from differs(f"[room.{room.label}]", "pair", room.table.pair, then.pair)
            yield from differs(f"[room.{room.label}]", "arrow", room.table.arrow, then.arrow)
    seats = [player.seat for player in settings.players]
    yield from differing("player", "player", seats, game.players)
    for player in settings.players:
        if player.seat in game.players:
            yield from differs(f"[player.{player.seat}]", "name", player.name, game.players[player.seat].name)
    if sorted(seats) == sorted(game.players) and seats != [*game.players]:
        yield "[player]", f"the players take turns in another order: in the game {', '.join(game.players)}"
    yield from differs("[table]", "name", settings.wires.table.name, game.table_name)
    yield from rules("[rules]", settings.ruleset, game.ruleset)
    people = {(each.kind, each.speed, each.value) for each in game.characters.values()}
    if people != {(each.kind, each.speed, each.value) for each in settings.characters}:
        yield "[character]", "the characters are not those of the game"
    if {*game.objects.values()} != {*settings.objects}:
        yield "[object]", "the objects are not those of the game"
