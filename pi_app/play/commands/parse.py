"""The table's command line: parse a line typed at the table into a command, or refuse it. It decides nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from msgspec.structs import replace

from pi_app.game import events as ev
from pi_app.game import rules
from pi_app.game.moves import ADDED, HEROES_ONLY, NUMBERS, OTHERS, in_a_turn, resolve
from pi_app.game.objections import objection
from pi_app.game.rules import SquareState
from pi_app.game.ruleset import Ability, rules_line, shown, switches
from pi_app.game.state import Game, Phase
from pi_app.play.commands import artifacts, experience
from pi_app.play.commands.words import (
    USAGE,
    Chance,
    CheckStarts,
    Command,
    Help,
    NewGame,
    Order,
    Quit,
    RefusedError,
    Reply,
    Roll,
    Status,
    Throw,
    die_of,
    names,
    seat_of,
    square_of,
    want,
)
from pi_app.text import table_words
from pi_app.text.language import N_, Words


def parse(line: str, game: Game, words: Words, thrown: tuple[int, ...] | None = None) -> Command:
    """The command of a line; `thrown` are the dice that the device rolled for it. Raises RefusedError with one sentence
    for anything that cannot be done."""
    verb, *rest = table_words.in_english(line, words, names(game)).split()[:16] or [""]
    verb = verb.lower()
    plain: dict[str, Command] = {"check": CheckStarts(), "status": Status(), "help": Help(), "quit": Quit()}
    if verb in plain:
        want(len(rest) == 0, verb, words)
        return plain[verb]
    if verb == "new":
        how = {(): None, ("shuffle",): True, ("printed",): False}
        asked = tuple(word.lower() for word in rest)
        want(asked in how, verb, words)
        return NewGame(how[asked])
    if verb not in USAGE:
        hint = table_words.hint(verb, USAGE, words)
        raise RefusedError(words(N_("There is no command '{verb}'; {guess}")).format(verb=verb[:20], guess=hint))
    if verb == "rule":
        return experience.answer(rest, words)
    if verb == "convert":
        return experience.convert(rest, words)
    if game.phase is not Phase.PLAYING:
        raise RefusedError(words(N_("No game is on. Type 'new' to begin one.")))
    if verb == "roll":
        return _roll(rest, game, words)
    if verb in THROWS and ROLL in [word.lower() for word in rest]:
        return _thrown(verb, rest, game, words, thrown)
    if verb in artifacts.CHANCES:
        return Chance(artifacts.CHANCES[verb](rest, game, words))
    if verb == "artifacts":
        return artifacts.listed(rest, game, words)
    if verb == "ledger":
        return experience.ledger(game, words)
    if verb == "rules":
        want(len(rest) == 0, verb, words)
        return Reply((rules_line(game.ruleset, words), *_switch_lines(game.ruleset)))
    return _typed(verb, rest, game, words)


def _switch_lines(rules: ev.Ruleset) -> tuple[str, ...]:
    return tuple(f"{name} = {shown(value)}" for name, value in switches(rules))


ROLL: Final = "roll"
ANYWAY: Final = "anyway"
MOVES: Final[Mapping[str, ev.Verb]] = {verb: verb for verb in NUMBERS}
THROWS: Final[Mapping[str, int]] = {
    **{verb: sum(wanted is rules.DIE for wanted in numbers) for verb, numbers in NUMBERS.items()},
    "disarm": 3,
}
"""Verb -> the number of dice that the device rolls for it, whatever lies there."""

HAPPENS_ANYWAY: Final = frozenset({*MOVES, "trigger", "disarm", "expose", "jaws"})
"""Verbs that are recorded against the rules if the line ends in `anyway`."""


def _thrown(verb: str, rest: list[str], game: Game, words: Words, thrown: tuple[int, ...] | None) -> Command:
    """A line with `roll` in place of its dice. A refusal comes before the roll."""
    count = THROWS[verb]
    at = [word.lower() for word in rest].index(ROLL)
    dice = (1,) * count if thrown is None else thrown
    order = _typed(verb, [*rest[:at], *map(str, dice), *rest[at + 1 :]], game, words, "device")
    return Throw(count) if thrown is None else order


def _typed(verb: str, rest: list[str], game: Game, words: Words, how: ev.How = "said") -> Order:
    """A typed event. Raises RefusedError if it is against the rules and the line does not end in `anyway`."""
    orders = {**_ORDERS, **experience.ORDERS, **artifacts.ORDERS}
    anyway = verb in HAPPENS_ANYWAY and bool(rest) and rest[-1].lower() == ANYWAY
    rest = rest[:-1] if anyway else rest
    event = _moved(MOVES[verb], rest, game, words) if verb in MOVES else orders[verb](rest, game, words)
    notes: list[str] = []
    if isinstance(event, ev.Moved | ev.DisarmTried) and how == "device":
        event = replace(event, how=how)
        dice = event.dice if isinstance(event, ev.DisarmTried) else event.numbers[: THROWS[verb]]
        told = words(N_("The device rolled {dice} for {square}."))
        notes.append(told.format(dice=", ".join(map(str, dice)), square=event.square))
    found = objection(game, event) if verb in HAPPENS_ANYWAY else None
    if found is not None and not anyway:
        raise RefusedError(found.refusal.text(words))
    if found is not None:
        event = replace(event, anyway=True)
        notes.append(words(N_("Recorded as it happened, against {rule}.")).format(rule=found.rule))
    if not isinstance(event, ev.Moved):
        return Order(event, tuple(notes))
    answered = resolve(event, game)
    if answered.refused is not None:
        raise RefusedError(answered.refused.text(words))
    notes += [note.text(words) for note in answered.notes]
    return Order(event, tuple(notes), answered.event)


def _claim(rest: list[str], game: Game, words: Words) -> ev.AnyEvent:
    want(len(rest) == 1, "claim", words)
    seat = seat_of(rest[0], game, words)
    if (reason := claim_refused(game, seat, words)) is not None:
        raise RefusedError(reason)
    return ev.Claimed(seat=seat, grade="table")


def claim_refused(game: Game, seat: str, words: Words) -> str | None:
    """Why this seat cannot claim now, or None if it can. Only one claim may wait for a dial: with two, a player could
    see what another turned (S-2)."""
    if game.claim_of(seat) is not None:
        return words(N_("{name} already has a claim.")).format(name=game.seats[seat].name)
    if (waiting := game.open_claim) is not None:
        told = words(N_("{name} has claimed and not turned a dial yet; wait, or type: drop {seat}"))
        return told.format(name=game.seats[waiting.seat].name, seat=waiting.seat)
    return None


def _drop(rest: list[str], game: Game, words: Words) -> ev.AnyEvent:
    want(len(rest) == 1, "drop", words)
    seat = seat_of(rest[0], game, words)
    if game.claim_of(seat) is None:
        raise RefusedError(words(N_("{name} has no claim.")).format(name=game.seats[seat].name))
    return ev.ClaimDropped(seat=seat, why="taken back")


def _rolled(rest: list[str], game: Game, words: Words) -> ev.AnyEvent:
    want(len(rest) == 2, "rolled", words)
    seat, die = seat_of(rest[0], game, words), die_of(rest[1], words)
    claim, turn = game.claim_of(seat), game.turn_of(seat)
    if turn is None or (claim is None and turn.square is None):
        told = words(N_("{name} has no turn under way; claim first."))
        raise RefusedError(told.format(name=game.seats[seat].name))
    if turn.how == "device":
        told = words(N_("The device rolled for {name}; that roll stands."))
        raise RefusedError(told.format(name=game.seats[seat].name))
    square = turn.square if claim is None else claim.square
    return ev.Rolled(seat=seat, square=square, die=die, how="said", grade="table")


def _roll(rest: list[str], game: Game, words: Words) -> Roll:
    want(len(rest) == 1, "roll", words)
    seat = seat_of(rest[0], game, words)
    turn = game.turn_of(seat)
    if turn is None or game.claim_of(seat) is None:
        raise RefusedError(words(N_("{name} has no claim.")).format(name=game.seats[seat].name))
    if turn.how == "said":
        told = words(N_("{name}'s roll is already recorded; to correct it, type: rolled {seat} N"))
        raise RefusedError(told.format(name=game.seats[seat].name, seat=seat))
    return Roll(seat)


def _expose(rest: list[str], game: Game, words: Words) -> ev.AnyEvent:
    want(len(rest) == 2, "expose", words)
    square, seat = square_of(rest[0], game, words), seat_of(rest[1], game, words)
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
    return ev.Exposed(seat=seat, square=square.label, grade="table")


def _share(rest: list[str], game: Game, words: Words) -> ev.AnyEvent:
    """S-8. Depends on public facts, never on what lies there."""
    want(len(rest) == 2, "share", words)
    square, seat = square_of(rest[0], game, words), seat_of(rest[1], game, words)
    told: str | None = None
    event = ev.Shared(seat=seat, square=square.label)
    if not game.ruleset.share_by_exposer:
        told = N_("This table does not show an exposed square to all (switch share_by_exposer, S-8).")
    elif not may_share(game, event):
        told = N_("{name} may not show {square}: only a player who exposed it may, while it is exposed (S-2).")
    elif square.shared:
        told = N_("{square} is already shown to all.")
    if told is not None:
        raise RefusedError(words(told).format(square=square.label, name=game.seats[seat].name))
    return event


def may_share(game: Game, event: ev.Shared) -> bool:
    """Whether the seat may have the square shown to all now (S-2, S-8)."""
    square = game.squares[event.square]
    return square.state is SquareState.EXPOSED and event.seat in square.readers


def _moved(verb: ev.Verb, rest: list[str], game: Game, words: Words) -> ev.Moved:
    """A typed move. The words required depend on the verb alone (S-6)."""
    want(len(rest) >= 2, verb, words)
    square, who = square_of(rest[0], game, words), rest[1].lower()
    if who not in OTHERS or verb in HEROES_ONLY:
        who = seat_of(rest[1], game, words)
    typed = [word.lower() for word in rest[2:]]
    speed = _speed(typed, verb, words) if verb == "enter" else None
    added = tuple(word for word in typed if not word.isdecimal())
    numbers = tuple(int(word) for word in typed if word.isascii() and word.isdecimal() and len(word) < 4)
    wanted = NUMBERS[verb]
    want(len(numbers) == len(wanted) and len(added) + len(wanted) == len(typed), verb, words)
    want(set(added) <= set(ADDED[verb]), verb, words)
    for number, allowed in zip(numbers, wanted, strict=True):
        if number not in allowed:
            told = words(N_("This number must be {low} to {high}."))
            raise RefusedError(told.format(low=allowed[0], high=allowed[-1]))
    once = tuple(dict.fromkeys(added))
    return ev.Moved(square=square.label, verb=verb, who=who, added=once, numbers=numbers, speed=speed)


def _speed(typed: list[str], verb: str, words: Words) -> int | None:
    """The points left: removes `speed N` from the line."""
    if "speed" not in typed:
        return None
    at = typed.index("speed")
    number = typed[at + 1] if at + 1 < len(typed) else ""
    want(number.isascii() and number.isdecimal() and len(number) < 4, verb, words)
    del typed[at : at + 2]
    return int(number)


def _trigger(rest: list[str], game: Game, words: Words) -> ev.AnyEvent:
    causes: dict[str, ev.Cause] = {
        "entered": "entered",
        "diagonal": "diagonal",
        "shockwave": "shockwave",
        "other": "other",
    }
    want(2 <= len(rest) <= 3 and (len(rest) == 2 or rest[2].lower() in causes), "trigger", words)
    square, seat = square_of(rest[0], game, words), seat_of(rest[1], game, words)
    if (busy := in_a_turn(square, seat, game)) is not None:
        raise RefusedError(busy.text(words))
    cause = causes[rest[2].lower()] if len(rest) == 3 else "entered"
    return ev.Triggered(seat=seat, square=square.label, cause=cause)


def _disarm(rest: list[str], game: Game, words: Words) -> ev.AnyEvent:
    ways: dict[str, ev.Way] = {"quick": "quick", "slow": "slow"}
    want(len(rest) >= 6 and rest[2].lower() in ways, "disarm", words)
    square, seat = square_of(rest[0], game, words), seat_of(rest[1], game, words)
    dice = [die_of(word, words) for word in rest[3:6]]
    added = [word.lower() for word in rest[6:]]
    speed = _speed(added, "disarm", words)
    abilities = tuple(ability for ability in MAY_HELP if ability in added)
    want(len(abilities) == len(added), "disarm", words)
    return ev.DisarmTried(
        seat=seat,
        square=square.label,
        way=ways[rest[2].lower()],
        dice=(dice[0], dice[1]),
        plus_die=dice[2],
        abilities=abilities,
        speed=speed,
    )


MAY_HELP: Final[tuple[Ability, ...]] = ("stealth", "nimble", "sneak", "dodge")
"""Abilities that may add to a disarm roll (T-DIS-9)."""


def _jaws(rest: list[str], game: Game, words: Words) -> ev.AnyEvent:
    want(len(rest) == 2 and rest[1].lower() in ("harmed", "unharmed"), "jaws", words)
    return ev.JawsAnswered(square=square_of(rest[0], game, words).label, harmed=rest[1].lower() == "harmed")


def _end(rest: list[str], game: Game, words: Words) -> ev.AnyEvent:
    want(len(rest) == 0, "end", words)
    return ev.Ended()


def _home(rest: list[str], game: Game, words: Words) -> ev.AnyEvent:
    want(len(rest) == 1, "home", words)
    square = square_of(rest[0], game, words)
    if square.absolute:
        told = words(N_("{square} always knows its position; only a dial that counts steps is homed."))
        raise RefusedError(told.format(square=square.label))
    if game.claim_on(square.label) is not None:
        told = words(N_("{square} is in the middle of a turn; drop that claim first."))
        raise RefusedError(told.format(square=square.label))
    return ev.Homed(square=square.label)


def _accept(rest: list[str], game: Game, words: Words) -> ev.AnyEvent:
    want(len(rest) == 1, "accept", words)
    return ev.DialNoted(square=square_of(rest[0], game, words).label, condition="tile accepted")


_ORDERS: Final[dict[str, Callable[[list[str], Game, Words], ev.AnyEvent]]] = {
    "claim": _claim,
    "drop": _drop,
    "rolled": _rolled,
    "expose": _expose,
    "trigger": _trigger,
    "disarm": _disarm,
    "jaws": _jaws,
    "share": _share,
    "home": _home,
    "accept": _accept,
    "end": _end,
}
