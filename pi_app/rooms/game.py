"""The game of rotating rooms: events in, the next game out. Pure. Moves against the rules are recorded too; a finding
names the rule."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

from pi_app.rooms import action_points, characters, combat, rotations
from pi_app.rooms import events as ev
from pi_app.rooms.spelling import spelled
from pi_app.rooms.state import (
    NO_WORD,
    TOLD,
    Character,
    Correction,
    Game,
    LastWord,
    Player,
    Room,
    fixed,
    found,
    with_room,
)
from pi_app.text.language import N_


def apply(game: Game, event: ev.AnyEvent) -> Game:
    """Return the game after one more event. Raises KeyError for a room, a player or a character that it does not
    have."""
    if not isinstance(event, ev.Word):
        return _happened(game, event)
    shown = game.combat is not None and game.combat.told is not None
    before = replace(game, combat=None if shown else game.combat, unspent=None, last=None, kept_because=NO_WORD)
    after = _said(before, event)
    if after.combat is not None and after.combat.told is not None:
        return fixed(after, TOLD)
    return replace(after, last=LastWord(spelled(event), replace(game, last=None)))


def _said(game: Game, event: ev.Word) -> Game:
    match event:
        case ev.CardPlayed():
            return action_points.card(game, event)
        case ev.Revealed():
            return rotations.revealed(game, event)
        case ev.Geared():
            return rotations.geared(game, event)
        case ev.Spent():
            return action_points.spent(game, event)
        case ev.TurnEnded():
            return action_points.turn_ended(game, event)
        case ev.CharacterMoved():
            return characters.moved(game, event)
        case ev.Carried():
            return characters.carried(game, event)
        case ev.Swapped():
            return characters.swapped(game, event)
        case ev.ObjectUsed():
            return characters.used(game, event)
        case ev.ExitReached():
            return characters.left(game, event)
        case ev.CombatBegun():
            return combat.begun(game, event)
        case ev.CombatCardPlayed():
            return combat.card(game, event)
        case ev.Tended():
            return characters.tended(game, event)
        case ev.SetRight():
            return with_room(game, replace(game.rooms[event.square], q=event.q))


def _happened(game: Game, event: ev.AnyEvent) -> Game:
    match event:
        case ev.Started():
            return _begun(event)
        case ev.WordUndone():
            return _taken_back(game)
        case ev.Rotated():
            return rotations.rotated(game, event)
        case ev.DialsChecked() | ev.Resumed():
            return rotations.seen(game, event.stands)
        case ev.RoomBetween():
            return with_room(game, replace(game.rooms[event.square], between=True))
        case ev.RoomLost():
            return with_room(game, replace(game.rooms[event.square], lost=True))
        case ev.RoomBack():
            back = with_room(game, replace(game.rooms[event.square], lost=False))
            return rotations.seen(back, {event.square: event.stands})
        case ev.Ended():
            return replace(game, ended=True, turn=None, combat=None)
        case _:
            return game


def _begun(event: ev.Started) -> Game:
    rooms = {each.label: Room(each.label, each.table.pair, each.table.arrow) for each in event.squares}
    cards = event.ruleset.combat_cards
    colours = [each.seat for each in event.players]
    people = [
        Character(f"{seat}.{each.kind}", seat, each.kind, each.speed, each.value)
        for seat in colours
        for each in event.characters
    ]
    game = Game(
        table_name=event.table_name,
        simulated=event.simulated,
        ruleset=event.ruleset,
        rooms=MappingProxyType(rooms),
        players=MappingProxyType({each.seat: Player(each.seat, each.name, fighting=cards) for each in event.players}),
        characters=MappingProxyType({each.key: each for each in people}),
        objects=MappingProxyType({f"{seat}.{each.name}": each for seat in colours for each in event.objects}),
    )
    for room in rooms.values():
        others = [other for other in rooms.values() if other.pair == room.pair and other is not room]
        if len(others) != 1 or others[0].arrow == room.arrow:
            game = found(game, "D-AUD-10", N_("{room} has no pair whose arrow points the other way."), room.label)
    return game


def _taken_back(game: Game) -> Game:
    """Return to the game before the last word; what the dials showed since then stays."""
    if game.last is None:
        return game
    then = game.last.before
    correction = Correction(game.last.word, game.findings[len(then.findings) :])
    rooms = {label: _dial_kept(room, then.rooms[label]) for label, room in game.rooms.items()}
    fight = then.combat
    return replace(
        then,
        combat=fight if fight is None or fight.told is None else replace(fight, covered=True) if fight.tie else None,
        rooms=MappingProxyType(rooms),
        corrections=(*game.corrections, correction),
        kept_because=NO_WORD,
    )


def _dial_kept(now: Room, then: Room) -> Room:
    q = then.q if now.stands == then.stands else now.q
    return replace(now, revealed=then.revealed, q=q if then.revealed else None)
