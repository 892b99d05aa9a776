"""The table's command line: words typed at the table, as values. It parses and refuses; it decides nothing.

A refusal may be read by everyone, so it depends only on what everyone knows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from pi_app import events as ev
from pi_app import rules, suggest
from pi_app.displays.words import N_
from pi_app.game import Game, Phase, Square
from pi_app.rules import SquareState
from pi_app.tables import Trap

Words = Callable[[str], str]


class RefusedError(Exception):
    """The table's word cannot be carried out; the message says why, with the rule, and changes nothing."""


@dataclass(frozen=True, slots=True)
class Order:
    """An event to record, as asked for at the table."""

    event: ev.AnyEvent


@dataclass(frozen=True, slots=True)
class Roll:
    """Roll a die for a seat, or show it again what was rolled."""

    seat: str


@dataclass(frozen=True, slots=True)
class Check:
    """Look whether every dial stands at its start mark (T-AUD-1)."""


@dataclass(frozen=True, slots=True)
class NewGame:
    """Begin another game on this table; the last one must have ended. `shuffle`: with tables dealt anew, as they are
    printed, or (None) as the settings say."""

    shuffle: bool | None = None


@dataclass(frozen=True, slots=True)
class Status:
    """Say everything again."""


@dataclass(frozen=True, slots=True)
class Help:
    """List the words."""


