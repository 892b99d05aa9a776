"""Combat: both cards face down, then the totals, and who is wounded or eliminated. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType

from pi_app.rooms import events as ev
from pi_app.rooms.action_points import own_turn, pay
from pi_app.rooms.characters import scored
from pi_app.rooms.state import LINE, Combat, Game, found, with_character, with_player
from pi_app.text.language import N_


def begun(game: Game, event: ev.CombatBegun) -> Game:
    """A combat costs one point (D-CMB-1), and another one after a tie (D-CMB-3)."""
    game = pay(own_turn(game, event.seat), 1)
    struck = () if game.turn is None else game.turn.struck
    attackers = [game.characters[key] for key in event.attackers]
    defenders = [game.characters[key] for key in event.defenders]
    for one in attackers:
        if one.wounded:
            game = found(game, "D-WND-2", N_("{room} is wounded and can take no action."), one.key, event.seat)
    for one in defenders:
        if one.key in struck:
            sentence = N_("{room} was wounded in this turn and may not be attacked again in it.")
            game = found(game, "D-CMB-5", sentence, one.key, event.seat)
        if one.wounded and len(defenders) > 1:
            game = found(game, "D-WND-3", N_("{room} is wounded and can only be attacked alone."), one.key, event.seat)
        if one.at == LINE and any(each.at == LINE for each in attackers):
            sentence = N_("{room} stands on its starting line and may only be attacked from a room.")
            game = found(game, "D-EXT-2", sentence, one.key, event.seat)
    return replace(game, combat=Combat(event.seat, defenders[0].seat, event.attackers, event.defenders))


def card(game: Game, event: ev.CombatCardPlayed) -> Game:
    """A card lies face down; when both do, they are shown together and added (D-CMB-2)."""
    fight = game.combat
    if fight is None:
        return game
    player = game.players[event.seat]
    hand = [*player.fighting]
    if event.card in hand and event.card != 0:  # the card +0 returns to its owner (D-CMB-4)
        hand.remove(event.card)
    game = with_player(game, replace(player, fighting=tuple(hand)))
    fight = replace(fight, cards=MappingProxyType({**fight.cards, event.seat: event.card}))
    return replace(game, combat=fight) if fight.to_play else _shown(game, fight)


def _value(game: Game, keys: Sequence[str], *, attacks: bool) -> int:
    """Add the values of all who take part (D-CMB-6), with the effects of what they carry; a wounded one counts 0
    (D-WND-2)."""
    total = 0
    for one in (game.characters[key] for key in keys):
        carried = None if one.carries is None else game.objects.get(one.carries)
        bonus = 0 if carried is None else carried.attack if attacks else carried.defence
        total += 0 if one.wounded else one.value + bonus
    return total


def _shown(game: Game, fight: Combat) -> Game:
    totals = {
        fight.seat: _value(game, fight.attackers, attacks=True) + fight.cards[fight.seat],
        fight.enemy: _value(game, fight.defenders, attacks=False) + fight.cards[fight.enemy],
    }
    told = MappingProxyType({seat: (total, fight.cards[seat]) for seat, total in totals.items()})
    game = replace(game, combat=replace(fight, cards=MappingProxyType({}), told=told))
    if totals[fight.seat] > totals[fight.enemy]:
        struck = [key for key in fight.defenders if not game.characters[key].wounded]
        if game.turn is not None:
            game = replace(game, turn=replace(game.turn, struck=(*game.turn.struck, *struck)))
        return _lost(game, fight.defenders, fight.seat, defended=True)
    if totals[fight.seat] < totals[fight.enemy]:
        return _lost(game, fight.attackers, fight.enemy, defended=False)
    return game


def _lost(game: Game, losers: Sequence[str], winner: str, *, defended: bool) -> Game:
    """Losers are wounded and drop their objects (D-WND-1). A wounded one that defended is eliminated (D-WND-3), and so
    is a wounded one that a loser carries (D-WND-4); each scores for the winner."""
    for key in losers:
        loser = game.characters[key]
        load = loser.carries if loser.carries in game.characters else None
        dead = key if loser.wounded and defended else load
        game = with_character(game, replace(loser, wounded=True, carries=None))
        if dead is not None:
            game = with_character(game, replace(game.characters[dead], at="", on_gear=False, gone="eliminated"))
            game = scored(game, winner, 1)
    return game
