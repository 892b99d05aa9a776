"""Which figure a word means, and the words that name Heroes: `hero`, `fallen`."""

from __future__ import annotations

import re
from typing import Final, get_args

from pi_app.game import events as ev
from pi_app.game.figures import ABILITY_NAMES, HERO_BYTES, MOST_HEROES, OTHERS, HeroAbility
from pi_app.game.note import Note
from pi_app.game.state import Game
from pi_app.play.commands.words import RefusedError, Reply, seat_of, want
from pi_app.text.language import N_, Words, listed
from pi_app.text.lengths import text_bytes
from pi_app.text.suggest import hint
from pi_app.text.table_words import in_language, is_taken

Figure = tuple[str, str]
"""A figure as the events name it, and its seat ("" for one that is no Hero)."""


def hero_of(word: str, game: Game, words: Words) -> Figure:
    """A Hero: by its name, or by its seat if that has only one in play."""
    for name, hero in game.heroes.items():
        if word.casefold() == name.casefold():
            return name, hero.seat
    seat = seat_of(word, game, words)
    heroes = game.heroes_of(seat)
    if len(heroes) == 1:
        return heroes[0], seat
    if not heroes:
        told = words(N_("{name} has no Hero in play. To name one, type: {line}"))
        raise RefusedError(told.format(name=game.seats[seat].name, line=in_language(f"hero {seat} NAME", words)))
    told = words(N_("{name} has several Heroes; name one: {heroes}."))
    raise RefusedError(told.format(name=game.seats[seat].name, heroes=", ".join(heroes)))


def who_of(rest: list[str], game: Game, words: Words) -> tuple[str, str, list[str]]:
    """The figure that the first words mean, the seat that moves it, and the words after it: `aria`, `ann`, `spawn`,
    `mage ben` (a figure that is no Hero, moved by Ben)."""
    kind = rest[0].lower()
    if kind not in OTHERS:
        figure, seat = hero_of(rest[0], game, words)
        return figure, seat, rest[1:]
    if len(rest) > 1 and rest[1].casefold() in {each.casefold() for each in _owners(game)}:
        return kind, hero_of_any(rest[1], game, words), rest[2:]
    return kind, "", rest[1:]


def _owners(game: Game) -> tuple[str, ...]:
    return (*game.seats, *(seat.name for seat in game.seats.values()), *game.heroes)


def hero_of_any(word: str, game: Game, words: Words) -> str:
    """The seat that a word means: the seat itself, its player, or one of its Heroes."""
    for name, hero in game.heroes.items():
        if word.casefold() == name.casefold():
            return hero.seat
    return seat_of(word, game, words)


NAME: Final = re.compile(r"[^\W\d_][\w-]{0,11}")


def hero(rest: list[str], game: Game, words: Words) -> Reply | ev.HeroNamed:
    """`hero` lists the Heroes; `hero ann aria nimble dodge speed 8` names one, or changes it."""
    if not rest:
        return Reply(tuple(heroes_line(seat, game, words) for seat in game.seats))
    want(len(rest) >= 2, "hero", words)
    seat, name, added = seat_of(rest[0], game, words), rest[1], [word.lower() for word in rest[2:]]
    known = next((each for each in game.heroes if each.casefold() == name.casefold()), None)
    if known is None:
        _check_name(name, game, words)
        if sum(each.seat == seat for each in game.heroes.values()) >= MOST_HEROES:
            told = words(N_("{name} has {count} Heroes already; no seat has more."))
            raise RefusedError(told.format(name=game.seats[seat].name, count=MOST_HEROES))
    elif game.heroes[known].seat != seat:
        told = words(N_("{hero} is a Hero of {name}."))
        raise RefusedError(told.format(hero=known, name=game.seats[game.heroes[known].seat].name))
    speed, level = _number(added, "speed", range(21), words), _number(added, "level", range(1, 10), words)
    abilities = tuple(dict.fromkeys(_ability(word, words) for word in added))
    return ev.HeroNamed(seat=seat, name=known or name, abilities=abilities, speed=speed, level=level or 1)


