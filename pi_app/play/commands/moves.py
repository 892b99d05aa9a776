"""The commands for moves: `enter`, `pass`, `hits`, `start`, `shockwave`, `break`, `trigger`, `expose`, `disarm`.

The words and dice that a line needs depend on public facts alone (S-6).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from pi_app.game import events as ev
from pi_app.game.dice import ATTACK, DICE_WORDS, dice_of, disarm_dice
from pi_app.game.figures import OTHERS, WITHOUT, without
from pi_app.game.moves import ADDED, HEROES_ONLY, in_a_turn
from pi_app.game.note import Note
from pi_app.game.rules import SquareState
from pi_app.game.ruleset import Ability
from pi_app.game.state import Game, Square
from pi_app.play.commands.figures import hero_of, who_of
from pi_app.play.commands.words import RefusedError, die_of, square_of, want
from pi_app.text.language import N_, Words

ROLL: Final = "roll"
VERBS: Final[Mapping[str, ev.Verb]] = {verb: verb for verb in ADDED}
Thrown = tuple[int, ...] | None

NEEDS: Final = N_("{square} needs {dice} now. Type: {line}")
NO_HIT: Final = N_("No trap waits for its effect now (T-TRG-7).")
HITS_OTHER: Final = N_("{square} hits {name}. Type: {line}")


def moved(verb: ev.Verb, rest: list[str], game: Game, words: Words, thrown: Thrown) -> ev.Moved:
    """A typed move. Its dice are those that decide something, and no others. `thrown`: those that the device rolled for
    the word `roll`; None: not yet."""
    if verb == "hits":
        move, typed = _hits(rest, game, words)
    else:
        want(len(rest) >= 2, verb, words)
        square = square_of(rest[0], game, words)
        if verb in HEROES_ONLY:
            (who, by), typed = hero_of(rest[1], game, words), rest[2:]
        else:
            who, by, typed = who_of(rest[1:], game, words)
        move = ev.Moved(square=square.label, verb=verb, who=who, by=by if who in OTHERS else "")
    typed = [word.lower() for word in typed]
    speed = _speed(typed, verb, words) if verb == "enter" else None
    rolls = typed.count(ROLL)
    numbers = [word for word in typed if word.isascii() and word.isdecimal() and len(word) < 4]
    added = tuple(dict.fromkeys(word for word in typed if word not in numbers and word != ROLL))
    want(rolls <= 1 and set(added) <= set(ADDED[verb]), verb, words)
    move = replace(move, added=added, speed=speed)
    rolled = ((1,) * len(dice_of(move, game)) if thrown is None else thrown) if rolls else ()
    return replace(move, numbers=(*rolled, *_numbers(verb, numbers, len(numbers) + len(rolled), words)))


def _numbers(verb: ev.Verb, typed: list[str], count: int, words: Words) -> list[int]:
    """The numbers typed: dice, and behind the two dice of a Shockwave its attack value."""
    if verb != "shockwave" or count < 3:
        return [die_of(word, words) for word in typed]
    attack = int(typed[-1])
    if attack not in ATTACK:
        told = words(N_("This number must be {low} to {high}."))
        raise RefusedError(told.format(low=ATTACK[0], high=ATTACK[-1]))
    return [*(die_of(word, words) for word in typed[:-1]), attack]


def with_any_dice(move: ev.Moved, game: Game) -> ev.Moved:
    """The move with as many dice as it needs: whether a move is refused depends on no die."""
    return replace(move, numbers=(1,) * (len(dice_of(move, game)) + 1))


def check_numbers(move: ev.Moved, game: Game, words: Words) -> None:
    """Raises RefusedError for a line with other dice than those that decide something."""
    dice = dice_of(move, game)
    if len(move.numbers) == len(dice) + (move.verb == "shockwave" and bool(dice)):
        return
    who = () if move.verb == "hits" else (move.who, *((move.by,) if move.by else ()))
    speed = () if move.speed is None else ("speed", str(move.speed))
    attack = ("ATTACK",) if move.verb == "shockwave" and dice else ()
    line = " ".join((move.verb, move.square, *who, *move.added, *speed, *("DIE" for _ in dice), *attack))
    told = Note(NEEDS, {"square": move.square}, {"dice": DICE_WORDS[dice]}, {"line": line})
    raise RefusedError(told.text(words))


def _hits(rest: list[str], game: Game, words: Words) -> tuple[ev.Moved, list[str]]:
    """The effect that is open: on this square, or the oldest one. A figure may be named if it is the right one."""
    named = bool(rest) and rest[0].casefold() in {label.casefold() for label in game.squares}
    waiting = [square for square in game.squares.values() if square.hits is not None]
    if not named and not waiting:
        raise RefusedError(words(NO_HIT))
    square = square_of(rest[0], game, words) if named else min(waiting, key=_age)
    typed = rest[1:] if named else rest
    if square.hits is None:
        return ev.Moved(square=square.label, verb="hits", who=next(iter(game.seats))), []
    figure = square.hits.figure
    if typed and not typed[0].isdecimal() and typed[0].lower() not in (*ADDED["hits"], ROLL):
        who, _, typed = who_of(typed, game, words)
        if who != figure:
            values, marked = game.figure_in(figure)
            told = Note(HITS_OTHER, {"square": square.label, **values}, marked, {"line": f"hits {square.label}"})
            raise RefusedError(told.text(words))
    return ev.Moved(square=square.label, verb="hits", who=figure), typed


def _age(square: Square) -> int:
    return 0 if square.hits is None else square.hits.number


def _speed(typed: list[str], verb: str, words: Words) -> int | None:
    """The points left: removes `speed N` from the line."""
    if "speed" not in typed:
        return None
    at = typed.index("speed")
    number = typed[at + 1] if at + 1 < len(typed) else ""
    want(number.isascii() and number.isdecimal() and len(number) < 4, verb, words)
    del typed[at : at + 2]
    return int(number)


def trigger(rest: list[str], game: Game, words: Words) -> ev.AnyEvent:
    """`trigger T02 aria diagonal`."""
    causes: dict[str, ev.Cause] = {
        "entered": "entered",
        "diagonal": "diagonal",
        "shockwave": "shockwave",
        "other": "other",
    }
    want(len(rest) >= 2, "trigger", words)
    square = square_of(rest[0], game, words)
    figure, seat, rest = who_of(rest[1:], game, words)
    want(seat != "" and (not rest or (len(rest) == 1 and rest[0].lower() in causes)), "trigger", words)
    if (busy := in_a_turn(square, seat, game)) is not None:
        raise RefusedError(busy.text(words))
    cause = causes[rest[0].lower()] if rest else "entered"
    return ev.Triggered(seat=seat, square=square.label, cause=cause, figure="" if figure == seat else figure)


def expose(rest: list[str], game: Game, words: Words) -> ev.AnyEvent:
    """`expose T02 aria`."""
    want(len(rest) == 2, "expose", words)
    square = square_of(rest[0], game, words)
    figure, seat = hero_of(rest[1], game, words)
    told: str | None = None
    if square.state not in (SquareState.CONCEALED, SquareState.EXPOSED):
        told = N_("{square} is already open to everyone (T-TRG-9) or disarmed.")
    elif square.unclaimed_turn and not square.homed:
        told = N_("{square} counts steps and is not homed; turn it to its start mark and type: home {square}")
    elif square.unclaimed_turn and square.stands is None:
        told = N_("{square} rests between two clicks; seat its dial first.")
    elif seat in square.readers:
        told = N_("{name} has already exposed {square}; hold the button to look again (T-EXP-10).")
    if told is not None:
        raise RefusedError(words(told).format(square=square.label, name=game.seats[seat].name))
    return ev.Exposed(seat=seat, square=square.label, grade="table", figure="" if figure == seat else figure)


MAY_HELP: Final[tuple[Ability, ...]] = ("stealth", "nimble", "sneak", "dodge")
"""Abilities that may add to a disarm roll (T-DIS-9)."""


def disarm(rest: list[str], game: Game, words: Words, thrown: Thrown = None) -> ev.DisarmTried:
    """`disarm T02 aria quick 3 5 2`."""
    ways: dict[str, ev.Way] = {"quick": "quick", "slow": "slow"}
    want(len(rest) >= 3, "disarm", words)
    square = square_of(rest[0], game, words)
    figure, seat, typed = who_of(rest[1:], game, words)
    typed = [word.lower() for word in typed]
    want(seat != "" and bool(typed) and typed[0] in ways, "disarm", words)
    way = ways[typed.pop(0)]
    speed = _speed(typed, "disarm", words)
    rolls = typed.count(ROLL)
    numbers = [word for word in typed if word.isascii() and word.isdecimal() and len(word) < 4]
    added = [word for word in typed if word not in numbers and word != ROLL]
    want(rolls <= 1 and set(added) <= {*MAY_HELP, *WITHOUT}, "disarm", words)
    count = disarm_dice(square, game)
    dice = (thrown or (1,) * count) if rolls else tuple(die_of(word, words) for word in numbers)
    want(not (rolls and numbers) and len(dice) <= 3, "disarm", words)
    dice = (*dice, 0, 0, 0)
    able = (set(added) | game.abilities_of(figure)) - without(tuple(added))
    return ev.DisarmTried(
        seat=seat,
        square=square.label,
        way=way,
        dice=(dice[0], dice[1]),
        plus_die=dice[2],
        figure="" if figure == seat else figure,
        abilities=tuple(ability for ability in MAY_HELP if ability in able),
        speed=speed,
    )


def check_dice(tried: ev.DisarmTried, game: Game, words: Words) -> None:
    """Raises RefusedError for an attempt with other dice than those that decide something."""
    count = disarm_dice(game.squares[tried.square], game)
    if sum(die != 0 for die in (*tried.dice, tried.plus_die)) == count:
        return
    figure = ev.figure_of(tried)
    who = f"{figure} {tried.seat}" if figure in OTHERS else figure
    added = (ability for ability in tried.abilities if ability not in game.abilities_of(figure))
    line = " ".join(("disarm", tried.square, who, tried.way, *added, *("DIE" for _ in range(count))))
    told = Note(NEEDS, {"square": tried.square}, {"dice": DISARM_DICE[count]}, {"line": line})
    raise RefusedError(told.text(words))


DISARM_DICE: Final = {2: N_("two dice"), 3: N_("three dice")}
