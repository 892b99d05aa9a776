"""No prompt names a word that is then refused: random games are played, and what each sentence says is typed."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import msgspec
import pytest

from pi_app.game import artifacts as art
from pi_app.game import tokens
from pi_app.game.chests import Chest
from pi_app.game.ruleset import Ruleset
from pi_app.play.commands import words as commands
from pi_app.play.commands.parse import parse
from pi_app.text.language import words
from pi_app.text.table_words import in_language
from tests.pi_app.told import SEATS, Told, eight_squares

GAMES = 60
PROMPT = {
    "en": re.compile(r"(?:[Tt]ype|or|as in): ((?:[a-z]+)(?: [\w-]+)*)"),
    "de": re.compile(r"(?:[Tt]ippe(?: erst| zum Beispiel)?|oder|wie in|etwa): ((?:[a-zäöüß]+)(?: (?!oder)[\w-]+)*)"),
}
"""A line that a sentence tells the players to type: `Type: hits T05 DIE`, `type: jaws T05 harmed, or: jaws ...`."""

SQUARES = tuple(f"T{n:02}" for n in range(1, 9))
FIGURES = (
    "aria",
    "borg",
    "cora",
    "ann",
    "ben",
    "cal",
    "dee",
    "spawn",
    "mage",
    "mage ben",
    "token",
    "figure",
    "figure cal",
)
LINES = (
    "enter {square} {figure}",
    "enter {square} {figure} flying stops",
    "enter {square} {figure} pay4",
    "enter {square} {figure} beside",
    "enter {square} {figure} 3",
    "pass {square} {figure} roll",
    "pass {square} {figure}",
    "hits",
    "hits roll",
    "hits {square} dodge roll",
    "start {square} {figure}",
    "shockwave {square} {figure} 6 6 9",
    "break {square} {figure} roll",
    "disarm {square} {figure} quick roll",
    "disarm {square} {figure} slow 6 6",
    "jaws {square} unharmed",
    "jaws {square} harmed",
    "trigger {square} {figure}",
    "expose {square} {figure}",
    "claim {figure}",
    "chest 7 {figure} quick roll",
    "chest 7 {figure} quick 6 6",
    "artifact STATUE {figure} red",
    "artifact STATUE {figure} yellow",
    "keep {figure}",
    "put {figure}",
    "refresh {figure}",
    "activate {figure}",
    "fallen {figure}",
    "undo",
)


def prompts(sentence: str, language: str) -> list[str]:
    return [found.strip() for found in PROMPT[language].findall(sentence)]


def filled(line: str, draw: random.Random, told: Told) -> str:
    """The line with a value for each word in capitals, which are those of the table's language."""
    game = told.moment.game
    free = [seat for seat in game.seats if game.claim_of(seat) is None and game.heroes_of(seat)]
    values: dict[str, Callable[[], str]] = {
        "DIE": lambda: str(draw.randint(1, 6)),
        "ATTACK": lambda: str(draw.randint(0, 30)),
        "SEAT": lambda: draw.choice(free or ["DEE"]),
        "NAME": lambda: f"Zoe{len(game.heroes)}",
        "N": lambda: str(draw.randint(1, 6)),
    }
    own = {in_language(f"hits {word}", told.words).split()[-1]: value for word, value in values.items()}
    return " ".join(own[word]() if word in own else word for word in line.split())


def game_with_everything(seed: int, language: str) -> Told:
    draw = random.Random(seed)
    rules = Ruleset(
        damage_reduction=draw.choice(["trap_text", "rulings_2003"]),
        xp_on_trigger_25=draw.random() < 0.5,
        trigger_on_exposed=draw.choice(["keep_click", "reroll"]),
        pit_pay4=draw.choice(["after_trigger", "always"]),
    )
    first = msgspec.structs.replace(
        eight_squares(*(label for label in SQUARES if draw.random() < 0.2), rules=rules),
        chests=(Chest(number=7, disarm="6+", xp=20),),
        artifacts=art.laid(
            tokens.load(tokens.sample_path()), draw.choice(["private", "public"]), random.Random(seed).randrange
        ),
    )
    told = Told(first, words(language))
    for line in ("hero ann Aria nimble dodge shockwave", "hero ann Borg", "hero ben Cora toughness speed 7"):
        told.say(line)
    return told


@pytest.mark.parametrize("language", PROMPT)
@pytest.mark.parametrize("start", range(0, GAMES, 10))
def test_what_a_sentence_tells_to_type_is_accepted(start: int, language: str) -> None:
    walked = 0
    for seed in range(start, start + 10):
        told, draw = game_with_everything(seed, language), random.Random(f"lines {seed}")
        for label in SQUARES:
            if draw.random() < 0.4:
                told.expose(label, draw.choice(SEATS), draw.randint(1, 6))
        for _ in range(40):
            line = draw.choice(LINES).format(square=draw.choice(SQUARES), figure=draw.choice(FIGURES))
            sentences = told.say(line)
            walked += walk(sentences, told, draw, line, language)
            for label in SQUARES:
                if told.moment.game.claim_on(label) is not None and draw.random() < 0.7:
                    walked += walk(told.turn(label, draw.randint(1, 6)), told, draw, f"turn {label}", language)
    assert walked > 40


def walk(sentences: list[str], told: Told, draw: random.Random, after: str, language: str) -> int:
    count = 0
    for sentence in sentences:
        for prompt in prompts(sentence, language):
            line = filled(prompt, draw, told)
            try:
                parse(line, told.moment.game, told.words)
            except commands.RefusedError as refused:
                pytest.fail(f"after '{after}' the table reads '{sentence}', but '{line}' is refused: {refused}")
            count += 1
    return count
