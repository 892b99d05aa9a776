"""The commands for experience, chests and conversions: `xp`, `kill`, `chest`, `ledger`, `convert`. Parsed here, decided
in `pi_app.game.experience` and `pi_app.game.conversion`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from pi_app.game import conversion
from pi_app.game import events as ev
from pi_app.game.conversion import MOST_FIGURES, MOST_NAME_BYTES, Conversion, SpawnFigure
from pi_app.game.experience import COUNTS, MEANS, TRIGGER_XP, Means, Prey
from pi_app.game.note import Note
from pi_app.game.state import Game, Phase
from pi_app.play.commands.figures import hero_of
from pi_app.play.commands.moves import DISARM_DICE
from pi_app.play.commands.words import Convert, Order, RefusedError, Reply, die_of, seat_of, want
from pi_app.text.language import N_, Words
from pi_app.text.lengths import text_bytes
from pi_app.text.suggest import hint
from pi_app.text.table_words import in_language

MEANS_WORDS: Final[dict[str, Means]] = {
    "attack": "attack",
    "pole_arm": "pole_arm",
    "venom": "venom",
    "poison": "venom",
    "retaliation": "retaliation",
    "ram": "ram",
    "trap": "trap",
    "critical_miss": "critical_miss",
    "chest": "chest",
    "artifact": "artifact",
}
_PREY: Final[dict[str, Prey]] = {"spawn": "spawn", "figure": "figure"}


def xp(rest: list[str], game: Game, words: Words) -> ev.Earned:
    """`xp ann 25 kill poison`, `xp ann chest 116`, `xp ann correction -5`."""
    want(len(rest) >= 3, "xp", words)
    seat = seat_of(rest[0], game, words)
    deed = rest[1].lower()
    if deed == "chest":
        want(len(rest) == 3, "xp", words)
        number = _chest(rest[2], game, words)
        if (seat, number) not in game.rulings.owed:
            told = words(N_("{name} has not set off chest {chest}, or has its experience already (R-XP-3)."))
            raise RefusedError(told.format(name=game.seats[seat].name, chest=number))
        return ev.Earned(seat=seat, xp=TRIGGER_XP, deed="chest", chest=number)
    if deed == "correction":
        want(len(rest) == 3, "xp", words)
        return ev.Earned(seat=seat, xp=_number(rest[2], words, negative=True), deed="correction")
    rest = [word for word in rest if word.lower() != "kill"]
    want(len(rest) == 3, "xp", words)
    return ev.Earned(seat=seat, xp=_number(rest[1], words), deed="kill", means=_means(rest[2], words))


def kill(rest: list[str], game: Game, words: Words) -> ev.Earned:
    """`kill ben spawn by trap`, `kill ann figure by ram 30`."""
    good = 4 <= len(rest) <= 5 and rest[1].lower() in _PREY and rest[2].lower() == "by"
    want(good, "kill", words)
    seat, means = seat_of(rest[0], game, words), _means(rest[3], words)
    if means in COUNTS and len(rest) == 4:
        raise RefusedError(words(N_("That kill counts (R-XP-1): add the experience after the means.")))
    gained = _number(rest[4], words) if len(rest) == 5 else 0
    return ev.Earned(seat=seat, xp=gained, deed="kill", means=means, prey=_PREY[rest[1].lower()])


def chest(rest: list[str], game: Game, words: Words, thrown: tuple[int, ...] | None = None) -> ev.ChestTried:
    """`chest 116 aria quick 3 4 2`, `chest 116 aria slow roll`."""
    ways: dict[str, ev.Way] = {"quick": "quick", "slow": "slow"}
    want(len(rest) >= 3 and rest[2].lower() in ways, "chest", words)
    number, (figure, seat) = _chest(rest[0], game, words), hero_of(rest[1], game, words)
    if game.rulings.chests[number].disarmed_by is not None:
        raise RefusedError(words(N_("Chest {chest} is already disarmed (T-DIS-5).")).format(chest=number))
    count, typed = chest_dice(number, game), [word.lower() for word in rest[3:]]
    dice = (thrown or (1,) * count) if typed == ["roll"] else tuple(die_of(word, words) for word in typed)
    if len(dice) != count:
        line = " ".join(("chest", str(number), figure, rest[2].lower(), *("DIE" for _ in range(count))))
        told = Note(
            N_("Chest {chest} needs {dice} now. Type: {line}"),
            {"chest": number},
            {"dice": DISARM_DICE[count]},
            {"line": line},
        )
        raise RefusedError(told.text(words))
    return ev.ChestTried(
        seat=seat,
        chest=number,
        way=ways[rest[2].lower()],
        dice=(dice[0], dice[1]),
        plus_die=dice[2] if count == 3 else 0,
        figure="" if figure == seat else figure,
    )


def chest_dice(number: int, game: Game) -> int:
    """How many dice an attempt at a chest needs: the third fixes an open number at the first attempt. It is rolled even
    for a printed number, which is as secret as that of a square (T-DIS-6)."""
    return 3 if game.rulings.chests[number].attempts == 0 else 2


ORDERS: Final[dict[str, Callable[[list[str], Game, Words], ev.AnyEvent]]] = {"xp": xp, "kill": kill}


def ledger(game: Game, words: Words) -> Reply:
    """The experience gained, line by line in order."""
    entries = game.rulings.ledger
    if not entries:
        return Reply((words(N_("No experience has been gained yet.")),))
    return Reply(tuple(each.why.text(words) for each in entries))


def convert(rest: list[str], game: Game, words: Words) -> Convert | Order:
    """`convert 3 120`, `convert 3 figures 120 points`, `convert 3 120 place 2`, `convert back Skeleton`."""
    if rest and rest[0].lower() == "back":
        want(len(rest) > 1, "convert", words)
        return _back(" ".join(rest[1:]), game, words)
    typed = [word.lower() for word in rest if word.lower() not in ("figure", "figures", "point", "points")]
    asked, chosen = typed[:2], typed[3:]
    want(typed[2:3] in ([], ["place"]) and len(chosen) < 2, "convert", words)
    good = len(asked) == 2 and all(_is_count(word) for word in (*asked, *chosen))
    want(good and 1 <= int(asked[0]) <= MOST_FIGURES and chosen != ["0"], "convert", words)
    place = int(chosen[0]) if chosen else 0
    return Convert(int(asked[0]), int(asked[1]), place if len(typed) > 2 else None)


def _is_count(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) <= 4


def _back(asked: str, game: Game, words: Words) -> Order:
    """One eliminated figure goes back into the pool."""
    _playing(game, words)
    standing = sorted({*game.rulings.placed})
    if not standing:
        raise RefusedError(words(N_("No figure of the Mage Spawn pool stands on the table.")))
    name = next((each for each in standing if _plain(each) == _plain(asked)), None)
    if name is None:
        told = words(N_("No figure '{word}' of the Mage Spawn pool stands on the table; {guess}"))
        raise RefusedError(told.format(word=asked[:40], guess=hint(asked, standing, words)))
    return Order(ev.Converted(figures=(name,), back=True))


def _plain(name: str) -> str:
    """Without capitals and double blanks."""
    return " ".join(name.casefold().split())


def _playing(game: Game, words: Words) -> None:
    if game.phase is not Phase.PLAYING:
        raise RefusedError(words(N_("No game is on. Type 'new' to begin one.")))


MOST_LISTED: Final = 12


def converted(asked: Convert, pool: Sequence[SpawnFigure], game: Game, words: Words) -> Order | Reply:
    """The conversion in this pool without the figures that stand on the table (R-WMT-4): its equal choices, or the
    event that places one."""
    left = conversion.without(pool, game.rulings.placed)
    if pool and not left:
        return Reply((words(N_("Nothing can be placed (R-WMT-4): every figure of the pool stands on the table.")),))
    found = conversion.convert(left, asked.figures, asked.points)
    if asked.place is None or not found.figures:
        return Reply((*choices(found, pool, words), *_standing(game, words)))
    _playing(game, words)
    if asked.place == 0 and len(found.choices) > 1:
        told = words(N_("Which one? The opponent chooses, 1 to {most} (R-WMT-4). Type, for example: {line}"))
        line = in_language(f"convert {asked.figures} {asked.points} place 1", words)
        raise RefusedError(told.format(most=len(found.choices), line=line))
    if asked.place > len(found.choices):
        told = words(N_("There is no choice {number}; the last one is {most}."))
        raise RefusedError(told.format(number=asked.place, most=len(found.choices)))
    figures = found.choices[max(asked.place, 1) - 1]
    if sum(map(text_bytes, figures)) > MOST_NAME_BYTES:
        raise RefusedError(words(N_("These names are too long for one entry of the record; shorten them in the pool.")))
    return Order(ev.Converted(figures=figures))


def choices(found: Conversion, pool: Sequence[SpawnFigure], words: Words, most: int = MOST_LISTED) -> tuple[str, ...]:
    """A conversion in words, with at `most` so many equal choices (R-WMT-4)."""
    if not pool:
        return (words(N_("This table has no Mage Spawn pool: name one with `spawn` in [table] of its settings.")),)
    if not found.figures:
        return (words(N_("Nothing can be placed (R-WMT-4): no figure of this pool costs so little.")),)
    told = words(N_("Figures: {figures}, points: {points} (R-WMT-4).")).format(
        figures=found.figures, points=found.points
    )
    chosen = () if len(found.choices) < 2 else (words(N_("The opponent chooses one of these:")),)
    listed = tuple(f"  {number}: {', '.join(choice)}" for number, choice in enumerate(found.choices[:most], 1))
    more = (words(N_("  and more")),) if found.cut or len(found.choices) > most else ()
    return (told, *chosen, *listed, *more)


def _standing(game: Game, words: Words) -> tuple[str, ...]:
    """The figures of the pool that stand on the table."""
    if not game.rulings.placed:
        return ()
    told = words(N_("On the table, so not in the pool: {names}."))
    return (told.format(names=", ".join(sorted(game.rulings.placed))),)


def _number(word: str, words: Words, *, negative: bool = False) -> int:
    digits = word.removeprefix("-") if negative else word
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 3):
        raise RefusedError(words(N_("Experience is a whole number up to 999, not '{word}'.")).format(word=word[:20]))
    return int(word)


def _means(word: str, words: Words) -> Means:
    if word.lower() in MEANS_WORDS:
        return MEANS_WORDS[word.lower()]
    told = words(N_("'{word}' is no means of killing here; {guess}"))
    raise RefusedError(told.format(word=word[:20], guess=hint(word, list(MEANS), words)))


def _chest(word: str, game: Game, words: Words) -> int:
    if word.isascii() and word.isdigit() and len(word) <= 3 and int(word) in game.rulings.chests:
        return int(word)
    told = words(N_("This game has no chest '{word}'; the settings name the file that lists its chests."))
    raise RefusedError(told.format(word=word[:20]))
