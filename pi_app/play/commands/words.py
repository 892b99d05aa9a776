"""The grammar of the table's command line: the commands as values, how each line is written, and its common words.

Everyone may read a refusal, so it depends only on what everyone knows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from pi_app.game import events as ev
from pi_app.game import rules
from pi_app.game.state import Game, Square
from pi_app.text import suggest, table_words
from pi_app.text.language import N_, Words


class RefusedError(Exception):
    """A command that cannot be carried out; the message says why, with the rule."""


class Order(msgspec.Struct, frozen=True):
    """An event to record, the sentences to show once it is on disk, and the event that follows from it."""

    event: ev.AnyEvent
    notes: tuple[str, ...] = ()
    then: ev.AnyEvent | None = None


class Throw(msgspec.Struct, frozen=True):
    """Roll so many dice for a line with `roll`, and parse it again with them."""

    dice: int


class Roll(msgspec.Struct, frozen=True):
    """Roll a die for a seat, or show it its roll again."""

    seat: str


class ShowPhoneCode(msgspec.Struct, frozen=True):
    """Show the code for a phone on a seat's own screen."""

    seat: str


class CheckStarts(msgspec.Struct, frozen=True):
    """Check whether every dial is at its start mark (T-AUD-1)."""


class NewGame(msgspec.Struct, frozen=True):
    """Begin another game on this table, once the last one has ended. `shuffle`: with shuffled tables, as printed, or
    (None) by the settings."""

    shuffle: bool | None = None


class Status(msgspec.Struct, frozen=True):
    """Show everything again."""


class Help(msgspec.Struct, frozen=True):
    """List the commands."""


class Quit(msgspec.Struct, frozen=True):
    """Quit. The game stays in the journal and can be resumed."""


class Reply(msgspec.Struct, frozen=True):
    """Sentences in the table's language; the game does not change."""

    lines: tuple[str, ...]


class Chance(msgspec.Struct, frozen=True):
    """An event with a random draw: `made` takes a function from n to a number from 0 to n-1."""

    made: Callable[[Callable[[int], int]], ev.AnyEvent]


class Convert(msgspec.Struct, frozen=True):
    """List the Mage Spawn that a token or a chest for `figures` figures of `points` points becomes (R-WMT-4). `place`:
    place the choice of this number; 0: the only choice."""

    figures: int
    points: int
    place: int | None = None


Command = Order | Throw | Reply | Chance | Convert | Roll | ShowPhoneCode | CheckStarts | NewGame | Status | Help | Quit

