"""The commands that name characters: they move, carry, fight and leave."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pi_app.rooms import events as ev
from pi_app.rooms.entry_lengths import MOST_FIGHTERS
from pi_app.rooms.refusals import guessing, refused
from pi_app.rooms.state import LINE, Character, Game
from pi_app.text.language import N_

CHARACTER_VERBS: Final = frozenset({"move", "exit", "take", "drop", "give", "use", "combat", "ability", "jump", "lies"})


def character_event(verb: str, rest: Sequence[str], seat: str, game: Game) -> ev.Word | None:
    """Return the event of a command of the player `seat` that names a character; None if its form is wrong. Raises
    RoomsRefusedError."""
    if verb == "combat":
        return _combat(rest, seat, game)
    one, *more = rest
    match verb, more:
        case "move", _:
            return _move(own(one, seat, game), more, game)
        case "exit", []:
            return ev.ExitReached(seat=seat, character=own(one, seat, game).key)
        case "take", [what]:
            return ev.Carried(seat=seat, character=own(one, seat, game).key, what=_load(what, seat, game))
        case "drop", [] | ["pit"]:
            return ev.Carried(seat=seat, character=_bearer(one, seat, game).key, pit=bool(more))
        case "give", [other]:
            pair = own(one, seat, game), own(other, seat, game)
            return None if pair[0] == pair[1] else ev.Swapped(seat=seat, character=pair[0].key, other=pair[1].key)
        case "use", []:
            return _use(_bearer(one, seat, game), game)
        case ("ability" | "jump") as use, []:
            return ev.Spent(seat=seat, use=use, character=own(one, seat, game).key)
        case "lies", ["well" | "wounded" as how]:
            return ev.Tended(character=character(one, seat, game).key, wounded=how == "wounded")
    return None


def character(word: str, seat: str, game: Game) -> Character:
    """Return the character of this name: of the player whose turn it is, or `ben.thief`. Raises RoomsRefusedError."""
    colour, _, kind = word.rpartition(".")
    colours = {name.casefold(): player.seat for player in game.players.values() for name in (player.name, player.seat)}
    owner = colours.get(colour) if colour else seat
    for one in game.characters.values():
        if one.seat == owner and one.kind.casefold() == kind:
            return _still_here(one)
    choices = [one.kind if one.seat == seat else one.key for one in game.characters.values()]
    raise guessing(N_("There is no character '{word}'; {guess}"), word, choices)


def _still_here(one: Character) -> Character:
    if one.gone:
        raise refused(N_("{character} is out of the game."), character=one.key)
    return one


def own(word: str, seat: str, game: Game) -> Character:
    """Return a character of the player whose turn it is. Raises RoomsRefusedError."""
    one = character(word, seat, game)
    if one.seat != seat:
        raise refused(
            N_("It is the turn of {name}: {character} waits."), name=game.players[seat].name, character=one.key
        )
    return one


def _move(one: Character, more: Sequence[str], game: Game) -> ev.CharacterMoved | None:
    rooms = {label.casefold(): label for label in game.rooms} | {LINE: LINE}
    to, *how = [*more] if more and more[0] in rooms else ["", *more]
    on_gear = how[:1] == ["gear"]
    squares = how[1:] if on_gear else how
    if len(squares) > 1 or not all(each.isascii() and each.isdigit() and len(each) < 3 for each in squares):
        return None
    if on_gear and rooms.get(to, LINE) == LINE:
        return None
    steps = int(squares[0]) if squares else None
    return ev.CharacterMoved(seat=one.seat, character=one.key, to=rooms.get(to, ""), on_gear=on_gear, steps=steps)


def _load(word: str, seat: str, game: Game) -> str:
    """Return the key of an object or of a character that can be picked up."""
    colour, _, name = word.rpartition(".")
    colours = {each.casefold(): player.seat for player in game.players.values() for each in (player.name, player.seat)}
    owner = colours.get(colour) if colour else seat
    for key, thing in game.objects.items():
        if thing.name.casefold() == name and key == f"{owner}.{thing.name}":
            if key in game.used:
                raise refused(N_("{character} is out of the game."), character=key)
            return key
    if any(one.kind.casefold() == name for one in game.characters.values()):
        return character(word, seat, game).key
    raise guessing(N_("There is nothing called '{word}' to pick up; {guess}"), word, game.objects)


def _bearer(word: str, seat: str, game: Game) -> Character:
    one = own(word, seat, game)
    if one.carries is None:
        raise refused(N_("{character} carries nothing."), character=one.key)
    return one


def _use(one: Character, game: Game) -> ev.ObjectUsed:
    thing = game.objects.get(one.carries or "")
    if thing is None or not thing.activated:
        raise refused(
            N_("{character} carries nothing whose effect needs an action point (D-OBJ-6)."), character=one.key
        )
    return ev.ObjectUsed(seat=one.seat, character=one.key)


def _combat(rest: Sequence[str], seat: str, game: Game) -> ev.CombatBegun | None:
    """A combat against characters of one enemy; `again` repeats one without a winner (D-CMB-3)."""
    if [*rest] == ["again"]:
        if game.combat is None or not game.combat.tie:
            raise refused(N_("Only a combat that has just ended in a tie can be repeated (D-CMB-3)."))
        return ev.CombatBegun(seat=seat, attackers=game.combat.attackers, defenders=game.combat.defenders)
    if len(rest) != 2:
        return None
    attackers = [own(word, seat, game) for word in rest[0].split("+")]
    defenders = [character(word, seat, game) for word in rest[1].split("+")]
    everybody = {one.key for one in (*attackers, *defenders)}
    if len(everybody) != len(attackers) + len(defenders) or len(everybody) > MOST_FIGHTERS:
        return None
    if {one.seat for one in defenders} & {seat} or len({one.seat for one in defenders}) != 1:
        raise refused(N_("A combat is against the characters of one enemy (D-CMB-1)."))
    return ev.CombatBegun(
        seat=seat, attackers=tuple(a.key for a in attackers), defenders=tuple(d.key for d in defenders)
    )
