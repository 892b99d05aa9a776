"""A line in the table's language is the command that it is in English, or is refused for the same reason."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping

import pytest

from pi_app.game.state import Game
from pi_app.play.commands.parse import parse
from pi_app.play.commands.words import USAGE, Chance, RefusedError, names
from pi_app.text.language import Words, words
from pi_app.text.languages import LANGUAGES
from pi_app.text.table_words import PLACEHOLDERS, in_english, in_language
from tests.everyday import first
from tests.pi_app.games import exposes, played, started

GAME = played(started(), *exposes("T01", 3, "ANN")).game
FILLED = {
    "SEAT": "ann",
    "HERO": "ann",
    "NAME": "Aria",
    "ABILITY": "nimble",
    "WORD": "116",
    "SQUARE": "T01",
    "WHO": "Ben",
    "DIE": "3",
    "ATTACK": "8",
    "N": "4",
    "SIDE": "n",
    "NUMBER": "116",
    "MEANS": "venom",
    "LABEL": "statue",
    "COLOUR": "blue",
    "FIGURES": "3",
    "POINTS": "120",
    "ID": "R-XP-2",
}


def choices(usage: str) -> Iterator[str]:
    """Every line that a usage line allows, its placeholders still in it; with `roll` for the dice and `anyway` too."""
    first, *more = usage.split(" | ")
    start = re.match(r"\w+( SEAT)?", first)
    assert start is not None
    for way in (first, *(f"{start[0]} {each}" for each in more)):
        yield from dict.fromkeys(" ".join(line.split()) for line in _chosen(way))


def _chosen(way: str) -> Iterator[str]:
    inner = re.search(r"\[([^][]*)\]", way)
    if inner is None:
        yield from map(" ".join, itertools.product(*(part.split("|") for part in way.split())))
        return
    for each in ("", *inner[1].split("|")):
        yield from _chosen(way[: inner.start()] + each + way[inner.end() :])


def lines(verb: str) -> Iterator[str]:
    for line in choices(USAGE[verb][0]):
        yield line
    if "SQUARE" in line:
        yield re.sub(r"( DIE)+", " roll", line)
        yield f"{line} anyway"


def filled(line: str, named: Mapping[str, str], speak: Words) -> str:
    """`named`: how the language calls each placeholder. The sides, colours and means are words of the table too."""
    back = {shown: word for word, shown in named.items()}
    values = {word: in_language(f"help {value}", speak).split()[1] for word, value in FILLED.items()}
    return " ".join(values.get(back.get(word, ""), word) for word in line.split())


def understood(line: str, game: Game, speak: Words) -> object:
    """The command, or the sentence that refuses it."""
    try:
        command = parse(line, game, speak)
    except RefusedError as refused:
        return str(refused)
    return Chance if isinstance(command, Chance) else command


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("verb", first(10, USAGE))
def test_a_usage_line_is_the_same_command_in_every_language(verb: str, language: str) -> None:
    speak = words(language)
    shown = {word: in_language(f"help {word}", speak).split()[1] for word in PLACEHOLDERS}
    for line in lines(verb):
        english = filled(line, {word: word for word in PLACEHOLDERS}, str)
        own = filled(in_language(line, speak), shown, speak)
        assert in_english(own, speak, names(GAME)) == english
        assert understood(own, GAME, speak) == understood(english, GAME, speak)


def test_the_lines_are_those_of_the_usage() -> None:
    assert [*choices("xp SEAT N MEANS | chest NUMBER | correction N")] == [
        "xp SEAT N MEANS",
        "xp SEAT chest NUMBER",
        "xp SEAT correction N",
    ]
    assert [*choices("new [shuffle|printed]")] == ["new", "new shuffle", "new printed"]
    assert len([*choices(USAGE["enter"][0])]) == 2**4 * 4 * 2 * 2
    assert [*choices("hero [SEAT NAME [level N]]")] == ["hero", "hero SEAT NAME", "hero SEAT NAME level N"]
    taken = [understood(filled(line, {w: w for w in PLACEHOLDERS}, str), GAME, str) for v in USAGE for line in lines(v)]
    assert sum(not isinstance(each, str) for each in taken) > 150


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("entschärfen T01", "So geht es: entschärfen FELD WER schnell|langsam WÜRFEL WÜRFEL [WÜRFEL] "
         "[tempo N] [tarnung] [leichtfüßig] [überraschung] [ausweichen] [tragend|gesehen]"),
        ("maul T01 kaputt", "So geht es: maul FELD verletzt|unverletzt"),
        ("jaws T01", "So geht es: maul FELD verletzt|unverletzt"),
        ("entscherfen T01", "Den Befehl „entscherfen“ gibt es nicht; meinst du „entschärfen“?"),
        ("entschärfen T99 ann schnell 3 4 5", "Ein Feld „T99“ gibt es nicht; es gibt „T01“ oder „T02“."),
    ],
)  # fmt: skip
def test_a_refusal_shows_the_tables_words(line: str, told: str) -> None:
    assert understood(line, GAME, words("de")) == told