@dataclass(frozen=True, slots=True)
class Quit:
    """Leave. The game stays in the journal and can be resumed."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Sentences to read, in the table's language. Nothing changes."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Chance:
    """An event with something drawn in it: `made` takes what picks 0 to n-1."""

    made: Callable[[Callable[[int], int]], ev.AnyEvent]


@dataclass(frozen=True, slots=True)
class Convert:
    """Say which Mage Spawn a token or a chest for `figures` figures of `points` points becomes (R-WMT-4)."""

    figures: int
    points: int


Command = Order | Answer | Chance | Convert | Roll | Check | NewGame | Status | Help | Quit

USAGE: Final[Mapping[str, tuple[str, str]]] = {
    "claim": ("claim SEAT", N_("speak for a seat: the next dial that moves is its own to read")),
    "drop": ("drop SEAT", N_("take a seat's claim back")),
    "rolled": ("rolled SEAT N", N_("what its player rolled for this turn, 1 to 6; said again, it corrects")),
    "roll": ("roll SEAT", N_("the device rolls for a seat, and shows the number on its own screen")),
    "expose": ("expose SQUARE SEAT", N_("a second Hero exposes it too, or: that unclaimed turn was this seat's")),
    "trigger": ("trigger SQUARE SEAT [entered|diagonal|shockwave|other]", N_("a Hero sets a square off")),
    "disarm": ("disarm SQUARE SEAT quick|slow DIE DIE DIE", N_("two dice, and always a third: it counts for N+")),
    "jaws": ("jaws SQUARE harmed|unharmed", N_("how the counterattack on the Jaws of Doom ended")),
    "xp": (
        "xp SEAT N MEANS | chest NUMBER | correction N",
        N_("experience for a kill, after a chest's trap, or put right"),
    ),
    "kill": ("kill SEAT spawn|figure by MEANS [N]", N_("who killed, and by what; a kill by a trap gives nothing")),
    "chest": ("chest NUMBER SEAT quick|slow DIE DIE DIE", N_("a Hero disarms a treasure chest; three dice")),
    "artifact": ("artifact LABEL SEAT [COLOUR]", N_("a Hero uses an artifact; its player draws a token")),
    "keep": ("keep SEAT", N_("its player keeps the token that was drawn")),
    "put": ("put SEAT", N_("the token goes back into its pile")),
    "refresh": ("refresh SEAT", N_("the token says so: all artifacts get their tokens again")),
    "activate": ("activate SEAT", N_("a Hero begins its activation and may use an artifact")),
    "fallen": ("fallen SEAT", N_("a figure is out; its ability from a token is lost")),
    "artifacts": ("artifacts", N_("how many tokens lie where")),
    "convert": ("convert FIGURES POINTS", N_("which Mage Spawn a token or a chest becomes")),
    "ledger": ("ledger", N_("who gained what, and why")),
    "rule": ("rule ID", N_("what the rulings say, such as: rule R-XP-2")),
    "home": ("home SQUARE", N_("a dial that only counts steps stands at its start mark now")),
    "check": ("check", N_("do all dials stand at their start marks?")),
    "status": ("status", N_("say everything again")),
    "end": ("end", N_("the game is over")),
    "new": ("new [shuffle|printed]", N_("begin another game; with trap tables dealt anew, or as printed")),
    "help": ("help", N_("this list")),
    "quit": ("quit", N_("leave; the game can be resumed")),
}


def parse(line: str, game: Game, words: Words) -> Command:
    """What a line asks for. Raises RefusedError with one sentence for anything that cannot be done."""
    from pi_app import artifact_words, ruling_words  # it speaks with the words of this file

    verb, *rest = line.split()[:12] or [""]
    verb = verb.lower()
    plain: dict[str, Command] = {"check": Check(), "status": Status(), "help": Help(), "quit": Quit()}
    if verb in plain:
        _want(len(rest) == 0, verb, words)
        return plain[verb]
    if verb == "new":
        how = {(): None, ("shuffle",): True, ("printed",): False}
        asked = tuple(word.lower() for word in rest)
        _want(asked in how, verb, words)
        return NewGame(how[asked])
    if verb not in USAGE:
        hint = suggest.hint(verb, USAGE, words)
        raise RefusedError(words(N_("There is no word '{verb}' here; {guess}")).format(verb=verb[:20], guess=hint))
    if verb == "rule":
        return ruling_words.answer(rest, words)
    if verb == "convert":
        return ruling_words.convert(rest, words)
    if game.phase is not Phase.PLAYING:
        raise RefusedError(words(N_("No game is on. Say 'new' to begin one.")))
    if verb == "roll":
        return _roll(rest, game, words)
    if verb in artifact_words.CHANCES:
        return Chance(artifact_words.CHANCES[verb](rest, game, words))
    if verb == "artifacts":
        return artifact_words.listed(rest, game, words)
    if verb == "ledger":
        return ruling_words.ledger(game, words)
    return Order({**_ORDERS, **ruling_words.ORDERS, **artifact_words.ORDERS}[verb](rest, game, words))


def _want(good: bool, verb: str, words: Words) -> None:
    if not good:
        raise RefusedError(words(N_("Say it like this: {usage}")).format(usage=USAGE[verb][0]))


def _claim(rest: list[str], game: Game, words: Words) -> ev.AnyEvent:
    _want(len(rest) == 1, "claim", words)
    seat = _seat(rest[0], game, words)
    if (reason := claim_refused(game, seat, words)) is not None:
        raise RefusedError(reason)
    return ev.Claimed(seat=seat, grade="table")


def claim_refused(game: Game, seat: str, words: Words) -> str | None:
    """Why this seat cannot claim now, or None if it can. Only one claim may wait for a dial: with two, one
    player could be told what another turned (S-2)."""
    if game.claim_of(seat) is not None:
        return words(N_("{name} has a claim already.")).format(name=game.seats[seat].name)
    if (waiting := game.open_claim) is not None:
        told = words(N_("{name} has claimed and not turned yet; wait for that, or say: drop {seat}"))
        return told.format(name=game.seats[waiting.seat].name, seat=waiting.seat)
    return None


def _drop(rest: list[str], game: Game, words: Words) -> ev.AnyEvent:
    _want(len(rest) == 1, "drop", words)
    seat = _seat(rest[0], game, words)
    if game.claim_of(seat) is None:
        raise RefusedError(words(N_("{name} has no claim.")).format(name=game.seats[seat].name))
    return ev.ClaimDropped(seat=seat, why="taken back")


def _rolled(rest: list[str], game: Game, words: Words) -> ev.AnyEvent:
    _want(len(rest) == 2, "rolled", words)
    seat, die = _seat(rest[0], game, words), _die(rest[1], words)
    claim, hand = game.claim_of(seat), game.hand_of(seat)
    if hand is None or (claim is None and hand.square is None):
        told = words(N_("{name} has no turn in hand; claim first."))
        raise RefusedError(told.format(name=game.seats[seat].name))
    if hand.how == "device":
        told = words(N_("The device has rolled for {name}, and that stands."))
        raise RefusedError(told.format(name=game.seats[seat].name))
    square = hand.square if claim is None else claim.square
    return ev.Rolled(seat=seat, square=square, die=die, how="said", grade="table")


def _roll(rest: list[str], game: Game, words: Words) -> Roll:
    _want(len(rest) == 1, "roll", words)
    seat = _seat(rest[0], game, words)
    hand = game.hand_of(seat)
    if hand is None or game.claim_of(seat) is None:
        raise RefusedError(words(N_("{name} has no claim.")).format(name=game.seats[seat].name))
    if hand.how == "said":
        told = words(N_("What {name} rolled is known; to correct it say: rolled {seat} N"))
        raise RefusedError(told.format(name=game.seats[seat].name, seat=seat))
    return Roll(seat)


def _expose(rest: list[str], game: Game, words: Words) -> ev.AnyEvent:
    _want(len(rest) == 2, "expose", words)
    square, seat = _square(rest[0], game, words), _seat(rest[1], game, words)
    if square.state is SquareState.CONCEALED and not square.unclaimed_turn:
        raise RefusedError(
            words(N_("{square} is concealed: claim, roll one die and turn its dial (T-EXP-4).")).format(
                square=square.label
            )
        )
    if square.state not in (SquareState.CONCEALED, SquareState.EXPOSED):
        raise RefusedError(
            words(N_("{square} is open to everyone already (T-TRG-9) or disarmed.")).format(square=square.label)
        )
    if square.state is SquareState.CONCEALED and not square.homed:
        told = words(N_("{square} counts steps and is not homed; turn it to its start mark and say: home {square}"))
        raise RefusedError(told.format(square=square.label))
    if square.state is SquareState.CONCEALED and square.stands is None:
        raise RefusedError(
            words(N_("{square} rests between two clicks; seat its dial first.")).format(square=square.label)
        )
    if seat in square.readers:
        raise RefusedError(
            words(N_("{name} has exposed {square} already; hold the button to look again (T-EXP-10).")).format(
                name=game.seats[seat].name, square=square.label
            )
        )
    if square.state is SquareState.EXPOSED and game.ruleset.reexpose == "forbid":
        raise RefusedError(words(N_("This table lets only one player expose a square (switch reexpose, T-EXP-11).")))
    return ev.Exposed(seat=seat, square=square.label, grade="table")


def _trigger(rest: list[str], game: Game, words: Words) -> ev.AnyEvent:
    causes: dict[str, ev.Cause] = {
        "entered": "entered",
        "diagonal": "diagonal",
        "shockwave": "shockwave",
        "other": "other",
    }
    _want(2 <= len(rest) <= 3 and (len(rest) == 2 or rest[2].lower() in causes), "trigger", words)
    square, seat = _square(rest[0], game, words), _seat(rest[1], game, words)
    if square.state is SquareState.DISARMED:
        raise RefusedError(words(N_("{square} is disarmed; nothing goes off (T-DIS-5).")).format(square=square.label))
    if square.state is SquareState.CLEAR_PUBLIC:
        raise RefusedError(words(N_("{square} is clear; nothing goes off (T-EXP-7).")).format(square=square.label))
    if square.state is SquareState.CONCEALED and not square.unclaimed_turn:
        _may_roll(square, seat, game, words)
    cause = causes[rest[2].lower()] if len(rest) == 3 else "entered"
    return ev.Triggered(seat=seat, square=square.label, cause=cause)


def _may_roll(square: Square, seat: str, game: Game, words: Words) -> None:
    """A trigger of a concealed square needs its dial and this seat's button free."""
    if game.claim_on(square.label) is not None or game.claim_of(seat) is not None:
        told = words(N_("{name} or {square} is in the middle of a turn; finish that first."))
        raise RefusedError(told.format(name=game.seats[seat].name, square=square.label))


