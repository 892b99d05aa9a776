"""Rooms that are revealed and turned, and who may turn them. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from pi_app.rooms import events as ev
from pi_app.rooms.action_points import own_turn, pay
from pi_app.rooms.state import (
    QUARTERS,
    TURNED,
    Character,
    Game,
    PlayerTurn,
    Room,
    fixed,
    found,
    with_character,
    with_room,
)
from pi_app.text.language import N_

MEKANORK: Final = "mekanork"
"""The kind of character that may turn a room either way (D-ROT-13)."""


def revealed(game: Game, event: ev.Revealed) -> Game:
    """The reference orientation is the present one (D-REV-6), or by the table's choice that of its dial."""
    room = game.rooms[event.square]
    game = own_turn(game, event.seat)
    if room.revealed:
        return found(game, "D-REV-6", N_("{room} is revealed a second time."), room.label, event.seat)
    stands = None if event.stands is None else -event.stands % QUARTERS
    q = 0 if game.ruleset.reveal == "zero" else stands
    game = pay(with_room(game, replace(room, revealed=True, q=q, stands=event.stands)), 1, room.label)
    return game if game.turn is None else replace(game, turn=replace(game.turn, revealing=room.label))


def geared(game: Game, event: ev.Geared) -> Game:
    """From here to the end of the turn this room may be turned (D-AUD-2). Standing on a gear costs nothing. An action
    without a turn does not let the player who has the turn rotate anything."""
    if game.turn is not None:
        game = replace(game, turn=replace(game.turn, revealing=None))
    if game.turn is None or game.turn.seat != event.seat:
        return own_turn(game, event.seat)
    if event.character is not None:
        standing = game.characters[event.character]
        game = with_character(game, replace(standing, at=event.square, on_gear=True))
        if standing.wounded:
            sentence = N_("{room} is wounded and turns no room (D-ROT-11).")
            return found(game, "D-WND-2", sentence, event.character, event.seat)
    target = game.partner(event.square) if event.remote else game.rooms[event.square]
    if game.turn is None or target is None:
        return game
    rooms = {**game.turn.geared, target.label: event.mekanork}
    return replace(game, turn=replace(game.turn, geared=MappingProxyType(rooms)))


def rotated(game: Game, event: ev.Rotated) -> Game:
    """Judge one turn of a room, or several at once (D-ROT-7)."""
    moved = [motion for motion in event.motions if motion.quarters != 0]
    if len(moved) > 1:
        for motion in moved:
            game = found(game, "D-AUD-6", N_("{room} was turned at the same time as another room."), motion.room)
    for motion in event.motions:
        game = _one_rotated(game, motion)
    return game


def _one_rotated(game: Game, motion: ev.Motion) -> Game:
    """Each quarter turn changes q by one and costs one point (D-AUD-1, D-ROT-3). They are counted with their signs
    (D-AUD-4): four with the arrow come back to where they began, and are legal (D-AUD-5)."""
    was, turn = game.rooms[motion.room], game.turn
    room = replace(was, stands=motion.stands, between=False)
    if motion.quarters != 0:
        game = fixed(game, TURNED)
    if turn is not None and turn.revealing == room.label:
        q = was.q if game.ruleset.reveal == "zero" else -motion.stands % QUARTERS
        return with_room(game, replace(room, q=q))
    if motion.quarters == 0:
        return with_room(game, room)
    game = with_room(game, replace(room, q=_orientation(was, motion), turned=was.turned + abs(motion.quarters or 0)))
    if motion.quarters is None:
        game = found(game, "D-AUD-4", N_("{room} was turned by an unknown path."), room.label)
    if game.combat is not None and game.combat.to_play:
        game = found(game, "D-GLD-1", N_("{room} was turned before the combat was over."), room.label)
    ways = {} if turn is None else may_turn(game, turn)
    if not room.revealed and (room.label not in ways or game.follows("D-ROT-12")):
        return found(game, "D-AUD-9", N_("{room} was turned while it lay face down."), room.label)
    if turn is None:
        return found(game, "D-AUD-9", N_("{room} was turned outside of any turn."), room.label)
    if room.label not in ways:
        sentence = N_("{room} was turned, but {player} has no figure on a gear for it.")
        game = found(game, "D-AUD-2", sentence, room.label, turn.seat)
    elif motion.quarters is not None:
        game = _judge_way(game, turn, room, motion.quarters, either_way=ways[room.label])
    return pay(_with_way(game, room.label, motion.quarters), abs(motion.quarters or 0), room.label)


def may_turn(game: Game, turn: PlayerTurn) -> dict[str, bool]:
    """Return the rooms that the player may turn, and whether either way: those of the words, and those that an
    unwounded character stands on the gear of, or of whose pair (D-ROT-2, D-ROT-5)."""
    rooms = dict(turn.geared)
    for one in game.characters.values():
        if one.seat == turn.seat and one.on_gear and not one.wounded and not one.gone and one.at in game.rooms:
            other = game.partner(one.at)
            far = other is not None and (other.revealed or not game.follows("D-ROT-12"))
            for label in (one.at, other.label) if other is not None and far else (one.at,):
                rooms[label] = rooms.get(label, False) or is_mekanork(game, one)
    return rooms


def is_mekanork(game: Game, one: Character) -> bool:
    """Return whether a character may turn a room either way (D-ROT-13)."""
    return one.kind.casefold() == MEKANORK and game.follows("D-ROT-13")


def _orientation(was: Room, motion: ev.Motion) -> int | None:
    """Return how the room lies after a motion. After an unknown path its dial still shows it: an angle is absolute, and
    clicks count counter-clockwise."""
    quarters = motion.quarters
    if quarters is None and was.stands is not None:
        quarters = was.stands - motion.stands
    return None if was.q is None or quarters is None else (was.q + quarters) % QUARTERS


def _with_way(game: Game, label: str, quarters: int | None) -> Game:
    """Remember which way a room was turned last in this turn; 0 for an unknown path."""
    if game.turn is None:
        return game
    way = {**game.turn.way, label: 0 if quarters is None else (1 if quarters > 0 else -1)}
    return replace(game, turn=replace(game.turn, way=MappingProxyType(way)))


def _judge_way(game: Game, turn: PlayerTurn, room: Room, quarters: int, *, either_way: bool) -> Game:
    """Judge whether a room was turned with its arrow (D-ROT-6), and if not, whether that undid a turn."""
    if quarters * room.arrow > 0 or either_way:
        return game
    if turn.way.get(room.label) == room.arrow:
        return found(game, "D-AUD-7", N_("{room} was turned back: no undoing (D-ROT-8)."), room.label, turn.seat)
    sentence = N_("{room} was turned against its arrow (D-ROT-6).")
    if game.follows("D-ROT-13"):
        sentence = N_(
            "{room} was turned against its arrow; did a Mekanork stand on the gear (D-ROT-13, from another source)?"
        )
    return found(game, "D-AUD-3", sentence, room.label, turn.seat)


def seen(game: Game, stands: Mapping[str, int | None]) -> Game:
    """Take the stands of dials after a time without samples. A dial that stands elsewhere was turned; one that was
    revealed while its dial did not respond may have been."""
    for label, at in stands.items():
        room = game.rooms[label]
        if at is not None and room.stands is None:
            game = with_room(game, replace(room, stands=at, q=None, between=False))
        elif at is not None and (at != room.stands or room.between):
            quarters = 0 if at == room.stands else None
            game = _one_rotated(game, ev.Motion(room=label, quarters=quarters, stands=at))
    return game
