"""Characters that move, carry and leave. Pure. The dials do not show on which squares they stand."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from pi_app.rooms import events as ev
from pi_app.rooms.action_points import own_turn, pay
from pi_app.rooms.state import Character, Game, found, with_character, with_player
from pi_app.text.language import N_

GOBLIN: Final = "goblin"
TREASURE: Final = "treasure"
ROPE: Final = "rope"
"""Names with a rule of their own: D-SCO-1, D-EXT-3, D-OBJ-3."""


def _acting(game: Game, seat: str, key: str, points: int) -> Game:
    """Pay for an action of a character. A wounded one takes none (D-WND-2)."""
    game = own_turn(game, seat)
    if points:
        game = pay(game, points)
    if game.characters[key].wounded:
        game = found(game, "D-WND-2", N_("{room} is wounded and can take no action."), key, seat)
    return game


def moved(game: Game, event: ev.CharacterMoved) -> Game:
    """A move costs one point and goes at most as far as the character's speed (D-MOV-1)."""
    game = _acting(game, event.seat, event.character, 1)
    mover = game.characters[event.character]
    if event.steps is not None and event.steps > mover.speed:
        game = found(game, "D-MOV-1", N_("{room} moves farther than its speed."), mover.key, event.seat)
    if event.on_gear:
        there = [o for o in game.characters.values() if o.at == event.to and o.on_gear and not (o.wounded or o.gone)]
        if any(other.key != mover.key for other in there):
            game = found(game, "D-GLD-2", N_("{room} stands on a gear with another character."), mover.key, event.seat)
    load = game.characters.get(mover.carries or "")
    if load is not None:
        game = with_character(game, replace(load, at=event.to, on_gear=event.on_gear))
    return with_character(game, replace(mover, at=event.to, on_gear=event.on_gear))


def carrier_of(game: Game, what: str) -> Character | None:
    """Return the character that carries this, or None."""
    return next((one for one in game.characters.values() if one.carries == what), None)


def carried(game: Game, event: ev.Carried) -> Game:
    """A character carries one object of either colour (D-OBJ-4), or one wounded character of its own (D-OBJ-1)."""
    game = _acting(game, event.seat, event.character, 0)
    bearer = game.characters[event.character]
    if event.what is None:
        if event.pit and not (bearer.carries or "").casefold().endswith(f".{ROPE}"):
            game = found(
                game, "D-OBJ-3", N_("{room} leaves on a pit trap what may not lie there."), bearer.key, event.seat
            )
        return with_character(game, replace(bearer, carries=None))
    body = game.characters.get(event.what)
    if bearer.carries is not None or (body is not None and (body.seat != bearer.seat or not body.wounded)):
        sentence = N_("{room} may carry one object or one wounded character of its own colour, and no more.")
        game = found(game, "D-OBJ-1", sentence, bearer.key, event.seat)
    before = carrier_of(game, event.what)
    if before is not None:
        game = with_character(game, replace(before, carries=None))
    return with_character(game, replace(game.characters[bearer.key], carries=event.what))


def swapped(game: Game, event: ev.Swapped) -> Game:
    """Characters of one player exchange what they carry (D-OBJ-2, D-AP-3)."""
    game = _acting(game, event.seat, event.character, 0)
    one, other = game.characters[event.character], game.characters[event.other]
    game = with_character(game, replace(one, carries=other.carries))
    return with_character(game, replace(other, carries=one.carries))


def used(game: Game, event: ev.ObjectUsed) -> Game:
    """An object whose effect needs a point leaves the game (D-OBJ-6)."""
    game = _acting(game, event.seat, event.character, 1)
    user = game.characters[event.character]
    game = with_character(game, replace(user, carries=None))
    return game if user.carries is None else replace(game, used=(*game.used, user.carries))


def tended(game: Game, event: ev.Tended) -> Game:
    """A character is wounded, and drops what it carries (D-WND-1), or well again, and is not carried any more."""
    one = game.characters[event.character]
    carrier = None if event.wounded else carrier_of(game, one.key)
    if carrier is not None:
        game = with_character(game, replace(carrier, carries=None))
    return with_character(game, replace(one, wounded=event.wounded, carries=None if event.wounded else one.carries))


def scored(game: Game, seat: str, points: int) -> Game:
    """Give a player victory points (D-SCO-1)."""
    player = game.players[seat]
    return with_player(game, replace(player, points=player.points + points))


def left(game: Game, event: ev.ExitReached) -> Game:
    """A character that reaches the opponent's line is out and scores (D-EXT-1); the goblin and the Treasure score one
    more each (D-SCO-1). A wounded character that it carries is safe and scores nothing; an object leaves the game
    (D-EXT-3)."""
    game = _acting(game, event.seat, event.character, 1)
    goer = game.characters[event.character]
    load = goer.carries
    gone = replace(goer, at="", on_gear=False, carries=None, gone="left")
    game = with_character(game, gone)
    if load is not None and load in game.characters:
        game = with_character(game, replace(game.characters[load], at="", on_gear=False, gone="left"))
    elif load is not None:
        game = replace(game, used=(*game.used, load))
    points = 1 + (goer.kind.casefold() == GOBLIN) + (load or "").casefold().endswith(f".{TREASURE}")
    return game if goer.wounded else scored(game, goer.seat, points)