def _disarm(rest: list[str], game: Game, words: Words) -> ev.AnyEvent:
    ways: dict[str, ev.Way] = {"quick": "quick", "slow": "slow"}
    _want(len(rest) == 6 and rest[2].lower() in ways, "disarm", words)
    square, seat = _square(rest[0], game, words), _seat(rest[1], game, words)
    dice = [_die(word, words) for word in rest[3:]]
    if (reason := _disarm_refused(square, seat, game, words)) is not None:
        raise RefusedError(reason)
    way = ways[rest[2].lower()]
    return ev.DisarmTried(seat=seat, square=square.label, way=way, dice=(dice[0], dice[1]), plus_die=dice[2])


def _disarm_refused(square: Square, seat: str, game: Game, words: Words) -> str | None:
    """Why nobody, or not this seat, can try to disarm this square now. Depends on public facts only: a player who
    exposed a clear square may still try, and so bluff (S-5, S-6)."""
    told: str | None = None
    if square.state is SquareState.CONCEALED:
        told = N_("{square} is concealed: expose it first, that costs nothing (T-DIS-10).")
    elif square.state is SquareState.EXPOSED and seat not in square.readers:
        told = N_("{name} has not exposed {square}: expose it first, that costs nothing (T-DIS-10).")
    elif square.state is SquareState.DISARMED:
        told = N_("{square} is disarmed already (T-DIS-5).")
    elif square.state is SquareState.CLEAR_PUBLIC:
        told = N_("{square} is clear: there is nothing to disarm (T-EXP-7).")
    elif square.state is SquareState.TRIGGERED and square.trap not in rules.DISARM_AFTER_TRIGGER:
        told = N_(
            "{square} cannot be disarmed after it went off (the Weight falls once, E-WGT-3; "
            "the Jaws must withdraw first, E-JAW-5)."
        )
    return None if told is None else words(told).format(square=square.label, name=game.seats[seat].name)


