"""Any words in any order: a game refuses or records them, can be told in every language, and is taken back exactly."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest

from pi_app.rooms import events as ev
from pi_app.rooms.commands import CardAsked, parse, parse_card
from pi_app.rooms.game import apply
from pi_app.rooms.refusals import RoomsRefusedError
from pi_app.rooms.report import lines_of
from pi_app.rooms.spelling import spelled
from pi_app.rooms.state import Game
from pi_app.text.language import words
from pi_app.text.languages import LANGUAGES
from tests.pi_app.rooms.fights import on

WHO = ("warrior", "thief", "goblin", "mekanork", "ben.thief", "ben.goblin", "ann.warrior", "warrior+thief")
WHAT = ("treasure", "ben.sword", "rope", "potion", "thief")
SHAPES = (
    "card ann {n}", "card ben {n}", "reveal {room}", "gear {who} {room}", "gear ann {room} remote", "move",
    "move {who} {room} gear {n}", "move {who} line", "exit {who}", "take {who} {what}", "take {who} {what}",
    "drop {who} pit", "drop {who}", "give {who} {other}", "use {who}", "combat {who} {other}", "combat {who} {other}",
    "combat again", "play ann", "play ben", "play ann", "play ben", "jump {who}", "ability {who}",
    "lies {who} wounded", "lies {who} well", "lies {room} left", "undo", "end turn",
)  # fmt: skip
CARDS = (0, 1, 1, 2, 2, 3, 4, 5, 6)


def word(draw: random.Random) -> str:
    return draw.choice(SHAPES).format(
        n=draw.randint(2, 6), room=draw.choice(("R1", "R2")), who=draw.choice(WHO), other=draw.choice(WHO),
        what=draw.choice(WHAT),
    )  # fmt: skip


def said(line: str, game: Game, draw: random.Random) -> ev.AnyEvent | None:
    try:
        event = parse(line, game, {"R1": 0, "R2": 0})
        return parse_card(str(draw.randint(0, 7)), event.seat, game) if isinstance(event, CardAsked) else event
    except RoomsRefusedError as refused:
        sentences = {refused.reason(words(language)) for language in LANGUAGES}
    assert all(sentences)
    return None


def plain(game: Game) -> Game:
    """The game without what a correction adds, and what is shown only until the next word."""
    return replace(game, last=None, combat=None, unspent=None, corrections=(), kept_because="")


@pytest.mark.parametrize("seed", range(12))
def test_whatever_is_typed_is_refused_or_recorded_and_taken_back_exactly(seed: int) -> None:
    draw = random.Random(seed)
    game = on(points=2, ruleset=ev.Ruleset(combat_cards=CARDS))
    game = apply(game, ev.DialsChecked(stands={"R1": 0, "R2": 0}))
    recorded = 0
    for _ in range(150):
        event = said(word(draw), game, draw)
        if event is None:
            continue
        before, game = game, apply(game, event)
        recorded += 1
        assert all(line for language in LANGUAGES for line in lines_of(game, words(language)).values())
        for player in game.players.values():
            assert CARDS.count(0) == player.fighting.count(0)
        if isinstance(event, ev.Word) and game.last is not None:
            back = apply(game, ev.WordUndone(word=spelled(event)))
            assert plain(back) == plain(before)
            fight = before.combat
            assert (back.combat is not None) is (fight is not None and (fight.tie or fight.told is None))
    assert recorded > 30


@pytest.mark.parametrize("seed", range(12))
def test_every_word_that_a_line_asks_for_is_accepted(seed: int) -> None:
    """A line that ends in `Type: ...` names words that the table then takes."""
    draw = random.Random(f"prompts {seed}")
    game = on(points=2)
    for _ in range(150):
        event = said(word(draw), game, draw)
        game = game if event is None else apply(game, event)
        for line in lines_of(game, words("en")).values():
            for asked in re.findall(r"(?:play \w+|combat again)", line.partition("Type: ")[2] or ""):
                assert said(asked, game, random.Random(1)) is not None, (line, asked)
        if game.combat is not None and game.combat.tie:
            assert isinstance(parse("combat again", game, {}), ev.CombatBegun)
