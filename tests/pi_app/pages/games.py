"""Random games with names at the limit, for the frames of their phones."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

from pi_app.game import artifacts as art
from pi_app.game import events as ev
from pi_app.game import lamp_deal, tokens
from pi_app.game.state import Game
from pi_app.journal.record.heads import Head
from pi_app.pages.content import Content, SeatView, picture_of, seat_view
from pi_app.report.lamp_code import PATTERNS
from pi_app.report.moment import Moment
from pi_app.report.pictures import SeatPicture
from pi_app.report.public_lines import PublicLines
from pi_app.report.seat_screen import CARD_PAGES, Attention, seat_card, seat_die, seat_looks, seat_says, seat_token
from pi_app.text.language import words as words_of
from pi_app.text.languages import LANGUAGES
from tests.pi_app.games import exposes, played, rolled, started
from tests.scripts import at_the_limit
from tests.twin_games import random_table

POOL = tokens.load(tokens.sample_path())


def opened(draw: random.Random, letters: str, seats: int, squares: int, tables: random.Random) -> ev.Started:
    """The first event of a game with these letters in every name. `tables` alone draws what is secret."""
    first = started(*(random_table(tables, "ANY") for _ in range(squares)))
    return ev.Started(
        version=first.version,
        table_name=at_the_limit(letters, 40, draw),
        simulated=draw.random() < 0.5,
        ruleset=first.ruleset,
        language=draw.choice(LANGUAGES),
        seats=tuple(
            ev.SeatSetup(
                seat=f"SEAT{number}",
                name=at_the_limit(letters, 20, draw),
                language=draw.choice(LANGUAGES),
                lamp=lamp_deal.drawn("dealt", tables.randrange) if draw.random() < 0.5 else "",
            )
            for number in range(seats)
        ),
        squares=first.squares,
        artifacts=art.laid(POOL, "private", tables.randrange) if draw.random() < 0.5 else None,
    )


def moments(first: ev.Started, draw: random.Random, turns: int) -> Iterator[Moment]:
    """A game in which seats expose squares, roll and draw tokens; no trap goes off, so that nothing becomes public."""
    moment = played(first)
    yield moment
    seats, labels = [each.seat for each in first.seats], [each.label for each in first.squares]
    stands = dict.fromkeys(labels, 0)
    for _ in range(turns):
        seat, label, die = draw.choice(seats), draw.choice(labels), draw.randint(1, 6)
        if draw.random() < 0.5:
            moment = played(rolled(die, seat, "device"), moment=moment)
            yield moment
        if draw.random() < 0.3 and first.artifacts is not None:
            moment = played(drawn(moment.game, seat, draw), moment=moment)
            yield moment
        if stands[label] == 0:
            stands[label] = die
            for event in exposes(label, die, seat):
                moment = played(event, moment=moment)
                yield moment


def drawn(game: Game, seat: str, draw: random.Random) -> ev.Drawn:
    assert game.artifacts is not None
    laid = POOL.artifact[draw.randrange(len(POOL.artifact))]
    colour = next(colour for colour in tokens.COLOURS if laid.number(colour))
    lying = game.artifacts.lies[laid.label].get(colour, ())
    return ev.Drawn(seat=seat, artifact=laid.label, colour=colour, token=lying[0] if lying else 0)


def pictures(game: Game, seat: str) -> Iterator[SeatPicture]:
    """Everything that this seat's screen could show now."""
    words = words_of(game.seats[seat].language)
    label = max(game.squares, key=len)
    yield from (seat_says(each, words, label) for each in Attention)
    yield from (seat_looks(game, seat, each, words) for each in game.squares)
    found = [seat_die(game, seat, words, label), seat_token(game, seat, words)]
    found += [seat_card(game, seat, page, words) for page in range(len(CARD_PAGES))]
    yield from (each for each in found if each is not None)


def contents(game: Game, seat: str) -> Iterator[Content]:
    words = words_of(game.seats[seat].language)
    for picture in pictures(game, seat):
        content = picture_of(picture, words, PATTERNS[-1])
        if content is not None:
            yield content


HEAD = Head(bytes(32), 1, bytes(32), bytes(64)).text()
"""Of the length of every head."""


def views(game: Game, public: PublicLines, news: Sequence[str] = ()) -> list[SeatView]:
    made = (seat_view(game, seat, public, marks=("SIMULATED", "SAMPLE"), news=tuple(news)) for seat in game.seats)
    return [replace(view, head=HEAD) for view in made]