def _jaws(rest: list[str], game: Game, words: Words) -> ev.AnyEvent:
    _want(len(rest) == 2 and rest[1].lower() in ("harmed", "unharmed"), "jaws", words)
    square = _square(rest[0], game, words)
    if square.state is not SquareState.TRIGGERED or square.trap is not Trap.JAWS_OF_DOOM:
        raise RefusedError(words(N_("{square} shows no Jaws of Doom now (E-JAW-4).")).format(square=square.label))
    return ev.JawsAnswered(square=square.label, harmed=rest[1].lower() == "harmed")


def _end(rest: list[str], game: Game, words: Words) -> ev.AnyEvent:
    _want(len(rest) == 0, "end", words)
    return ev.Ended()


def _home(rest: list[str], game: Game, words: Words) -> ev.AnyEvent:
    _want(len(rest) == 1, "home", words)
    square = _square(rest[0], game, words)
    if square.absolute:
        told = words(N_("{square} knows by itself where it stands; only a dial that counts steps is homed."))
        raise RefusedError(told.format(square=square.label))
    if game.claim_on(square.label) is not None:
        told = words(N_("{square} is in the middle of a turn; drop that claim first."))
        raise RefusedError(told.format(square=square.label))
    return ev.Homed(square=square.label)


_ORDERS: Final[dict[str, Callable[[list[str], Game, Words], ev.AnyEvent]]] = {
    "claim": _claim,
    "drop": _drop,
    "rolled": _rolled,
    "expose": _expose,
    "trigger": _trigger,
    "disarm": _disarm,
    "jaws": _jaws,
    "home": _home,
    "end": _end,
}


def _seat(word: str, game: Game, words: Words) -> str:
    for seat in game.seats.values():
        if word.casefold() in (seat.seat.casefold(), seat.name.casefold()):
            return seat.seat
    hint = suggest.hint(word, game.seats, words)
    raise RefusedError(words(N_("Nobody called '{word}' sits here; {guess}")).format(word=word[:20], guess=hint))


def _square(word: str, game: Game, words: Words) -> Square:
    for square in game.squares.values():
        if word.casefold() == square.label.casefold():
            return square
    hint = suggest.hint(word, game.squares, words)
    raise RefusedError(words(N_("There is no square '{word}'; {guess}")).format(word=word[:20], guess=hint))


def _die(word: str, words: Words) -> int:
    if word not in {str(face) for face in rules.DIE}:
        raise RefusedError(words(N_("A die shows 1 to 6, not '{word}'.")).format(word=word[:20]))
    return int(word)


want, seat_of, die_of = _want, _seat, _die