def _check_name(name: str, game: Game, words: Words) -> None:
    if NAME.fullmatch(name) is None:
        told = words(N_("A Hero's name is one word of up to 12 letters, digits or hyphens, not '{word}'."))
        raise RefusedError(told.format(word=name[:20]))
    if (found := text_bytes(name)) > HERO_BYTES:
        told = words(N_("A Hero's name has at most {most} bytes, and '{word}' has {found}; take a shorter one."))
        raise RefusedError(told.format(most=HERO_BYTES, word=name, found=found))
    taken = {each.casefold() for each in (*_owners(game), *game.squares)}
    taken |= {each.casefold() for each in (game.artifacts.lies if game.artifacts else ())}
    if name.casefold() in taken or is_taken(name, words):
        told = words(N_("'{word}' already means something else at this table; choose another name."))
        raise RefusedError(told.format(word=name))


def _number(added: list[str], word: str, allowed: range, words: Words) -> int | None:
    """The number behind a word: removes both from the line."""
    if word not in added:
        return None
    at = added.index(word)
    number = added[at + 1] if at + 1 < len(added) else ""
    want(number.isascii() and number.isdecimal() and len(number) < 4, "hero", words)
    del added[at : at + 2]
    if int(number) not in allowed:
        told = words(N_("This number must be {low} to {high}."))
        raise RefusedError(told.format(low=allowed[0], high=allowed[-1]))
    return int(number)


def _ability(word: str, words: Words) -> HeroAbility:
    plain = {"sneak": "sneak_attack", "sneak-attack": "sneak_attack"}.get(word, word)
    for ability in get_args(HeroAbility):
        known: HeroAbility = ability
        if plain in (known, words(ABILITY_NAMES[known]).casefold().replace(" ", "_")):
            return known
    told = words(N_("There is no ability '{word}' here; {guess}"))
    raise RefusedError(told.format(word=word[:20], guess=hint(word, get_args(HeroAbility), words)))


def heroes_line(seat: str, game: Game, words: Words) -> str:
    """One player's Heroes with their abilities."""
    told = [_described(name, game, words) for name, hero in game.heroes.items() if hero.seat == seat]
    heroes = listed(told, words) if told else words(N_("one Hero without a name"))
    return f"{game.seats[seat].name}: {heroes}."


def _described(name: str, game: Game, words: Words) -> str:
    hero = game.heroes[name]
    facts = [words(ABILITY_NAMES[each]) for each in hero.setup.abilities]
    if hero.setup.speed is not None:
        facts.append(words(N_("speed {number}")).format(number=hero.setup.speed))
    if hero.setup.level > 1:
        facts.append(words(N_("level {number}")).format(number=hero.setup.level))
    if hero.fallen:
        facts.append(words(N_("out of the game")))
    if (prison := game.prison_of(name)) is not None:
        facts.append(words(N_("locked in {square}")).format(square=prison))
    return f"{name} ({', '.join(facts)})" if facts else name


def fallen(rest: list[str], game: Game, words: Words) -> ev.AnyEvent:
    """`fallen aria`."""
    want(len(rest) == 1, "fallen", words)
    figure, seat = hero_of(rest[0], game, words)
    if game.artifacts is None and figure not in game.heroes:
        told = Note(
            N_("{name}'s Hero has no name, so nothing changes. To name it, type: {line}"),
            {"name": game.name_of(figure)},
            {},
            {"line": f"hero {seat} NAME"},
        )
        raise RefusedError(told.text(words))
    return ev.Fallen(seat=seat, figure=figure)


def undo(rest: list[str], game: Game, words: Words) -> ev.AnyEvent:
    """`undo`: the last typed word of the table is taken back."""
    want(len(rest) == 0, "undo", words)
    if game.undo is None:
        told = N_(
            "Nothing can be taken back: since the last word a dial was turned, the device rolled, "
            "or a player learned a secret."
        )
        raise RefusedError(words(told))
    return ev.Undone(line=game.undo.line)