USAGE: Final[Mapping[str, tuple[str, str]]] = {
    "claim": ("claim SEAT", N_("claim the next dial that moves for a seat")),
    "drop": ("drop SEAT", N_("take back a seat's claim")),
    "rolled": ("rolled SEAT N", N_("record a player's roll for this turn, 1 to 6; repeat it to correct it")),
    "roll": ("roll SEAT", N_("the device rolls for a seat and shows the number on that seat's screen")),
    "phone": ("phone SEAT", N_("show on a seat's screen the code with which a phone takes the seat")),
    "expose": ("expose SQUARE HERO", N_("a second Hero exposes it too, or an unclaimed turn was this seat's")),
    "trigger": ("trigger SQUARE WHO [entered|diagonal|shockwave|other]", N_("a figure sets a square off")),
    "pass": ("pass SQUARE HERO [SIDE SIDE] [nimble|flying] [carrying] [DIE]", N_("a Hero cuts the corner of a square")),
    "enter": (
        "enter SQUARE WHO [flying] [stops] [beside] [pay4] [toughness|invulnerability|dodge] [speed N] [DIE]",
        N_("a figure enters a square, or one beside it"),
    ),
    "hits": (
        "hits [SQUARE] [toughness|invulnerability|dodge] [DIE]",
        N_("the effect of a trap that has gone off, on the figure that set it off"),
    ),
    "start": (
        "start SQUARE WHO [movement] [toughness|invulnerability|dodge] [DIE]",
        N_("a turn or a movement starts on a square or beside it"),
    ),
    "shockwave": ("shockwave SQUARE HERO DIE DIE ATTACK", N_("a Shockwave at a square: two dice and the attack value")),
    "break": ("break SQUARE WHO DIE", N_("a figure breaks away from the Hand")),
    "disarm": (
        "disarm SQUARE WHO quick|slow DIE DIE [DIE] [speed N] [stealth] [nimble] [sneak] [dodge] [carrying|seen]",
        N_("a disarm attempt: two dice, and a third until everyone can read the number"),
    ),
    "share": ("share SQUARE SEAT", N_("show an exposed square to all, if this table allows it")),
    "jaws": ("jaws SQUARE harmed|unharmed", N_("how the counterattack on the Jaws of Doom ended")),
    "xp": (
        "xp SEAT N MEANS | chest NUMBER | correction N",
        N_("experience for a kill, after a chest's trap, or as a correction"),
    ),
    "kill": ("kill SEAT spawn|figure by MEANS [N]", N_("a kill, and its means; a kill by a trap gives no experience")),
    "chest": ("chest NUMBER HERO quick|slow DIE DIE [DIE]", N_("a Hero disarms a treasure chest")),
    "artifact": ("artifact LABEL HERO [COLOUR]", N_("a Hero uses an artifact; its player draws a token")),
    "keep": ("keep HERO", N_("a Hero keeps the token drawn")),
    "put": ("put HERO", N_("the token goes back into its pile")),
    "refresh": ("refresh HERO", N_("all artifacts get tokens again, because a token says so")),
    "activate": ("activate HERO", N_("a Hero begins its activation and may use an artifact")),
    "hero": ("hero [SEAT NAME [ABILITY] [speed N] [level N]]", N_("name a Hero and its abilities; alone: list them")),
    "fallen": ("fallen HERO", N_("a Hero is out of the game; its ability from a token is lost")),
    "undo": ("undo", N_("take back the last word typed at the table")),
    "artifacts": ("artifacts", N_("list the tokens under each artifact")),
    "convert": (
        "convert FIGURES POINTS [place [N]] | back NAME",
        N_("which Mage Spawn a token or a chest becomes; place it; give an eliminated one back"),
    ),
    "ledger": ("ledger", N_("list the experience gained, and why")),
    "rule": ("rule [ID|WORD]", N_("list the rulings, show one or search them: rule R-XP-2, rule chest")),
    "rules": ("rules", N_("list every rule switch and its value in this game")),
    "home": ("home SQUARE", N_("a dial that only counts steps is now at its start mark")),
    "accept": ("accept SQUARE", N_("the tile on this square's lead is the right one")),
    "check": ("check", N_("check whether every dial is at its start mark")),
    "status": ("status", N_("show everything again")),
    "end": ("end", N_("end the game")),
    "new": ("new [shuffle|printed]", N_("begin another game, with shuffled trap tables or as printed")),
    "help": ("help", N_("this list")),
    "quit": ("quit", N_("leave; the game can be resumed")),
}


def want(good: bool, verb: str, words: Words) -> None:
    if not good:
        raise RefusedError(words(N_("Usage: {usage}")).format(usage=table_words.in_language(USAGE[verb][0], words)))


def seat_of(word: str, game: Game, words: Words) -> str:
    for seat in game.seats.values():
        if word.casefold() in (seat.seat.casefold(), seat.name.casefold()):
            return seat.seat
    for name, hero in game.heroes.items():
        if word.casefold() == name.casefold():
            return hero.seat
    hint = suggest.hint(word, (*game.seats, *game.heroes), words)
    raise RefusedError(
        words(N_("There is no seat, player or Hero '{word}'; {guess}")).format(word=word[:20], guess=hint)
    )


def square_of(word: str, game: Game, words: Words) -> Square:
    for square in game.squares.values():
        if word.casefold() == square.label.casefold():
            return square
    hint = suggest.hint(word, game.squares, words)
    raise RefusedError(words(N_("There is no square '{word}'; {guess}")).format(word=word[:20], guess=hint))


def names(game: Game) -> frozenset[str]:
    """What players may have named, in small letters: never a word of the table's language."""
    seats = (name for seat in game.seats.values() for name in (seat.seat, seat.name))
    artifacts = game.artifacts.lies if game.artifacts is not None else ()
    placed = (word for figure in game.rulings.placed for word in figure.split())
    return frozenset(name.casefold() for name in (*seats, *game.heroes, *game.squares, *artifacts, *placed))


def die_of(word: str, words: Words) -> int:
    if word not in {str(face) for face in rules.DIE}:
        raise RefusedError(words(N_("A die shows 1 to 6, not '{word}'.")).format(word=word[:20]))
    return int(word)
