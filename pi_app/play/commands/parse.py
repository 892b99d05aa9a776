"""The table's command line: parse a line typed at the table into a command, or refuse it. It decides nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from pi_app.game import events as ev
from pi_app.game.dice import dice_of, disarm_dice
from pi_app.game.game import apply
from pi_app.game.moves import resolve
from pi_app.game.objections import objection
from pi_app.game.rules import SquareState
from pi_app.game.ruleset import rules_line, shown, switches
from pi_app.game.state import Game, Phase
from pi_app.play.commands import artifacts, experience, figures, moves, rulings
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
    ShowPhoneCode,
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

MOST_WORDS: Final = 24
"""Words of a line that are read; the longest that means something has fewer."""


def parse(line: str, game: Game, words: Words, thrown: tuple[int, ...] | None = None) -> Command:
    """The command of a line; `thrown` are the dice that the device rolled for it. Raises RefusedError with one sentence
    for anything that cannot be done."""
    verb, *rest = table_words.in_english(line, words, names(game)).split()[:MOST_WORDS] or [""]
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
        return rulings.rule(rest, game, words)
    if verb == "convert":
        return experience.convert(rest, game, words)
    if game.phase is not Phase.PLAYING:
        raise RefusedError(words(N_("No game is on. Type 'new' to begin one.")))
    if verb == "roll":
        return _roll(rest, game, words)
    if verb == "phone":
        want(len(rest) == 1, verb, words)
        return ShowPhoneCode(seat_of(rest[0], game, words))
    if verb == "hero" and isinstance(listed := figures.hero(rest, game, words), Reply):
        return listed
    if verb in artifacts.CHANCES:
        return Chance(artifacts.CHANCES[verb](rest, game, words))
    if verb == "artifacts":
        return artifacts.listed(rest, game, words)
    if verb == "ledger":
        return experience.ledger(game, words)
    if verb == "rules":
        want(len(rest) == 0, verb, words)
        return Reply((rules_line(game.ruleset, words), *_switch_lines(game.ruleset)))
    return _typed(verb, rest, game, words, thrown)


def _switch_lines(rules: ev.Ruleset) -> tuple[str, ...]:
    return tuple(f"{name} = {shown(value)}" for name, value in switches(rules))


ANYWAY: Final = "anyway"
HAPPENS_ANYWAY: Final = frozenset({*moves.VERBS, "trigger", "disarm", "expose", "jaws"} - {"hits"})
"""Verbs that are recorded against the rules if the line ends in `anyway`. An effect that belongs to no move did not
happen."""

ROLLED: Final = frozenset({*moves.VERBS, "disarm", "chest"})
"""Verbs in which `roll` may stand for the dice."""


def _typed(verb: str, rest: list[str], game: Game, words: Words, thrown: tuple[int, ...] | None) -> Order | Throw:
    """A typed event, or the dice that the device rolls for it first. Raises RefusedError if it is against the rules and
    the line does not end in `anyway`; that is decided before the roll."""
    anyway = verb in HAPPENS_ANYWAY and bool(rest) and rest[-1].lower() == ANYWAY
    rest = rest[:-1] if anyway else rest
    rolled = verb in ROLLED and moves.ROLL in [word.lower() for word in rest]
    event = _event(verb, rest, game, words, thrown)
    notes: list[str] = []
    if rolled and isinstance(event, ev.Moved | ev.DisarmTried | ev.ChestTried):
        event = replace(event, how="device")
        notes.append(_rolled_note(event, game, words))
    found = objection(game, event) if verb in HAPPENS_ANYWAY or verb == "hits" else None
    if found is not None and not anyway:
        raise RefusedError(found.refusal.text(words))
    if found is not None and isinstance(event, ev.Moved | ev.Triggered | ev.DisarmTried | ev.Exposed | ev.JawsAnswered):
        event = replace(event, anyway=True)
        notes.append(words(N_("Recorded as it happened, against {rule}.")).format(rule=found.rule))
    then: ev.AnyEvent | None = None
    if isinstance(event, ev.HeroNamed):
        notes.append(figures.heroes_line(event.seat, apply(game, event), words))
    if isinstance(event, ev.DisarmTried) and found is None:
        moves.check_dice(event, game, words)
    if isinstance(event, ev.Moved):
        if (refused := resolve(moves.with_any_dice(event, game), game).refused) is not None:
            raise RefusedError(refused.text(words))
        if found is None or dice_of(event, game):
            moves.check_numbers(event, game, words)
        answered = resolve(event, game)
        notes += [note.text(words) for note in answered.notes]
        then = answered.event
    return Throw(_dice_count(event, game)) if rolled and thrown is None else Order(event, tuple(notes), then)


def _event(verb: str, rest: list[str], game: Game, words: Words, thrown: tuple[int, ...] | None) -> ev.AnyEvent:
    match verb:
        case "disarm":
            return moves.disarm(rest, game, words, thrown)
        case "chest":
            return experience.chest(rest, game, words, thrown)
        case _ if verb in moves.VERBS:
            return moves.moved(moves.VERBS[verb], rest, game, words, thrown)
        case _:
            orders = {**_ORDERS, **experience.ORDERS, **artifacts.ORDERS}
            return orders[verb](rest, game, words)


def _dice_count(event: ev.AnyEvent, game: Game) -> int:
    if isinstance(event, ev.Moved):
        return len(dice_of(event, game))
    if isinstance(event, ev.ChestTried):
        return experience.chest_dice(event.chest, game)
    return disarm_dice(game.squares[event.square], game) if isinstance(event, ev.DisarmTried) else 0


def _rolled_note(event: ev.Moved | ev.DisarmTried | ev.ChestTried, game: Game, words: Words) -> str:
    """The dice that everybody reads: not the third one of a disarm (T-DIS-14)."""
    if isinstance(event, ev.ChestTried):
        told = words(N_("The device rolled {dice} for chest {chest}."))
        return told.format(dice=", ".join(map(str, event.dice)), chest=event.chest)
    dice = event.numbers[: len(dice_of(event, game))] if isinstance(event, ev.Moved) else event.dice
    told = words(N_("The device rolled {dice} for {square}."))
    return told.format(dice=", ".join(map(str, dice)), square=event.square)


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


def _jaws(rest: list[str], game: Game, words: Words) -> ev.AnyEvent:
    want(len(rest) == 2 and rest[1].lower() in ("harmed", "unharmed"), "jaws", words)
    return ev.JawsAnswered(square=square_of(rest[0], game, words).label, harmed=rest[1].lower() == "harmed")


def _hero(rest: list[str], game: Game, words: Words) -> ev.AnyEvent:
    named = figures.hero(rest, game, words)
    if isinstance(named, Reply):
        raise RefusedError(words(N_("Usage: {usage}")).format(usage=USAGE["hero"][0]))
    return named


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
    "expose": moves.expose,
    "trigger": moves.trigger,
    "jaws": _jaws,
    "share": _share,
    "hero": _hero,
    "fallen": figures.fallen,
    "undo": figures.undo,
    "home": _home,
    "accept": _accept,
    "end": _end,
}
